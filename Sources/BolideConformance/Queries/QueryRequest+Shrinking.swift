import Bolide
import BolideStorage

extension QueryRequest {
  /// Requests with one part left out.
  var smaller: [QueryRequest] {
    var result: [QueryRequest] = []
    func add(_ change: (inout QueryRequest) -> Void) {
      var request = self
      change(&request)
      result.append(request)
    }
    if let condition {
      add { $0.condition = nil }
      for smaller in condition.smaller { add { $0.condition = smaller } }
    }
    for index in sort.indices { add { $0.sort.remove(at: index) } }
    if limit != nil { add { $0.limit = nil } }
    if offset > 0 { add { $0.offset = 0 } }
    if case .rows(let columns, true) = self.result { add { $0.result = .rows(columns, isDistinct: false) } }
    if case .rows(_, false) = self.result { add { $0.result = .objects } }
    if case .groups(let columns, let paths, .some) = self.result {
      add { $0.result = .groups(columns, by: paths, having: nil) }
    }
    switch self.result {
    case .groups(let columns, let paths, let having) where columns.count > 1 && sort.isEmpty:
      for index in columns.indices {
        var fewer = columns
        fewer.remove(at: index)
        add { $0.result = .groups(fewer, by: paths, having: having) }
      }
    case .rows(let columns, let isDistinct) where columns.count > 1:
      for index in columns.indices {
        var fewer = columns
        fewer.remove(at: index)
        add { $0.result = .rows(fewer, isDistinct: isDistinct) }
      }
    case .update(let values, let seen):
      if values.count > 1 {
        for name in values.keys.sorted() {
          add { $0.result = .update(values.filter { $0.key != name }, seen: seen) }
        }
      }
      if !seen.isEmpty { add { $0.result = .update(values, seen: seen.dropLast()) } }
      if seen.count > 1 { add { $0.result = .update(values, seen: Array(seen.dropFirst())) } }
    case .delete(let seen):
      if !seen.isEmpty { add { $0.result = .delete(seen: seen.dropLast()) } }
      if seen.count > 1 { add { $0.result = .delete(seen: Array(seen.dropFirst())) } }
    default: break
    }
    return result
  }
}

extension Condition {
  /// Conditions with one part left out.
  fileprivate var smaller: [Condition] {
    switch self {
    case .true, .false, .compare: []
    case .in(let operand, let values, let options):
      values.indices.map { index in
        var fewer = values
        fewer.remove(at: index)
        return .in(operand, fewer, options)
      }
    case .not(let part): [part] + part.smaller.map { .not($0) }
    case .and(let parts): parts + Self.smaller(parts).map { .and($0) }
    case .or(let parts): parts + Self.smaller(parts).map { .or($0) }
    case .members(let quantifier, let path, let condition):
      condition.smaller.map { .members(quantifier, path, $0) }
    }
  }

  private static func smaller(_ parts: [Condition]) -> [[Condition]] {
    parts.indices.flatMap { index in
      parts[index].smaller.map { smaller in
        var changed = parts
        changed[index] = smaller
        return changed
      }
    }
  }
}

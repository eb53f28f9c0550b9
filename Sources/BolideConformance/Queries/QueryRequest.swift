import Bolide
import BolideStorage

/// A fetch as plain values, and what it is asked for.
struct QueryRequest: Sendable {
  enum Result: Sendable {
    /// Objects, as their entities and numbers.
    case objects
    case count
    case rows([FetchColumn], isDistinct: Bool)
    case groups([FetchColumn], by: [String], having: Condition?)
    /// A batch update of the objects that meet the condition, and what is in the store then.
    case update([String: Value], seen: [QueryRequest])
    /// A batch delete of the objects that meet the condition, and what is in the store then.
    case delete(seen: [QueryRequest])
  }

  var entity: String
  var condition: Condition?
  var sort: [SortTerm] = []
  var limit: Int?
  var offset = 0
  var includesSubentities = true
  var result = Result.objects

  /// The request as a context takes it.
  var fetch: FetchRequest<ManagedObject> {
    var request = FetchRequest<ManagedObject>(
      entity: entity, where: condition, sort: sort, limit: limit, offset: offset)
    request.includesSubentities = includesSubentities
    switch result {
    case .objects, .count, .update, .delete: break
    case .rows(let columns, let isDistinct):
      request.propertiesToFetch = columns
      request.returnsDistinctRows = isDistinct
    case .groups(let columns, let paths, let having):
      request.propertiesToFetch = columns
      request.propertiesToGroupBy = paths
      request.having = having
    }
    return request
  }

  /// What a context gives, line by line.
  func lines(in asked: QueryContext) throws -> [String] {
    let context = asked.context
    switch result {
    case .objects: return try context.fetchIDs(fetch).map(asked.name)
    case .count: return ["\(try context.count(for: fetch))"]
    case .rows, .groups: return try context.fetchRows(fetch).map { Self.line($0.values) }
    case .update(let values, let seen):
      let result = try context.execute(
        BatchUpdateRequest(entity: entity, values: values, where: condition))
      return ["updated \(result.count)  unchanged \(result.unchanged.count)"]
        + (try seen.flatMap { Self.counted(try $0.lines(in: asked)) })
    case .delete(let seen):
      let result = try context.execute(BatchDeleteRequest(entity: entity, where: condition))
      return ["deleted \(result.count)"] + (try seen.flatMap { Self.counted(try $0.lines(in: asked)) })
    }
  }

  /// Whether the request changes what is stored.
  var isBatch: Bool {
    switch result {
    case .update, .delete: true
    default: false
    }
  }

  /// Whether a constant is NaN, which is no value: then the request is refused.
  var hasNaN: Bool {
    if case .groups(_, _, .some(let having)) = result, having.hasNaN { return true }
    return condition?.hasNaN == true
  }

  /// Rows with their count behind them.
  static func counted(_ lines: [String]) -> [String] { lines + ["\(lines.count) rows"] }

  /// Whether a line is the count behind rows; texts among values stand in quotes.
  static func isCount(_ line: String) -> Bool { line.hasSuffix(" rows") }

  /// Values as a line.
  static func line(_ values: [Value]) -> String {
    values.map { CanonicalText.text($0) }.joined(separator: "  ")
  }
}

extension QueryRequest: CustomStringConvertible {
  var description: String {
    var parts = [entity]
    if let condition { parts.append("where \(condition)") }
    if !sort.isEmpty { parts.append("sort \(sort.map(\.description).joined(separator: ","))") }
    if let limit { parts.append("limit \(limit)") }
    if offset > 0 { parts.append("offset \(offset)") }
    if !includesSubentities { parts.append("without sub-entities") }
    switch result {
    case .objects: break
    case .count: parts.append("count")
    case .rows(let columns, let isDistinct):
      parts.append("columns \(columns.map(\.name).joined(separator: ","))\(isDistinct ? " distinct" : "")")
    case .groups(let columns, let paths, let having):
      parts.append("columns \(columns.map(\.name).joined(separator: ","))")
      parts.append("group \(paths.joined(separator: ","))")
      if let having { parts.append("having \(having)") }
    case .update(let values, _):
      let texts = values.sorted { $0.key < $1.key }.map { "\($0.key)=\(CanonicalText.text($0.value))" }
      parts.append("batch-update \(texts.joined(separator: " "))")
    case .delete: parts.append("batch-delete")
    }
    return parts.joined(separator: "  ")
  }
}

extension Condition {
  fileprivate var hasNaN: Bool {
    func isNaN(_ value: Value) -> Bool { if case .double(let number) = value { number.isNaN } else { false } }
    func isNaN(_ operand: Operand) -> Bool {
      if case .literal(let value) = operand { isNaN(value) } else { false }
    }
    switch self {
    case .true, .false: return false
    case .and(let parts), .or(let parts): return parts.contains(where: \.hasNaN)
    case .not(let part), .members(_, _, let part): return part.hasNaN
    case .compare(let left, _, let right, _): return isNaN(left) || isNaN(right)
    case .in(_, let values, _): return values.contains(where: isNaN)
    }
  }
}

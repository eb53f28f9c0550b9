import Bolide
import BolideStorage
import Foundation

/// Answers requests from plain values: slow, without indexes, chunks or early ends, so that it is plain to be
/// right.
///
/// It shares no code with the evaluation in Bolide but the tree itself. Nothing is skipped: every part of a
/// condition is asked of every object, so that a sum out of range is noticed wherever some plan might.
struct ReferenceEvaluator {
  /// What a condition is asked of.
  enum Subject {
    case object(QueryWorld.Object)
    case value(Value)
  }

  /// What the requests are asked of; batch requests change it.
  private(set) var world: QueryWorld
  /// Whether some sum was out of range; then a store may refuse the request, or not have met the sum.
  var hasOverflow = false

  init(_ world: QueryWorld) { self.world = world.edited }

  /// What a store gives for a request, line by line.
  mutating func lines(_ request: QueryRequest) -> [String] {
    if request.hasNaN { return ["error predicate.type"] }
    var found = world.objects.filter { object in
      object.entity == request.entity
        || request.includesSubentities && QueryWorld.root(of: object.entity) == request.entity
    }
    if let condition = request.condition {
      var kept: [QueryWorld.Object] = []
      for object in found where holds(condition, .object(object)) { kept.append(object) }
      found = kept
    }
    switch request.result {
    case .objects: return cut(sorted(found, request.sort).map { "\($0.entity)#\($0.number)" }, request)
    case .count: return ["\(cut(found.map { _ in "" }, request).count)"]
    case .rows(let columns, let isDistinct):
      let rows = sorted(found, request.sort).map { object in
        QueryRequest.line(columns.map { value($0.operand, .object(object)) })
      }
      return cut(isDistinct ? distinct(rows) : rows, request)
    case .groups(let columns, let paths, let having):
      return cut(
        groups(found, columns, paths.map(Self.path), having, request.sort, entity: request.entity), request)
    case .update(let values, let seen): return updated(found, values) + answers(seen)
    case .delete(let seen):
      world.delete(found)
      return ["deleted \(found.count)"] + answers(seen)
    }
  }

  private mutating func updated(_ found: [QueryWorld.Object], _ values: [String: Value]) -> [String] {
    var changed = 0
    for object in found {
      guard
        let index = world.objects.firstIndex(where: {
          $0.entity == object.entity && $0.number == object.number
        })
      else { continue }
      let differs = values.contains { name, value in
        Self.order(object.values[name] ?? .null, value) != 0
      }
      if differs { changed += 1 }
      world.set(values, of: index)
    }
    return ["updated \(changed)  unchanged \(found.count - changed)"]
  }

  private mutating func answers(_ requests: [QueryRequest]) -> [String] {
    var all: [String] = []
    for request in requests { all += QueryRequest.counted(lines(request)) }
    return all
  }

  private func cut(_ lines: [String], _ request: QueryRequest) -> [String] {
    Array(lines.dropFirst(request.offset).prefix(request.limit ?? .max))
  }

  private func distinct(_ lines: [String]) -> [String] {
    var result: [String] = []
    // URIs may differ where Swift calls the lines equal.
    for line in lines where !result.contains(where: { $0.utf8.elementsEqual(line.utf8) }) {
      result.append(line)
    }
    return result
  }

  private static func path(_ text: String) -> [String] { text.split(separator: ".").map(String.init) }

  // MARK: Order

  private mutating func sorted(_ objects: [QueryWorld.Object], _ sort: [SortTerm]) -> [QueryWorld.Object] {
    let keys = objects.map { object in sort.map { value(Self.operand($0), .object(object)) } }
    let ascends = sort.last?.ascending ?? true
    return objects.indices.sorted { left, right in
      for (index, term) in sort.enumerated() {
        let order = Self.order(keys[left][index], keys[right][index], term.options)
        if order != 0 { return term.ascending ? order < 0 : order > 0 }
      }
      return ascends == (objects[left].number < objects[right].number) && left != right
    }.map { objects[$0] }
  }

  static func operand(_ term: SortTerm) -> Operand {
    if let last = term.path.last, let aggregate = Aggregate(rawValue: last) {
      return .aggregate(aggregate, term.path.dropLast())
    }
    return .path(term.path)
  }

  /// Negative, zero or positive: nil is lowest.
  static func order(_ left: Value, _ right: Value, _ options: TextOptions = []) -> Int {
    func order<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : a > b ? 1 : 0 }
    func bytes(_ a: [UInt8], _ b: [UInt8]) -> Int {
      a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
    }
    switch (ReferenceText.stored(left), ReferenceText.stored(right)) {
    case (.null, .null): return 0
    case (.null, _): return -1
    case (_, .null): return 1
    case (.bool(let a), .bool(let b)): return order(a ? 1 : 0, b ? 1 : 0)
    case (.int(let a), .int(let b)), (.reference(let a), .reference(let b)): return order(a, b)
    case (.double(let a), .double(let b)): return order(a, b)
    case (.float(let a), .float(let b)): return order(a, b)
    case (.decimal(let a), .decimal(let b)): return order(a, b)
    case (.date(let a), .date(let b)): return order(a, b)
    case (.string(let a), .string(let b)), (.uri(let a), .uri(let b)):
      return ReferenceText.order(a, b, options)
    case (.binary(let a), .binary(let b)): return bytes(a, b)
    case (.uuid(let a), .uuid(let b)):
      return bytes(withUnsafeBytes(of: a.uuid) { Array($0) }, withUnsafeBytes(of: b.uuid) { Array($0) })
    default: return 0
    }
  }

  // MARK: Conditions

  private mutating func holds(_ condition: Condition, _ subject: Subject) -> Bool {
    switch condition {
    case .true: return true
    case .false: return false
    case .and(let parts): return answers(parts, subject).allSatisfy { $0 }
    case .or(let parts): return answers(parts, subject).contains(true)
    case .not(let part): return !holds(part, subject)
    case .compare(let left, let comparison, let right, let options):
      return Self.holds(value(left, subject), comparison, value(right, subject), options)
    case .in(let operand, let values, let options):
      let value = value(operand, subject)
      return values.contains { Self.holds(value, .equal, $0, options) }
    case .members(let quantifier, let path, let condition):
      var answers: [Bool] = []
      for element in ends(of: path, subject) { answers.append(holds(condition, element)) }
      switch quantifier {
      case .any: return answers.contains(true)
      case .all: return !answers.contains(false)
      case .none: return !answers.contains(true)
      }
    }
  }

  private mutating func answers(_ parts: [Condition], _ subject: Subject) -> [Bool] {
    var answers: [Bool] = []
    for part in parts { answers.append(holds(part, subject)) }
    return answers
  }

  static func holds(
    _ left: Value, _ comparison: Comparison, _ right: Value, _ options: TextOptions
  ) -> Bool {
    if left == .null || right == .null {
      switch comparison {
      case .equal: return left == right
      case .notEqual: return left != right
      default: return false
      }
    }
    switch (ReferenceText.stored(left), ReferenceText.stored(right)) {
    case (.string(let a), .string(let b)), (.uri(let a), .uri(let b)):
      return ReferenceText.holds(a, comparison, b, options)
    default: break
    }
    let order = order(left, right)
    switch comparison {
    case .equal: return order == 0
    case .notEqual: return order != 0
    case .less: return order < 0
    case .lessOrEqual: return order <= 0
    case .greater: return order > 0
    case .greaterOrEqual: return order >= 0
    case .contains, .beginsWith, .endsWith, .like: return false
    }
  }

  // MARK: Values

  private mutating func value(_ operand: Operand, _ subject: Subject) -> Value {
    switch operand {
    case .literal(let value): return value
    case .object(_, let number): return .reference(number)
    case .stored(let id): return .reference(id.number)
    case .itself: return Self.value(subject)
    case .path(let path): return ends(of: path, subject).first.map(Self.value) ?? .null
    case .aggregate(let aggregate, let path):
      guard case .object(let object) = subject else { return .null }
      let values = ends(of: path, subject).map(Self.value)
      guard let result = result(aggregate, values, type(of: path, from: object.entity)) else {
        hasOverflow = true
        return .null
      }
      return result
    }
  }

  static func value(_ subject: Subject) -> Value {
    switch subject {
    case .object(let object): .reference(object.number)
    case .value(let value): value
    }
  }
}

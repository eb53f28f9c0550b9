import Bolide
import BolideStorage
import CommandKit

/// How a request is answered: the way to the rows, the test of each, the order and the end.
struct FetchPlan {
  let steps: [(name: String, text: String)]

  /// - Throws: What a fetch throws for a request that makes no sense.
  init(_ request: FetchRequest<ManagedObject>, entity: EntityMap, map: SchemaMap) throws(BolideError) {
    var condition: BoundCondition?
    if let given = request.condition { condition = try BoundCondition(given, entity: entity, map: map) }
    let path = AccessPath(
      condition, order: try RowOrder(request.sort, entity: entity, map: map), isLimited: request.limit != nil,
      entity: entity)
    var steps = [(name: "scan", text: "\(entity.name) \(Self.words(path, entity))")]
    if let condition = request.condition { steps.append((name: "filter", text: condition.description)) }
    if !request.sort.isEmpty {
      let terms = request.sort.map(\.description).joined(separator: ",")
      steps.append((name: "sort", text: "\(terms), \(path.isOrdered ? "by the index" : "in memory")"))
    }
    if let limit = request.limit { steps.append((name: "limit", text: "\(limit)")) }
    self.steps = steps
  }

  var lines: [String] { steps.map { "\($0.name)  \($0.text)" } }

  var json: JSONValue {
    ["plan": .array(steps.map { ["step": .string($0.name), "text": .string($0.text)] })]
  }

  private static func words(_ path: AccessPath, _ entity: EntityMap) -> String {
    guard case .index(let id, let lower, let upper) = path.range else { return "by number" }
    let columns = entity.tableLayout.indexes[id].columns.map { entity.tableLayout.columns[$0].name }
    var words = "by index \(columns.joined(separator: ", "))"
    if path.backwards { words += ", backwards" }
    if let lower { words += ", \(lower.isInclusive ? "from" : "after") \(text(lower))" }
    if let upper { words += ", \(upper.isInclusive ? "through" : "before") \(text(upper))" }
    return words
  }

  private static func text(_ bound: KeyRange.Bound) -> String {
    bound.values.map(CanonicalText.text).joined(separator: ", ")
  }
}

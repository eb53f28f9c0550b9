import BolideStorage

/// The scope of the groups of a grouped fetch: what it groups by, and aggregates of the objects of a group.
struct GroupScope: ConditionScope {
  let object: EntityScope
  let paths: [[String]]

  var itself: OperandType? { nil }

  func type(of path: [String]) throws(BolideError) -> OperandType {
    let type = try object.type(of: path)
    if paths.contains(path) { return type }
    throw BolideError(
      .fetchColumn, "\(path.joined(separator: ".")) may differ within a group, so the group has no one value")
  }

  func type(of aggregate: Aggregate, over path: [String]) throws(BolideError) -> OperandType {
    if aggregate == .count {
      if path.isEmpty { return OperandType(.int64) }
      throw BolideError(
        .fetchColumn, "\(Operand.aggregate(aggregate, path)) is of one object",
        remedy: "write @count for the objects of a group")
    }
    return try aggregate.type(of: object.type(of: path), .aggregate(aggregate, path))
  }

  func type(ofObjectsOf entity: String) throws(BolideError) -> OperandType {
    try object.type(ofObjectsOf: entity)
  }
}

import BolideStorage

/// A condition on objects: the tree that every predicate is brought to.
///
/// Its logic is two-valued (rule V-5): `==` and `!=` are Swift's on optionals, every other comparison
/// with a nil is false, and NOT is exact negation. Its text (``description``) reads back as the same tree.
public indirect enum Condition: Hashable, Sendable {
  /// Holds for every object.
  case `true`
  /// Holds for no object.
  case `false`
  /// Holds where all of them hold; so for every object when there are none.
  case and([Condition])
  /// Holds where one of them holds; so for no object when there are none.
  case or([Condition])
  /// Holds where the other does not.
  case not(Condition)
  /// Holds where two operands compare in a way.
  case compare(Operand, Comparison, Operand)
  /// Holds where the operand equals one of the values; a nil equals `.null`.
  case `in`(Operand, [Value])
}

/// A way to compare two operands.
public enum Comparison: String, Codable, Hashable, Sendable, CaseIterable {
  case equal = "=="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="

  /// Whether the comparison asks for an order, not just for equality.
  public var needsOrder: Bool { self != .equal && self != .notEqual }

  /// The comparison that holds when the sides are exchanged.
  public var mirrored: Comparison {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    }
  }
}

/// A side of a comparison.
public enum Operand: Hashable, Sendable {
  /// A property at the end of to-one relationships: `["owner", "name"]`.
  case path([String])
  /// A constant.
  case literal(Value)
  /// An object, by its entity and number.
  case object(entity: String, number: Number)
  /// The object that the condition is asked of.
  case itself
}

extension Condition {
  /// How deeply conditions may be nested.
  static let maximumDepth = 200

  /// The property paths that the condition reads.
  public var paths: Set<[String]> {
    var paths: Set<[String]> = []
    collectPaths(into: &paths)
    return paths
  }

  private func collectPaths(into paths: inout Set<[String]>) {
    switch self {
    case .true, .false: break
    case .and(let parts), .or(let parts): for part in parts { part.collectPaths(into: &paths) }
    case .not(let part): part.collectPaths(into: &paths)
    case .compare(let left, _, let right):
      if case .path(let path) = left { paths.insert(path) }
      if case .path(let path) = right { paths.insert(path) }
    case .in(let operand, _):
      if case .path(let path) = operand { paths.insert(path) }
    }
  }
}

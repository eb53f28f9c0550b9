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
  /// Holds where two operands compare in a way; the options are about texts alone.
  case compare(Operand, Comparison, Operand, TextOptions = [])
  /// Holds where the operand equals one of the values; a nil equals `.null`.
  case `in`(Operand, [Value], TextOptions = [])
  /// Holds where any, all or none of what a path leads to meet a condition.
  ///
  /// The path goes over to-many relationships. The condition is about one element: `SELF` is the object or
  /// the value at the end of the path, and paths begin at that object.
  case members(Quantifier, [String], Condition)
}

/// A way to compare two operands.
public enum Comparison: String, Codable, Hashable, Sendable, CaseIterable {
  case equal = "=="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  /// The left text has the right one in it.
  case contains = "CONTAINS"
  /// The left text begins with the right one.
  case beginsWith = "BEGINSWITH"
  /// The left text ends with the right one.
  case endsWith = "ENDSWITH"
  /// The whole left text is like a pattern: `*` is any text, `?` one scalar, and `\` takes the next as it is.
  case like = "LIKE"

  /// Whether the comparison asks for an order, not just for equality.
  public var needsOrder: Bool {
    switch self {
    case .less, .lessOrEqual, .greater, .greaterOrEqual: true
    default: false
    }
  }

  /// Whether the comparison looks into texts.
  public var needsText: Bool {
    switch self {
    case .contains, .beginsWith, .endsWith, .like: true
    default: false
    }
  }

  /// The comparison that holds when the sides are exchanged; `nil` for those that look into texts.
  public var mirrored: Comparison? {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    case .contains, .beginsWith, .endsWith, .like: nil
    }
  }
}

/// How many of the members of a to-many relationship must meet a condition.
public enum Quantifier: String, Codable, Hashable, Sendable, CaseIterable {
  /// One or more; so it does not hold where there are none.
  case any = "ANY"
  /// All of them; so it holds where there are none.
  case all = "ALL"
  /// Not one.
  case none = "NONE"
}

extension Condition {
  /// How deeply conditions may be nested.
  static let maximumDepth = 200

  /// The property paths that the condition reads, those of members with the way to them.
  public var paths: Set<[String]> {
    var paths: Set<[String]> = []
    collectPaths(after: [], into: &paths)
    return paths
  }

  private func collectPaths(after way: [String], into paths: inout Set<[String]>) {
    func insert(_ operand: Operand) {
      switch operand {
      case .path(let path): paths.insert(way + path)
      case .aggregate(_, let path) where !path.isEmpty: paths.insert(way + path)
      case .itself where !way.isEmpty: paths.insert(way)
      case .itself, .literal, .object, .stored, .aggregate: break
      }
    }
    switch self {
    case .true, .false: break
    case .and(let parts), .or(let parts): for part in parts { part.collectPaths(after: way, into: &paths) }
    case .not(let part): part.collectPaths(after: way, into: &paths)
    case .compare(let left, _, let right, _):
      insert(left)
      insert(right)
    case .in(let operand, _, _): insert(operand)
    case .members(_, let path, let condition):
      paths.insert(way + path)
      condition.collectPaths(after: way + path, into: &paths)
    }
  }
}

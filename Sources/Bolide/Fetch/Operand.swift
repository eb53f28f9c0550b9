import BolideStorage

/// A side of a comparison.
public enum Operand: Hashable, Sendable {
  /// A property at the end of to-one relationships: `["owner", "name"]`.
  case path([String])
  /// A constant.
  case literal(Value)
  /// An object, by its entity and number.
  case object(entity: String, number: Number)
  /// An object of one store, by its id: the same as ``object(entity:number:)`` where that store is asked, and
  /// `context.foreign-object` where another one is. Its text names no store.
  case stored(ManagedObjectID)
  /// The object that the condition is asked of; inside ``Condition/members(_:_:_:)`` the element.
  case itself
  /// What becomes of all values that a path over to-many relationships leads to.
  ///
  /// In the rows of a grouped fetch the path is an attribute of the group's objects, and the count's is
  /// empty.
  case aggregate(Aggregate, [String])
}

extension Operand {
  /// Whether the operand is a certain object.
  var isObject: Bool {
    switch self {
    case .object, .stored: true
    case .path, .literal, .itself, .aggregate: false
    }
  }
}

/// A function of many values.
///
/// An object that can be reached in several ways counts once, and nil values count nowhere but in ``count``.
public enum Aggregate: String, Codable, Hashable, Sendable, CaseIterable {
  /// How many objects there are.
  case count = "@count"
  /// The exact sum: an integer, decimal or double as the values are; 0 where there are none.
  case sum = "@sum"
  /// The lowest value; nil where there is none.
  case minimum = "@min"
  /// The highest value; nil where there is none.
  case maximum = "@max"
  /// The exact average: a decimal for decimals, else a double; nil where there are no values.
  case average = "@avg"
}

/// How texts are compared, where not scalar by scalar (rule V-2).
public struct TextOptions: OptionSet, Codable, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Case does not count, in any script: `[c]`.
  public static let caseInsensitive = TextOptions(rawValue: 1)
  /// Combining marks do not count: `[d]`.
  public static let diacriticInsensitive = TextOptions(rawValue: 2)
  /// Runs of the digits 0 to 9 stand by the numbers that they write: `[n]`. For sort terms only.
  public static let natural = TextOptions(rawValue: 4)

  /// The options as a text in brackets, such as `[cd]`; empty where there are none.
  public var text: String {
    let letters = Self.letters.filter { contains($0.option) }.map { String($0.letter) }.joined()
    return letters.isEmpty ? "" : "[\(letters)]"
  }

  /// Reads letters without brackets; `nil` for an unknown letter, one given twice, or none.
  init?(letters: String) {
    self = []
    for letter in letters {
      let known = Self.letters.first { $0.letter == letter || $0.letter.uppercased() == String(letter) }
      guard let known, insert(known.option).inserted else { return nil }
    }
    if isEmpty { return nil }
  }

  private static let letters: [(letter: Character, option: TextOptions)] = [
    ("c", .caseInsensitive), ("d", .diacriticInsensitive), ("n", .natural),
  ]
}

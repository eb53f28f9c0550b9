import BolideStorage

/// What kind of value an expression has, known before any row is looked at.
enum ExpressionKind: Hashable, Sendable {
  /// Only nil.
  case none
  case boolean, integer, decimal, double, date, text, uri, uuid, binary

  /// The kind of the values of a type; `nil` for objects.
  init?(_ type: ValueType) {
    switch type {
    case .int16, .int32, .int64: self = .integer
    case .decimal: self = .decimal
    case .double, .float: self = .double
    case .boolean: self = .boolean
    case .date: self = .date
    case .string: self = .text
    case .uri: self = .uri
    case .uuid: self = .uuid
    case .binary: self = .binary
    case .reference: return nil
    }
  }

  /// The kind of a constant; `nil` for an object.
  init?(_ value: Value) {
    guard let type = value.type else {
      self = .none
      return
    }
    self.init(type)
  }

  var isNumber: Bool { self == .integer || self == .decimal || self == .double }

  var words: String {
    switch self {
    case .none: "nil"
    case .boolean: "a boolean"
    case .integer: "an integer"
    case .decimal: "a decimal"
    case .double: "a double"
    case .date: "a date"
    case .text: "a text"
    case .uri: "a uri"
    case .uuid: "a uuid"
    case .binary: "a binary"
    }
  }

  /// The kind that values of both kinds become when they meet; `nil` where they cannot.
  ///
  /// Integers become decimals or doubles. Decimals and doubles do not meet: one of them would be rounded.
  func joined(with other: ExpressionKind) -> ExpressionKind? {
    if self == other || other == .none { return self }
    if self == .none { return other }
    guard isNumber, other.isNumber else { return nil }
    if self == .integer { return other }
    return other == .integer ? self : nil
  }

  /// Whether an attribute of a type takes values of the kind, within its range.
  func fits(_ type: ValueType) -> Bool {
    switch (self, type) {
    case (.none, _): true
    case (.integer, .decimal), (.integer, .double), (.integer, .float): true
    default: ExpressionKind(type) == self
    }
  }
}

import BolideStorage

/// A value that is computed from a row: what a batch update may set an attribute to (rule R-6).
///
/// It reads the row as it was before the request, so that `a` and `b` can be swapped.
public indirect enum RowExpression: Hashable, Sendable {
  /// An attribute, own or at the end of to-one relationships, an aggregate of members, or a constant.
  case operand(Operand)
  /// A number with its sign changed.
  case negated(RowExpression)
  /// Two values joined by an operator.
  case arithmetic(RowExpression, ArithmeticOperator, RowExpression)
  /// A function of values.
  case call(ExpressionFunction, [RowExpression])

  /// How deep expressions may be nested.
  public static let maximumDepth = 64
}

/// What joins two values of a ``RowExpression``.
public enum ArithmeticOperator: String, Codable, Hashable, Sendable, CaseIterable {
  case add = "+"
  case subtract = "-"
  case multiply = "*"
  case divide = "/"

  /// Whether the operator binds closer than `+` and `-`.
  var isProduct: Bool { self == .multiply || self == .divide }
}

/// A function that a ``RowExpression`` may call.
public enum ExpressionFunction: String, Codable, Hashable, Sendable, CaseIterable {
  /// A text in upper case, whatever the machine's locale.
  case uppercase
  /// A text in lower case, whatever the machine's locale.
  case lowercase
  /// A text without case and diacritics.
  case canonical
  /// A text without white space at its ends.
  case trim
  /// Texts, one after the other.
  case concat
  /// A text in which the third argument stands wherever the second one was.
  case replace
  /// How many characters a text has, or bytes a binary.
  case length
  /// A number without its sign.
  case abs
  /// The first argument that is not nil.
  case coalesce
  /// The time of the request, by the store's clock: one for all rows.
  case now

  /// How many arguments the function takes.
  var argumentCount: ClosedRange<Int> {
    switch self {
    case .now: 0...0
    case .uppercase, .lowercase, .canonical, .trim, .length, .abs: 1...1
    case .replace: 3...3
    case .concat, .coalesce: 1...Int.max
    }
  }

  /// Other names that are understood.
  static let synonyms: [String: ExpressionFunction] = ["ifnil": .coalesce, "append": .concat]

  /// The function of a name.
  init?(named name: String) {
    guard let function = Self(rawValue: name) ?? Self.synonyms[name] else { return nil }
    self = function
  }
}

extension RowExpression {
  /// An attribute by its name, or by a path over to-one relationships: `owner.name`.
  public static func attribute(_ path: String) -> RowExpression {
    .operand(.path(path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)))
  }

  /// An attribute of a typed class.
  public static func attribute<Object: ManagedObject, Content>(
    _ path: KeyPath<Object, Content>
  ) -> RowExpression {
    .operand(.path(ClassProbe.path(path) ?? []))
  }

  /// A constant.
  public static func value(_ value: some AttributeValue) -> RowExpression {
    .operand(.literal(value.storedValue))
  }

  /// What a text says, such as `count + 1`.
  ///
  /// - Throws: `expression.syntax` with a column.
  public static func expression(_ text: String) throws(BolideError) -> RowExpression {
    try RowExpression(parsing: text)
  }

  public static func + (left: RowExpression, right: RowExpression) -> RowExpression {
    .arithmetic(left, .add, right)
  }
  public static func - (left: RowExpression, right: RowExpression) -> RowExpression {
    .arithmetic(left, .subtract, right)
  }
  public static func * (left: RowExpression, right: RowExpression) -> RowExpression {
    .arithmetic(left, .multiply, right)
  }
  public static func / (left: RowExpression, right: RowExpression) -> RowExpression {
    .arithmetic(left, .divide, right)
  }
  public static func + (left: RowExpression, right: some AttributeValue) -> RowExpression {
    left + .value(right)
  }
  public static func - (left: RowExpression, right: some AttributeValue) -> RowExpression {
    left - .value(right)
  }
  public static func * (left: RowExpression, right: some AttributeValue) -> RowExpression {
    left * .value(right)
  }
  public static func / (left: RowExpression, right: some AttributeValue) -> RowExpression {
    left / .value(right)
  }
  public static prefix func - (expression: RowExpression) -> RowExpression { .negated(expression) }
}

extension RowExpression {
  /// Checks the expression as a new value of an attribute, without a store.
  ///
  /// - Throws: `expression.type`, `schema.unknown-property`, `batch.relationship`, `batch.derived`.
  package func check(for name: String, of entity: EntityMap, in map: SchemaMap) throws(BolideError) {
    _ = try BoundExpression(self, for: name, of: entity, map: map)
  }
}

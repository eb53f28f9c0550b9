import BolideStorage

/// One thing that a save found wrong (rule V-9); the payload of its error is all of them.
public struct ValidationProblem: Error, Hashable, Sendable, CustomStringConvertible {
  /// The rules that a value or an object may break.
  public enum Rule: String, Hashable, Sendable, CaseIterable {
    /// The value has another type, or is out of its range.
    case type
    /// The value is NaN.
    case notANumber = "nan"
    /// There is no value and one is required.
    case required
    /// The value is below the minimum, or above the maximum.
    case minimum, maximum
    /// The text or binary is too short or too long.
    case minLength = "min-length"
    case maxLength = "max-length"
    /// The text does not match the pattern.
    case pattern
    /// The relationship has too few or too many members.
    case minCount = "min-count"
    case maxCount = "max-count"
    /// A rule of the class or the schema's own.
    case custom

    /// The code of an error whose first problem this is.
    var code: ErrorCode {
      switch self {
      case .type: .validationType
      case .notANumber: .validationNaN
      case .required: .validationRequired
      case .minimum, .maximum, .minLength, .maxLength, .pattern: .validationLimit
      case .minCount, .maxCount: .validationCount
      case .custom: .validationCustom
      }
    }
  }

  /// The object.
  public var object: ManagedObjectID
  /// The property; `nil` where the object as a whole is meant.
  public var property: String?
  /// The rule.
  public var rule: Rule
  /// The value that breaks it: nil where there is none, the count where members are counted.
  public var value: Value
  /// What is wrong, without the value: `is below its minimum`.
  public var reason: String

  /// Describes a problem, for rules of one's own.
  public init(
    _ object: ManagedObjectID, _ property: String? = nil, rule: Rule = .custom, value: Value = .null,
    reason: String
  ) {
    self.object = object
    self.property = property
    self.rule = rule
    self.value = value
    self.reason = reason
  }

  /// `Item#3.count is below its minimum`: no value of the user.
  public var description: String { "\(object)\(property.map { ".\($0)" } ?? "") \(reason)" }

  /// The description, and the value.
  var line: String { value.isNull ? description : "\(description)  given \(CanonicalText.text(value))" }

  /// An object lacks its partner in a one-to-one that needs one.
  static func missingPartner(of object: ManagedObjectID, _ property: PropertyMap) -> ValidationProblem {
    ValidationProblem(object, property.name, rule: .required, reason: "has no value")
  }

  /// The error of a save that found problems; the gravest kind gives the code.
  static func error(_ problems: [ValidationProblem]) -> BolideError? {
    let sorted = problems.enumerated().sorted { left, right in
      (left.element.rule.rank, left.offset) < (right.element.rule.rank, right.offset)
    }.map(\.element)
    guard let first = sorted.first else { return nil }
    return BolideError(
      first.rule.code,
      first.description + (sorted.count > 1 ? " (and \(sorted.count - 1) more)" : ""),
      details: sorted.map(\.line), payload: sorted)
  }
}

extension ValidationProblem.Rule {
  fileprivate var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// A rule that a schema has for the objects of an entity, beside those that its description states.
public typealias ObjectValidator = @Sendable (ManagedObject) throws -> Void

extension Schema {
  /// Adds a rule for the objects of an entity and its sub-entities: saves ask it of each that is new or changed.
  ///
  /// What it throws is a problem of the save: a ``ValidationProblem``, or any error, which is then about the object as a
  /// whole. Rules are no part of what a store keeps of its schema.
  public mutating func addValidation(for entity: String, _ validator: @escaping ObjectValidator) {
    validators[entity, default: []].append(validator)
  }
}

import BolideStorage
import Foundation

/// Attributes, with their types, defaults and rules.
extension ModelReader {
  /// The types by their names in model files.
  private static let types: [String: ValueType] = [
    "Integer 16": .int16, "Integer 32": .int32, "Integer 64": .int64, "Decimal": .decimal,
    "Double": .double, "Float": .float, "String": .string, "Boolean": .boolean, "Date": .date,
    "Binary": .binary, "Transformable": .binary, "UUID": .uuid, "URI": .uri,
  ]

  mutating func attribute(_ element: ModelElement, of entity: String) -> AttributeDescription? {
    guard let name = element["name"] else {
      reject(element, "an attribute of \(entity) has no name")
      return nil
    }
    let subject = "\(entity).\(name)"
    noteUnknownAttributes(of: element, subject: subject)
    if element.isSet("transient") {
      refuse(element, "the transient attribute \(subject)")
      return nil
    }
    let typeName = element["attributeType"] ?? "Undefined"
    guard let type = Self.types[typeName] else {
      refuse(element, "the type \(typeName) of \(subject)")
      return nil
    }
    if element.isSet("allowsExternalBinaryDataStorage") {
      warn(element, subject, "its data is kept in the store itself, not in external files")
    }
    if element.isSet("allowsCloudEncryption") {
      warn(element, subject, "it is not encrypted")
    }
    return AttributeDescription(
      name: name, type: type, isOptional: element.isSet("optional"),
      defaultValue: defaultValue(element, type, subject),
      isPreservedOnDeletion: element.isSet("preserveAfterDeletion")
        || element.isSet("preservesValueInHistoryOnDeletion"),
      isTransformable: typeName == "Transformable", derivation: derivation(element, subject),
      renamingID: element.renamingID, validation: validation(element, type, subject))
  }

  private mutating func derivation(_ element: ModelElement, _ subject: String) -> Derivation? {
    guard element.isSet("derived") else { return nil }
    guard let text = element["derivationExpression"] else {
      reject(element, "the derived attribute \(subject) has no expression")
      return nil
    }
    guard let derivation = try? Derivation(parsing: text) else {
      refuse(element, "the derivation `\(text)` of \(subject)")
      return nil
    }
    return derivation
  }

  private mutating func defaultValue(
    _ element: ModelElement, _ type: ValueType, _ subject: String
  ) -> Value {
    // A string's default may be empty; elsewhere that means: none.
    let isText = type == .string || type == .uri
    let text = element.attributes["defaultValueString"].flatMap { $0.isEmpty && !isText ? nil : $0 }
    if type == .date {
      if let seconds = element["defaultDateTimeInterval"] {
        return value(seconds, .date, "the default", element, subject) ?? .null
      }
      if let text { warn(element, subject, "its default \(text) is no time interval and was left out") }
      return .null
    }
    guard let text else { return .null }
    if type == .binary {
      warn(element, subject, "its default was left out: binary data has none")
      return .null
    }
    return value(text, type, "the default", element, subject) ?? .null
  }

  private mutating func validation(
    _ element: ModelElement, _ type: ValueType, _ subject: String
  ) -> AttributeValidation {
    var rules = AttributeValidation()
    rules.pattern = element["regularExpressionString"]
    let isDate = type == .date
    let minimum = element[isDate ? "minDateTimeInterval" : "minValueString"]
    let maximum = element[isDate ? "maxDateTimeInterval" : "maxValueString"]
    if type == .string {
      rules.minLength = minimum.flatMap { length($0, "the minimum length", element, subject) }
      rules.maxLength = maximum.flatMap { length($0, "the maximum length", element, subject) }
    } else {
      rules.minimum = minimum.flatMap { value($0, type, "the minimum", element, subject) }
      rules.maximum = maximum.flatMap { value($0, type, "the maximum", element, subject) }
    }
    return rules
  }

  private mutating func length(
    _ text: String, _ what: String, _ element: ModelElement, _ subject: String
  ) -> Int? {
    let length = Int(text)
    if length == nil { reject(element, "\(what) \(text) of \(subject) is no number") }
    return length
  }

  private mutating func value(
    _ text: String, _ type: ValueType, _ what: String, _ element: ModelElement, _ subject: String
  ) -> Value? {
    let value: Value? =
      switch type {
      case .boolean: Self.boolean(text)
      case .int16, .int32, .int64:
        Int64(text).map(Value.int) ?? Double(text).flatMap { Int64(exactly: $0) }.map(Value.int)
      case .date: Double(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
      case .string: .string(NormalizedText.normalized(text))
      case .uri: .uri(text)
      default: CanonicalText.value(text, as: type)
      }
    guard let value, value.fits(type) else {
      reject(element, "\(what) \(text) of \(subject) does not fit its type \(type.rawValue)")
      return nil
    }
    return value
  }

  private static func boolean(_ text: String) -> Value? {
    switch text.uppercased() {
    case "YES", "TRUE", "1": .bool(true)
    case "NO", "FALSE", "0": .bool(false)
    default: nil
    }
  }
}

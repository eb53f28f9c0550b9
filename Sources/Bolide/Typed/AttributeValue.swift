import BolideStorage
import Foundation

/// A Swift type that an attribute may have.
public protocol AttributeValue {
  /// The type of the attribute's column.
  static var valueType: ValueType { get }
  /// Whether `nil` is a value of the type.
  static var isOptional: Bool { get }
  /// What a getter gives where there is no value and no default (rule M-4).
  static var placeholder: Self { get }
  /// Reads a stored value; `nil` where it is of another kind.
  init?(_ value: Value)
  /// The value as it is stored.
  var storedValue: Value { get }
  /// Reads a stored value without a `Value` in between; `nil` where that is not possible.
  static func read(_ place: borrowing AttributePlace) -> Self?
}

extension AttributeValue {
  /// False: only optionals are.
  public static var isOptional: Bool { false }
  /// Always `nil`.
  @inlinable public static func read(_ place: borrowing AttributePlace) -> Self? { nil }
}

extension Optional: AttributeValue where Wrapped: AttributeValue {
  public static var valueType: ValueType { Wrapped.valueType }
  public static var isOptional: Bool { true }
  public static var placeholder: Wrapped? { nil }
  public init?(_ value: Value) {
    if value.isNull {
      self = .none
    } else if let wrapped = Wrapped(value) {
      self = .some(wrapped)
    } else {
      return nil
    }
  }
  public var storedValue: Value { self?.storedValue ?? .null }
  @inlinable public static func read(_ place: borrowing AttributePlace) -> Wrapped?? {
    Wrapped.read(place).map { .some($0) }
  }
}

extension String: AttributeValue {
  public static var valueType: ValueType { .string }
  public static var placeholder: String { "" }
  public init?(_ value: Value) { if case .string(let text) = value { self = text } else { return nil } }
  public var storedValue: Value { .string(self) }
  @inlinable public static func read(_ place: borrowing AttributePlace) -> String? { place.text }
}

extension Bool: AttributeValue {
  public static var valueType: ValueType { .boolean }
  public static var placeholder: Bool { false }
  public init?(_ value: Value) { if case .bool(let flag) = value { self = flag } else { return nil } }
  public var storedValue: Value { .bool(self) }
  @inlinable public static func read(_ place: borrowing AttributePlace) -> Bool? { place.flag }
}

extension Double: AttributeValue {
  public static var valueType: ValueType { .double }
  public static var placeholder: Double { 0 }
  public init?(_ value: Value) { if case .double(let number) = value { self = number } else { return nil } }
  public var storedValue: Value { .double(self) }
  @inlinable public static func read(_ place: borrowing AttributePlace) -> Double? { place.double }
}

extension Float: AttributeValue {
  public static var valueType: ValueType { .float }
  public static var placeholder: Float { 0 }
  public init?(_ value: Value) { if case .float(let number) = value { self = number } else { return nil } }
  public var storedValue: Value { .float(self) }
}

extension Int16: AttributeValue {
  public static var valueType: ValueType { .int16 }
  public static var placeholder: Int16 { 0 }
  public init?(_ value: Value) {
    if case .int(let number) = value { self.init(exactly: number) } else { return nil }
  }
  public var storedValue: Value { .int(Int64(self)) }
  @inlinable public static func read(_ place: borrowing AttributePlace) -> Int16? {
    place.integer.flatMap { Int16(exactly: $0) }
  }
}

extension Int32: AttributeValue {
  public static var valueType: ValueType { .int32 }
  public static var placeholder: Int32 { 0 }
  public init?(_ value: Value) {
    if case .int(let number) = value { self.init(exactly: number) } else { return nil }
  }
  public var storedValue: Value { .int(Int64(self)) }
  @inlinable public static func read(_ place: borrowing AttributePlace) -> Int32? {
    place.integer.flatMap { Int32(exactly: $0) }
  }
}

extension Int64: AttributeValue {
  public static var valueType: ValueType { .int64 }
  public static var placeholder: Int64 { 0 }
  public init?(_ value: Value) { if case .int(let number) = value { self = number } else { return nil } }
  public var storedValue: Value { .int(self) }
  @inlinable public static func read(_ place: borrowing AttributePlace) -> Int64? { place.integer }
}

extension Int: AttributeValue {
  public static var valueType: ValueType { .int64 }
  public static var placeholder: Int { 0 }
  public init?(_ value: Value) {
    if case .int(let number) = value { self.init(exactly: number) } else { return nil }
  }
  public var storedValue: Value { .int(Int64(self)) }
  @inlinable public static func read(_ place: borrowing AttributePlace) -> Int? {
    place.integer.flatMap { Int(exactly: $0) }
  }
}

extension Date: AttributeValue {
  public static var valueType: ValueType { .date }
  public static var placeholder: Date { Date(timeIntervalSinceReferenceDate: 0) }
  public init?(_ value: Value) { if case .date(let date) = value { self = date } else { return nil } }
  public var storedValue: Value { .date(self) }
  @inlinable public static func read(_ place: borrowing AttributePlace) -> Date? {
    place.seconds.map { Date(timeIntervalSinceReferenceDate: $0) }
  }
}

extension UUID: AttributeValue {
  public static var valueType: ValueType { .uuid }
  public static var placeholder: UUID { UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) }
  public init?(_ value: Value) { if case .uuid(let uuid) = value { self = uuid } else { return nil } }
  public var storedValue: Value { .uuid(self) }
}

extension Decimal: AttributeValue {
  public static var valueType: ValueType { .decimal }
  public static var placeholder: Decimal { 0 }
  public init?(_ value: Value) { if case .decimal(let number) = value { self = number } else { return nil } }
  public var storedValue: Value { .decimal(self) }
}

extension Data: AttributeValue {
  public static var valueType: ValueType { .binary }
  public static var placeholder: Data { Data() }
  public init?(_ value: Value) {
    if case .binary(let bytes) = value { self = Data(bytes) } else { return nil }
  }
  public var storedValue: Value { .binary([UInt8](self)) }
}

extension URL: AttributeValue {
  public static var valueType: ValueType { .uri }
  public static var placeholder: URL { URL(fileURLWithPath: "/") }
  public init?(_ value: Value) {
    if case .uri(let text) = value { self.init(string: text) } else { return nil }
  }
  public var storedValue: Value { .uri(absoluteString) }
}

import Foundation

/// One value outside a row: a literal of a predicate, a bound of a range, an edit of an object.
///
/// Rows never hold `Value`s; they are packed bytes (``RowBatch``).
public enum Value: Sendable {
  case null
  case bool(Bool)
  /// An integer of any width; the column's type limits its range.
  case int(Int64)
  case double(Double)
  case float(Float)
  case decimal(Decimal)
  case date(Date)
  /// Text; brought to Unicode NFC when it enters a row (rule V-2).
  case string(String)
  case uuid(UUID)
  /// A URI as its text, kept as it came.
  case uri(String)
  case binary([UInt8])
  /// The number of an object that a to-one relationship names.
  case reference(Number)

  /// Whether this is the absence of a value.
  public var isNull: Bool { if case .null = self { true } else { false } }

  /// The widest type of the value; `nil` for nil.
  package var type: ValueType? {
    switch self {
    case .null: nil
    case .bool: .boolean
    case .int: .int64
    case .double: .double
    case .float: .float
    case .decimal: .decimal
    case .date: .date
    case .string: .string
    case .uuid: .uuid
    case .uri: .uri
    case .binary: .binary
    case .reference: .reference
    }
  }

  /// Whether a column of `type` may hold the value: its kind fits and an integer is in range.
  ///
  /// NaN does not fit (rule V-3).
  public func fits(_ type: ValueType) -> Bool {
    switch (self, type) {
    case (.null, _): true
    case (.bool, .boolean), (.string, .string), (.uuid, .uuid), (.uri, .uri): true
    case (.binary, .binary), (.reference, .reference): true
    case (.decimal(let value), .decimal): !value.isNaN
    case (.date(let value), .date): !value.timeIntervalSinceReferenceDate.isNaN
    case (.double(let value), .double): !value.isNaN
    case (.float(let value), .float): !value.isNaN
    case (.int(let value), .int16), (.int(let value), .int32), (.int(let value), .int64):
      type.integerRange?.contains(value) ?? false
    default: false
    }
  }
}

extension Value: Hashable {
  /// Whether two values are the same for a store. Texts are equal as Unicode says, for they are kept in NFC; URIs, which are
  /// kept as they came, are equal byte by byte.
  public static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.int(let a), .int(let b)), (.reference(let a), .reference(let b)): a == b
    case (.double(let a), .double(let b)): a == b
    case (.float(let a), .float(let b)): a == b
    case (.decimal(let a), .decimal(let b)): a == b
    case (.date(let a), .date(let b)): a == b
    case (.string(let a), .string(let b)): a == b
    case (.uuid(let a), .uuid(let b)): a == b
    case (.uri(let a), .uri(let b)): a.utf8.elementsEqual(b.utf8)
    case (.binary(let a), .binary(let b)): a == b
    default: false
    }
  }
}

/// The number of an object within its root entity: 1, 2, 3 … (rule U-1); 0 stands for "none".
public typealias Number = Int64

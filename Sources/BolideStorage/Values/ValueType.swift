/// The type of a column: one of the value types of rule V-1, as a store sees it.
///
/// A transformable attribute is ``binary`` here, and a to-one relationship is ``reference``: the
/// number of an object in another table.
public enum ValueType: String, Codable, Hashable, Sendable, CaseIterable {
  case int16, int32, int64
  case decimal
  case double, float
  case boolean
  case date
  case string
  case uuid
  case uri
  case binary
  case reference

  /// Whether the value lives in an 8-byte slot of a row rather than in its byte area.
  public var isFixed: Bool {
    switch self {
    case .int16, .int32, .int64, .double, .float, .boolean, .date, .reference: true
    case .decimal, .string, .uuid, .uri, .binary: false
    }
  }

  /// Whether the slot of a fixed value is an integer; the others hold the bits of a double.
  public var isInteger: Bool {
    switch self {
    case .int16, .int32, .int64, .boolean, .reference: true
    default: false
    }
  }

  /// The smallest and largest integer the type holds; `nil` for types that are no integers.
  public var integerRange: ClosedRange<Int64>? {
    switch self {
    case .int16: Int64(Int16.min)...Int64(Int16.max)
    case .int32: Int64(Int32.min)...Int64(Int32.max)
    case .int64: Int64.min...Int64.max
    case .reference: 1...Int64.max
    case .boolean: 0...1
    default: nil
    }
  }
}

import BolideStorage
import Foundation

/// What a section stands for: its place among the sections, and its name.
protocol SectionValue: Sendable {
  /// Whether the section comes before another of the same list.
  func precedes(_ other: any SectionValue) -> Bool
  /// What the section is called.
  var name: String { get }
  /// The value that all rows of the section share, for whoever knows its type.
  var shared: any Sendable { get }
}

/// The section a row is in; rows of one section may have keys of their own that are equal.
final class SectionKey: Sendable {
  let value: any SectionValue

  init(_ value: any SectionValue) { self.value = value }
}

/// What a function makes a row's section of: kept where it may give another one later, so that it can be asked without reading.
final class SectionColumns: Sendable {
  let values: [Value]

  init(_ values: [Value]) { self.values = values }
}

/// A section made by a Swift function: in the order of its values.
struct ComparableSection<Wrapped: Comparable & Sendable>: SectionValue {
  let wrapped: Wrapped

  func precedes(_ other: any SectionValue) -> Bool {
    guard let other = other as? Self else { return false }
    return wrapped < other.wrapped
  }

  var name: String { String(describing: wrapped) }
  var shared: any Sendable { wrapped }
}

/// A section of equal attributes: in the order of their bytes (rule V-4), either way.
struct AttributeSection: SectionValue {
  let attribute: Value
  let bytes: [UInt8]
  let ascending: Bool

  init(_ attribute: Value, ascending: Bool) {
    self.attribute = attribute
    self.ascending = ascending
    var bytes: [UInt8] = []
    IndexKey.append(attribute, to: &bytes)
    self.bytes = bytes
  }

  func precedes(_ other: any SectionValue) -> Bool {
    guard let other = other as? Self else { return false }
    return ascending
      ? bytes.lexicographicallyPrecedes(other.bytes) : other.bytes.lexicographicallyPrecedes(bytes)
  }

  /// A text as it is, nothing for nil, and the canonical text of any other value.
  var name: String {
    switch attribute {
    case .null: ""
    case .string(let text), .uri(let text): text
    default: CanonicalText.text(attribute)
    }
  }

  var shared: any Sendable { attribute }
}

/// A section of one calendar day; rows without a date have a section of their own, the lowest.
struct DaySection: SectionValue {
  /// Days since 2001-01-01 in the time zone; `nil` without a date.
  ///
  /// It may be infinite, as dates may.
  let day: Double?
  let ascending: Bool

  init(_ date: Value, in zone: TimeZone, ascending: Bool) {
    self.ascending = ascending
    guard case .date(let date) = date else {
      day = nil
      return
    }
    let seconds = date.timeIntervalSinceReferenceDate
    let offset = seconds.isFinite ? zone.secondsFromGMT(for: date) : 0
    day = ((seconds + Double(offset)) / 86_400).rounded(.down)
  }

  func precedes(_ other: any SectionValue) -> Bool {
    guard let other = other as? Self else { return false }
    let (left, right) = ascending ? (day, other.day) : (other.day, day)
    guard let right else { return false }
    return left.map { $0 < right } ?? true
  }

  /// The day as `2020-10-23`, out of the calendar as dates print; nothing without a date.
  var name: String {
    guard let day else { return "" }
    return String(
      CanonicalText.text(.date(Date(timeIntervalSinceReferenceDate: day * 86_400))).prefix {
        $0 != "T"
      })
  }

  var shared: any Sendable { name }
}

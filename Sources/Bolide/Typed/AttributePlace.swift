import BolideStorage
import Foundation

/// Where a typed getter finds its value: a short way to what an object's row holds, for types that need no conversion.
///
/// Each property answers `nil` where the short way does not lead: for nil, for another type, for objects with edits, and
/// for faults. Then the getter goes the long way, by a `Value`.
public struct AttributePlace {
  @usableFromInline let object: ManagedObject
  @usableFromInline let path: AnyKeyPath

  @inlinable
  init(_ object: ManagedObject, _ path: AnyKeyPath) {
    self.object = object
    self.path = path
  }

  /// The value of a column of integers.
  public var integer: Int64? {
    read { row, place in
      switch place.type {
      case .int16, .int32, .int64: row.int(at: place)
      default: nil
      }
    }
  }

  /// The value of a column of booleans.
  public var flag: Bool? {
    read { row, place in place.type == .boolean ? row.int(at: place) != 0 : nil }
  }

  /// The value of a column of doubles.
  public var double: Double? {
    read { row, place in place.type == .double ? row.double(at: place) : nil }
  }

  /// The value of a column of dates, in seconds since 2001-01-01 UTC.
  public var seconds: Double? {
    read { row, place in place.type == .date ? row.double(at: place) : nil }
  }

  /// The value of a column of strings.
  public var text: String? {
    read { row, place in place.type == .string ? row.text(at: place) : nil }
  }

  @inline(__always)
  private func read<Result>(_ body: (UnsafeRawPointer, PropertySlots.Place) -> Result?) -> Result? {
    guard let row = object.held.start, object.edits.isEmpty else { return nil }
    let place = object.home.slots.place(path, of: object)
    let column = Int(place.column)
    guard column >= 0, row.load(fromByteOffset: column >> 3, as: UInt8.self) & (1 << UInt8(column & 7)) != 0
    else { return nil }
    // The object holds the row, and the caller the object.
    defer { withExtendedLifetime(object) {} }
    return body(row, place)
  }
}

// Positions are those of the row's format, which the row was checked against where it was read.
extension UnsafeRawPointer {
  @inline(__always)
  fileprivate func int(at place: PropertySlots.Place) -> Int64 {
    Int64(littleEndian: loadUnaligned(fromByteOffset: Int(place.position), as: Int64.self))
  }

  @inline(__always)
  fileprivate func double(at place: PropertySlots.Place) -> Double {
    Double(
      bitPattern: UInt64(
        littleEndian: loadUnaligned(fromByteOffset: Int(place.position), as: UInt64.self)))
  }

  @inline(__always)
  fileprivate func text(at place: PropertySlots.Place) -> String {
    let start = place.previousEnd < 0 ? 0 : end(at: place.previousEnd)
    let length = end(at: place.position) - start
    return String(
      decoding: UnsafeRawBufferPointer(start: self + Int(place.headerLength) + start, count: length),
      as: UTF8.self)
  }

  @inline(__always)
  private func end(at position: Int32) -> Int {
    Int(UInt32(littleEndian: loadUnaligned(fromByteOffset: Int(position), as: UInt32.self)))
  }
}

import BolideStorage
import Foundation

/// Where a typed getter finds its value: a short way to what an object's row holds, for types that need no conversion.
///
/// Each property answers `nil` where the short way does not lead: for nil, for another type, for objects with edits, and
/// for faults. Then the getter goes the long way, by a `Value`. It looks at memory of the object, which the getter keeps:
/// it cannot be copied, so that no type that reads itself from it can keep it longer.
public struct AttributePlace: ~Copyable {
  /// The type of the value's column; `nil` where the short way does not lead.
  @usableFromInline private(set) var type: ValueType?
  /// The value's bytes as the row has them.
  @usableFromInline private(set) var bytes: UnsafeRawBufferPointer

  /// Looks for the value of a wrapper of an object, which the caller keeps as long as this.
  @usableFromInline
  init(_ object: borrowing ManagedObject, _ path: borrowing AnyKeyPath) {
    type = nil
    bytes = UnsafeRawBufferPointer(start: nil, count: 0)
    guard let row = object.held.start, object.edits.isEmpty else { return }
    let place = object.home.slots.place(path, of: object)
    let column = Int(place.column)
    guard column >= 0, row.load(fromByteOffset: column >> 3, as: UInt8.self) & (1 << UInt8(column & 7)) != 0
    else { return }
    type = place.type
    // Positions are those of the row's format, which the row was checked against where it was read.
    if place.isFixed {
      bytes = UnsafeRawBufferPointer(start: row + Int(place.position), count: 8)
    } else {
      let start = place.previousEnd < 0 ? 0 : row.end(at: place.previousEnd)
      let end = row.end(at: place.position)
      bytes = UnsafeRawBufferPointer(start: row + Int(place.headerLength) + start, count: end - start)
    }
  }

  /// The value of a column of integers.
  @inlinable
  public var integer: Int64? {
    switch type {
    case .int16, .int32, .int64: Int64(littleEndian: bytes.loadUnaligned(as: Int64.self))
    default: nil
    }
  }

  /// The value of a column of booleans.
  @inlinable
  public var flag: Bool? { type == .boolean ? bytes.loadUnaligned(as: Int64.self) != 0 : nil }

  /// The value of a column of doubles.
  @inlinable
  public var double: Double? { type == .double ? number : nil }

  /// The value of a column of dates, in seconds since 2001-01-01 UTC.
  @inlinable
  public var seconds: Double? { type == .date ? number : nil }

  /// The value of a column of strings.
  @inlinable
  public var text: String? { type == .string ? String(decoding: bytes, as: UTF8.self) : nil }

  @inlinable
  var number: Double { Double(bitPattern: UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))) }
}

extension UnsafeRawPointer {
  @inline(__always)
  fileprivate func end(at position: Int32) -> Int {
    Int(UInt32(littleEndian: loadUnaligned(fromByteOffset: Int(position), as: UInt32.self)))
  }
}

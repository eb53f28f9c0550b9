import CComparators

/// A series of generated records, in memory, as both sides read them.
final class RecordSet {
  let records: UnsafeMutableBufferPointer<cmp_quake>
  private let arena = Arena()

  init(_ generator: QuakeGenerator, range: Range<Int>, changed: Bool = false) {
    records = .allocate(capacity: range.count)
    records.initialize(repeating: cmp_quake())
    for (place, index) in range.enumerated() {
      generator.fill(&records[place], index: index, changed: changed, arena: arena)
    }
  }

  deinit {
    records.deallocate()
  }

  var count: Int { records.count }

  /// The sum of all records' hashes: what a store must hold after importing them into an empty one.
  var content: UInt64 {
    records.indices.reduce(0) { $0 &+ cmp_hash_quake(&records[$1]) }
  }
}

extension cmp_text {
  /// The text as bytes.
  var buffer: UnsafeBufferPointer<UInt8> {
    let start = bytes.map { UnsafeRawPointer($0).assumingMemoryBound(to: UInt8.self) }
    return UnsafeBufferPointer(start: start, count: Int(length))
  }

  /// The text as a string.
  var string: String { String(decoding: buffer, as: UTF8.self) }
}

import CComparators

/// A series of generated records, in memory, as both sides read them.
final class RecordSet {
  let records: UnsafeMutableBufferPointer<cmp_quake>
  private let arena = Arena()

  /// What the records hold.
  enum Version {
    case first
    /// Two percent of them differ from the first.
    case changed
    /// Only what the feed delivers.
    case ofFeed
  }

  init(_ generator: QuakeGenerator, range: Range<Int>, version: Version = .first) {
    records = .allocate(capacity: range.count)
    records.initialize(repeating: cmp_quake())
    for (place, index) in range.enumerated() {
      generator.fill(&records[place], index: index, changed: version == .changed, arena: arena)
      if version == .ofFeed { records[place].forgetWhatFeedsLack() }
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

extension cmp_quake {
  /// Clears what the feed does not deliver under the names that the records have.
  fileprivate mutating func forgetWhatFeedsLack() {
    felt = 0
    significance = 0
    stations = 0
    network.length = 0
    magnitude_type.length = 0
  }
}

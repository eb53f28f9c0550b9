import BolideStorage

/// The bytes of history records and runs in their trees.
enum HistoryCoding {
  // Records

  static func bytes(of record: TransactionRecord) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(record.mark.nonce)
    writer.append(record.timestamp.bitPattern)
    writer.append(UInt64(bitPattern: record.processID))
    writer.append(record.author)
    writer.append(record.contextName)
    writer.append(record.processName)
    return writer.bytes
  }

  static func record(_ bytes: UnsafeRawBufferPointer, number: UInt64) throws(BolideError) -> TransactionRecord
  {
    var reader = ByteReader(bytes)
    let nonce = try reader.word()
    let timestamp = Double(bitPattern: try reader.word())
    let process = Int64(bitPattern: try reader.word())
    return TransactionRecord(
      mark: Mark(transaction: number, nonce: nonce), timestamp: timestamp, author: try reader.text(),
      contextName: try reader.text(), processName: try reader.text() ?? "", processID: process)
  }

  // Runs

  static func bytes(of run: ChangeRun) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(UInt64(run.entity))
    writer.append(UInt64(run.kind.rawValue))
    let properties = run.properties.members
    writer.append(UInt64(properties.count))
    for property in properties { writer.append(UInt64(property)) }
    for range in run.numbers {
      writer.append(UInt64(bitPattern: range.lowerBound))
      writer.append(UInt64(bitPattern: range.upperBound))
    }
    return writer.bytes
  }

  static func run(_ bytes: UnsafeRawBufferPointer) throws(BolideError) -> ChangeRun {
    var reader = ByteReader(bytes)
    let entity = Int(truncatingIfNeeded: try reader.word())
    guard let kind = ChangeKind(rawValue: UInt8(truncatingIfNeeded: try reader.word())) else {
      throw ByteReader.damaged
    }
    var properties = PropertySet()
    for _ in 0..<(try reader.count()) { properties.insert(Int(truncatingIfNeeded: try reader.word())) }
    var numbers: [ClosedRange<Number>] = []
    numbers.reserveCapacity(reader.wordsLeft / 2)
    while reader.wordsLeft >= 2 {
      let lower = Number(bitPattern: try reader.word())
      let upper = Number(bitPattern: try reader.word())
      guard lower <= upper else { throw ByteReader.damaged }
      numbers.append(lower...upper)
    }
    return ChangeRun(entity: entity, kind: kind, properties: properties, numbers: numbers)
  }

  // Keys of runs and tombstones

  /// Transaction, table and row, 8 bytes each.
  static func tombstoneKey(_ transaction: UInt64, _ table: TableID, _ number: Number) -> [UInt8] {
    var key: [UInt8] = []
    IndexKey.append(number: Number(bitPattern: transaction), to: &key)
    IndexKey.append(number: Number(table), to: &key)
    IndexKey.append(number: number, to: &key)
    return key
  }

  static func table(ofTombstone key: Key) -> TableID {
    key.rest.count == 16 ? Int(Int64(bigEndian: key.rest.loadUnaligned(as: Int64.self))) : -1
  }

  static func number(ofTombstone key: Key) -> Number {
    key.rest.count == 16
      ? Number(bigEndian: key.rest.loadUnaligned(fromByteOffset: 8, as: Int64.self)) : 0
  }
}

/// Appends words and texts.
private struct ByteWriter {
  var bytes: [UInt8] = []

  mutating func append(_ word: UInt64) {
    withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
  }

  /// A text with its length, which is the largest number for no text.
  mutating func append(_ text: String?) {
    guard let text else { return append(UInt64.max) }
    append(UInt64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }
}

/// Reads words and texts, never past the end.
private struct ByteReader {
  static let damaged = BolideError(.storeDamaged, "a history record cannot be read")

  private var rest: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) { rest = bytes }

  var wordsLeft: Int { rest.count / 8 }

  mutating func word() throws(BolideError) -> UInt64 {
    guard rest.count >= 8 else { throw Self.damaged }
    let word = UInt64(littleEndian: rest.loadUnaligned(as: UInt64.self))
    rest = UnsafeRawBufferPointer(rebasing: rest[8...])
    return word
  }

  /// A number of words that follow.
  mutating func count() throws(BolideError) -> Int {
    let count = try word()
    guard count <= UInt64(wordsLeft) else { throw Self.damaged }
    return Int(count)
  }

  mutating func text() throws(BolideError) -> String? {
    let length = try word()
    if length == .max { return nil }
    guard length <= UInt64(rest.count) else { throw Self.damaged }
    let text = String(decoding: rest[..<Int(length)], as: UTF8.self)
    rest = UnsafeRawBufferPointer(rebasing: rest[Int(length)...])
    return text
  }
}

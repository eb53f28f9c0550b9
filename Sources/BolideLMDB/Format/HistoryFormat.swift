import BolideStorage

/// How transactions and runs stand in their databases (see the docs article LMDBFormat).
enum HistoryFormat {
  static func encode(_ record: TransactionRecord) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendLittle(record.mark.nonce)
    bytes.appendLittle(record.timestamp.bitPattern)
    bytes.appendLittle(record.processID)
    bytes.appendText(record.author)
    bytes.appendText(record.contextName)
    bytes.appendText(record.processName)
    return bytes
  }

  static func record(
    _ number: UInt64, _ bytes: UnsafeRawBufferPointer
  ) throws(BolideError) -> TransactionRecord {
    var reader = ByteReader(bytes, "The record of transaction \(number)")
    let nonce = try reader.little(UInt64.self)
    let timestamp = Double(bitPattern: try reader.little(UInt64.self))
    let processID = try reader.little(Int64.self)
    let author = try reader.text()
    let contextName = try reader.text()
    guard let processName = try reader.text(), reader.isAtEnd else { throw reader.damaged }
    return TransactionRecord(
      mark: Mark(transaction: number, nonce: nonce), timestamp: timestamp, author: author,
      contextName: contextName, processName: processName, processID: processID)
  }

  static func encode(_ run: ChangeRun) throws(BolideError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(8 + run.numbers.count * 4)
    bytes.appendVariable(UInt64(run.entity))
    bytes.append(run.kind.rawValue)
    let properties = run.properties.members
    bytes.appendVariable(UInt64(properties.count))
    var previous = 0
    for property in properties {
      bytes.appendVariable(UInt64(property - previous))
      previous = property
    }
    bytes.appendVariable(UInt64(run.numbers.count))
    var end: Number = 0
    for range in run.numbers {
      guard range.lowerBound > end else {
        throw LMDBFailure.misuse("The ranges of a run do not ascend from 1")
      }
      bytes.appendVariable(UInt64(range.lowerBound - end))
      bytes.appendVariable(UInt64(range.upperBound - range.lowerBound))
      end = range.upperBound
    }
    return bytes
  }

  /// - Parameter entities: how many entities there are; a run of another is damage.
  static func run(_ bytes: UnsafeRawBufferPointer, entities: Int) throws(BolideError) -> ChangeRun {
    var reader = ByteReader(bytes, "A run of changes")
    let entity = try reader.variable()
    let kind = ChangeKind(rawValue: try reader.little(UInt8.self))
    guard let kind, entity < UInt64(entities) else { throw reader.damaged }
    var properties = PropertySet()
    var property: UInt64 = 0
    for _ in 0..<(try reader.count()) {
      property += try reader.variable(below: 1 << 20)
      guard property < 1 << 20 else { throw reader.damaged }
      properties.insert(Int(property))
    }
    var numbers: [ClosedRange<Number>] = []
    var end: UInt64 = 0
    for _ in 0..<(try reader.count()) {
      let (lower, isLowerOver) = end.addingReportingOverflow(try reader.variable())
      let (upper, isUpperOver) = lower.addingReportingOverflow(try reader.variable())
      guard !isLowerOver, !isUpperOver, lower > end, upper <= UInt64(Number.max) else { throw reader.damaged }
      numbers.append(Number(lower)...Number(upper))
      end = upper
    }
    guard reader.isAtEnd else { throw reader.damaged }
    return ChangeRun(entity: EntityID(entity), kind: kind, properties: properties, numbers: numbers)
  }

  /// A mark as metadata keep it.
  static func encode(_ mark: Mark) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendLittle(mark.transaction)
    bytes.appendLittle(mark.nonce)
    return bytes
  }

  static func mark(_ bytes: UnsafeRawBufferPointer) throws(BolideError) -> Mark {
    var reader = ByteReader(bytes, "The head of history")
    let mark = Mark(transaction: try reader.little(UInt64.self), nonce: try reader.little(UInt64.self))
    guard reader.isAtEnd else { throw reader.damaged }
    return mark
  }
}

extension ByteReader {
  /// A number below a bound, so that sums of a few cannot overflow.
  mutating func variable(below bound: UInt64) throws(BolideError) -> UInt64 {
    let value = try variable()
    guard value < bound else { throw damaged }
    return value
  }

  /// How many things follow; no more than the bytes that are left could hold.
  fileprivate mutating func count() throws(BolideError) -> Int {
    Int(try variable(below: 1 << 20))
  }
}

import BolideStorage
import Foundation

/// History as JSON: small and good enough for a store of this size.
enum Coding {
  private struct Record: Codable {
    var mark: Mark
    var timestamp: UInt64
    var author: String?
    var contextName: String?
    var processName: String
    var processID: Int64
  }

  private struct Run: Codable {
    var entity: Int
    var kind: ChangeKind
    var properties: [Int]
    var numbers: [ClosedRange<Number>]
  }

  static func bytes(_ record: TransactionRecord) throws(BolideError) -> [UInt8] {
    try encode(
      Record(
        mark: record.mark, timestamp: record.timestamp.bitPattern, author: record.author,
        contextName: record.contextName, processName: record.processName, processID: record.processID))
  }

  static func record(_ bytes: [UInt8]) throws(BolideError) -> TransactionRecord {
    let record = try decode(Record.self, bytes)
    return TransactionRecord(
      mark: record.mark, timestamp: Double(bitPattern: record.timestamp), author: record.author,
      contextName: record.contextName, processName: record.processName, processID: record.processID)
  }

  static func bytes(_ run: ChangeRun) throws(BolideError) -> [UInt8] {
    try encode(
      Run(entity: run.entity, kind: run.kind, properties: run.properties.members, numbers: run.numbers))
  }

  static func run(_ bytes: [UInt8]) throws(BolideError) -> ChangeRun {
    let run = try decode(Run.self, bytes)
    return ChangeRun(
      entity: run.entity, kind: run.kind, properties: PropertySet(run.properties), numbers: run.numbers)
  }

  static func encode(_ value: some Encodable) throws(BolideError) -> [UInt8] {
    do {
      return [UInt8](try JSONEncoder().encode(value))
    } catch { throw BolideError(.storeIO, "\(error)") }
  }

  static func decode<T: Decodable>(_ type: T.Type, _ bytes: [UInt8]) throws(BolideError) -> T {
    do {
      return try JSONDecoder().decode(type, from: Data(bytes))
    } catch { throw BolideError(.storeDamaged, "\(error)") }
  }
}

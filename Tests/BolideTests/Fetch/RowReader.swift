import BolideStorage

@testable import Bolide

/// A schema with an attribute of every type and each kind of to-one.
enum ZooSchema {
  static let schema = Schema(
    entities: [
      EntityDescription(
        name: "Animal",
        attributes: [
          AttributeDescription(name: "name", type: .string),
          AttributeDescription(name: "weight", type: .double),
          AttributeDescription(name: "legs", type: .int16),
          AttributeDescription(name: "tame", type: .boolean),
          AttributeDescription(name: "born", type: .date),
          AttributeDescription(name: "price", type: .decimal),
          AttributeDescription(name: "ratio", type: .float),
          AttributeDescription(name: "tag", type: .binary),
          AttributeDescription(name: "page", type: .uri),
          AttributeDescription(name: "id", type: .uuid),
        ],
        relationships: [RelationshipDescription(name: "keeper", destination: "Keeper", inverse: "animals")]),
      EntityDescription(
        name: "Keeper",
        attributes: [
          AttributeDescription(name: "name", type: .string), AttributeDescription(name: "age", type: .int32),
        ],
        relationships: [
          RelationshipDescription(name: "animals", destination: "Animal", inverse: "keeper", isToMany: true),
          RelationshipDescription(name: "badge", destination: "Badge", inverse: "keeper"),
          RelationshipDescription(name: "boss", destination: "Keeper", inverse: "staff"),
          RelationshipDescription(name: "staff", destination: "Keeper", inverse: "boss", isToMany: true),
        ]),
      EntityDescription(
        name: "Badge", attributes: [AttributeDescription(name: "text", type: .string)],
        relationships: [RelationshipDescription(name: "keeper", destination: "Keeper", inverse: "badge")]),
    ])
}

/// The least that can be read from: rows by number, and lookups by references.
final class RowReader: Reader {
  private let map: SchemaMap
  private let rowCount: Int?
  private var tables: [RowBatch]

  /// - Parameter rowCount: how many rows each table says it has; those that were added unless given.
  init(_ map: SchemaMap, rowCount: Int? = nil) {
    self.map = map
    self.rowCount = rowCount
    tables = map.layout.tables.map { RowBatch($0.format) }
  }

  /// Adds a row with the next number.
  func add(_ entity: String, _ values: [String: Value]) throws {
    let entity = try map.entity(entity)
    var builder = entity.defaults
    for (name, value) in values {
      guard let column = try entity.property(name).column else { continue }
      builder.set(column, value)
    }
    builder.append(to: &tables[entity.table], number: Number(tables[entity.table].count + 1))
  }

  /// The rows of an entity.
  func rows(of entity: String) throws -> RowBatch { tables[try map.entity(entity).table] }

  /// The numbers of the rows that meet a condition.
  func numbers(of entity: String, meeting condition: BoundCondition) throws -> [Number] {
    let rows = try rows(of: entity)
    return try rows.withRows { views in
      try condition.places(Array(0..<views.count), in: views, numbers: rows.numbers, reader: self).map {
        rows.numbers[$0]
      }
    }
  }

  func rows(
    _ numbers: [Number], of table: TableID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    for number in numbers {
      if let index = tables[table].numbers.firstIndex(of: number) {
        tables[table].withRow(at: index) { batch.append($0, number: number) }
      } else {
        batch.appendAbsent()
      }
    }
  }

  func scan(
    _ range: KeyRange, of table: TableID, backwards: Bool, from place: inout Place?, limit: Int,
    columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    guard case .index(let index, let lower?, let upper?) = range else { throw unused() }
    let column = map.layout.tables[table].indexes[index].columns[0]
    var found: [(value: Value, index: Int)] = []
    tables[table].withRows { rows in
      for index in 0..<rows.count {
        let value = rows[index].value(column)
        if !ValueOrder.precedes(value, lower.values[0]), !ValueOrder.precedes(upper.values[0], value) {
          found.append((value, index))
        }
      }
      found.sort { ValueOrder.precedes($0.value, $1.value) }
      for (_, index) in found { batch.append(rows[index], number: tables[table].numbers[index]) }
    }
  }

  private func unused() -> BolideError { BolideError(.storeUnsupported, "this reader reads rows only") }

  func head() throws(BolideError) -> Mark { throw unused() }
  func metadata(_ key: String) throws(BolideError) -> [UInt8]? { throw unused() }
  func find(
    _ keys: RowBatch, of table: TableID, by index: IndexID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) { throw unused() }
  func count(of table: TableID) throws(BolideError) -> Int { rowCount ?? tables[table].count }
  func links(
    _ link: LinkID, of numbers: [Number], side: LinkSide, after: Link?, limit: Int, into links: inout [Link]
  ) throws(BolideError) { throw unused() }
  func linkCounts(
    _ link: LinkID, of numbers: [Number], side: LinkSide, into counts: inout [Int]
  ) throws(BolideError) { throw unused() }
  func transactions(
    after number: UInt64, limit: Int, into records: inout [TransactionRecord]
  ) throws(BolideError) { throw unused() }
  func transaction(_ number: UInt64) throws(BolideError) -> TransactionRecord? { throw unused() }
  func runs(of transaction: UInt64, into runs: inout [ChangeRun]) throws(BolideError) { throw unused() }
  func tombstones(
    of transaction: UInt64, in table: TableID, after number: Number, limit: Int, into batch: inout RowBatch
  ) throws(BolideError) { throw unused() }
  func historyStart() throws(BolideError) -> Mark { throw unused() }
}

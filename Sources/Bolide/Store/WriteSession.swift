import BolideStorage
import Foundation

/// One write transaction with its change log: every path that writes goes through it, so that history
/// (rule H-2), derived values (rule R-3) and numbers (rule U-1) are kept in one place.
package final class WriteSession {
  package let coordinator: StoreCoordinator
  package let transaction: any WriteTransaction
  package let author: String?
  package let contextName: String?
  package var log = ChangeLog()
  /// The next free number of each table that was written to.
  private var counters: [TableID: (next: Number, stored: Number)] = [:]
  private var tombstones: [TableID: RowBatch] = [:]
  private var before: (any Snapshot)?

  package var map: SchemaMap { coordinator.map }

  /// Rows a call across the contract.
  package static let chunk = 512

  package init(
    _ coordinator: StoreCoordinator, transaction: any WriteTransaction, author: String?, contextName: String?
  ) {
    self.coordinator = coordinator
    self.transaction = transaction
    self.author = author
    self.contextName = contextName
  }

  deinit { before?.close() }

  // MARK: Numbers

  /// The next free number of a table (rule U-1).
  package func nextNumber(_ table: TableID) throws(BolideError) -> Number {
    if let counter = counters[table] { return counter.next }
    let stored = try transaction.metadata(Self.counterKey(map.layout.tables[table].name))
    let next = stored.map { Number(littleEndianBytes: $0) ?? 0 } ?? 1
    // Far from the end, so that adding a count cannot pass it.
    guard (1...Number.max / 4).contains(next) else {
      throw BolideError(
        .storeDamaged, "the next number of \(map.layout.tables[table].name) is \(next), which was never given"
      )
    }
    counters[table] = (next, next)
    return next
  }

  package func use(_ count: Int, of table: TableID) throws(BolideError) -> Range<Number> {
    let first = try nextNumber(table)
    counters[table]?.next = first + Number(count)
    return first..<(first + Number(count))
  }

  /// Where the next number of a table is kept.
  static func counterKey(_ table: String) -> String { "next.\(table)" }

  // MARK: The state before

  /// The committed state that this transaction began on: what a change is compared with (rule U-4).
  package func stateBefore() throws(BolideError) -> any Snapshot {
    if let before { return before }
    let snapshot = try coordinator.store.snapshot()
    before = snapshot
    return snapshot
  }

  // MARK: Rows

  /// Logs rows that now differ in `columns` from the images `current`, which are the stored ones.
  package func logUpdate(_ number: Number, entity: EntityMap, current: RowView, new: RowView)
    throws(BolideError)
  {
    if log.isInserted(number, entity: entity.id) { return }
    if !log.isUpdated(number, entity: entity.id) {
      log.setUpdated(
        number, entity: entity.id, properties: new.differences(from: current), isFirst: true)
      return
    }
    var original = RowBatch(entity.format)
    try stateBefore().rows(
      [number], of: entity.table, columns: .all(entity.format.columnCount), into: &original)
    let differences = original.withRow(at: 0) { new.differences(from: $0) } ?? PropertySet()
    log.setUpdated(number, entity: entity.id, properties: differences, isFirst: false)
  }

  /// The entity of a row: its table may be shared by sub-entities (rule R-5).
  package func entity(of row: RowView, in table: TableID) -> EntityMap { map.entity(of: row, in: table) }

  /// Keeps the preserved attributes of an object that is about to be deleted.
  package func bury(_ row: RowView, number: Number, table: TableID) {
    let layout = map.layout.tables[table]
    guard !layout.preserved.isEmpty else { return }
    let format = layout.tombstoneFormat
    var builder = RowBuilder(format)
    for (place, column) in layout.preserved.enumerated() { builder.set(place, row.value(column)) }
    builder.append(to: &tombstones[table, default: RowBatch(format)], number: number)
  }

  /// Keeps the preserved attributes of objects of a table that has no tombstones from this transaction yet.
  func bury(_ graves: RowBatch, of table: TableID) { tombstones[table] = graves }

  // MARK: The end

  /// Looks for partners that are missing, brings derived values up to date, writes history and commits; rolls back where nothing changed (rule U-5).
  ///
  /// - Returns: the record of the transaction, `nil` where nothing changed, and the state if it was asked for.
  package func commit(pinning: Bool) throws(BolideError) -> CommitOutcome {
    try refuseMissingPartners()
    try refreshDerived()
    guard !log.isEmpty else {
      transaction.rollback()
      return CommitOutcome(record: nil, log: log, snapshot: nil)
    }
    for (table, counter) in counters where counter.next != counter.stored {
      try transaction.setMetadata(
        Self.counterKey(map.layout.tables[table].name), counter.next.littleEndianBytes)
    }
    var record: TransactionRecord?
    if !coordinator.keepsHistory, try transaction.metadata(MetadataKey.history) != Array("off".utf8) {
      // Another opening turned it on meanwhile: consumers would never learn of this write (rule H-9).
      throw BolideError(.historyRequired, "the store keeps history since another program opened it")
    }
    if coordinator.keepsHistory {
      let head = try transaction.head()
      let environment = coordinator.environment
      let next = TransactionRecord(
        mark: Mark(transaction: head.transaction + 1, nonce: environment.nonce()),
        timestamp: environment.now().timeIntervalSinceReferenceDate, author: author,
        contextName: contextName, processName: environment.processName, processID: environment.processID)
      try transaction.append(
        next, runs: coordinator.historyNames.written(log.runs(), map: map), tombstones: buriedRows())
      record = next
    }
    let snapshot = try transaction.commit(pinning: pinning)
    if let record {
      if author == nil {
        coordinator.log?("transaction \(record.mark.transaction) was written without an author")
      }
    } else {
      coordinator.signals.ring()
    }
    return CommitOutcome(record: record, log: log, snapshot: snapshot)
  }

  /// Tombstones of objects that are deletes in the end: one that was inserted here leaves none.
  private func buriedRows() -> [Tombstones] {
    tombstones.sorted { $0.key < $1.key }.compactMap { table, batch in
      var gone = NumberSet()
      for entity in map.entities where entity.table == table {
        gone.formUnion(log.deletedNumbers(of: entity.id))
      }
      var rows = RowBatch(batch.format)
      batch.withRows { views in
        for index in batch.numbers.indices.sorted(by: { batch.numbers[$0] < batch.numbers[$1] })
        where gone.contains(batch.numbers[index]) {
          rows.append(views[index], number: batch.numbers[index])
        }
      }
      return rows.isEmpty ? nil : Tombstones(table: table, rows: rows)
    }
  }
}

/// What came of a write.
package struct CommitOutcome {
  /// The transaction; `nil` where nothing changed or history is off.
  package var record: TransactionRecord?
  /// What it did.
  package var log: ChangeLog
  /// The committed state, if it was asked for and something changed.
  package var snapshot: (any Snapshot)?

  /// Whether something was written.
  package var didWrite: Bool { !log.isEmpty }
}

extension Number {
  init?(littleEndianBytes bytes: [UInt8]) {
    guard bytes.count == 8 else { return nil }
    self = bytes.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(as: Number.self)) }
  }

  var littleEndianBytes: [UInt8] { withUnsafeBytes(of: littleEndian) { [UInt8]($0) } }
}

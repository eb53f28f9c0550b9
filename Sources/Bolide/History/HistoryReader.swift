import BolideStorage
import Foundation

/// Reads history from one state of a store (rules H-3 to H-5).
package struct HistoryReader {
  private let coordinator: StoreCoordinator
  private let reader: any Reader
  /// A number that no object will ever have: a damaged record must not overflow a count.
  private static let end: Number = 1 << 48

  package init(_ coordinator: StoreCoordinator, reader: any Reader) {
    self.coordinator = coordinator
    self.reader = reader
  }

  /// The place after everything that this state holds.
  package func headToken() throws(BolideError) -> PersistentHistoryToken {
    PersistentHistoryToken(storeID: coordinator.storeID, mark: try reader.head())
  }

  /// Runs a request.
  package func run(_ request: PersistentHistoryRequest) throws -> PersistentHistoryResult {
    try request.filter?.verify()
    let head = try headToken()
    var number = try start(of: request.after)
    var found: [PersistentHistoryTransaction] = []
    var scanned = head
    let limit = request.limit ?? .max
    if limit <= 0 {
      // Nothing is looked at, so that the place stays where the request begins.
      guard number < head.number, let place = try mark(of: number, purged: reader.historyStart()) else {
        return PersistentHistoryResult(transactions: [], scannedThrough: head)
      }
      return PersistentHistoryResult(
        transactions: [], scannedThrough: PersistentHistoryToken(storeID: coordinator.storeID, mark: place))
    }
    var records: [TransactionRecord] = []
    search: while number < head.number, found.count < limit {
      records.removeAll(keepingCapacity: true)
      // Without a filter each record read is one found.
      let piece = request.filter == nil ? min(256, limit - found.count) : 256
      try reader.transactions(after: number, limit: piece, into: &records)
      guard let last = records.last else { break }
      for record in records {
        if let filter = request.filter,
          try !filter.mayMatch(transaction(record, changes: PersistentHistoryChanges()))
        {
          continue
        }
        let readsChanges = request.resultType != .transactions || request.filter?.needsChanges == true
        var changes = readsChanges ? try self.changes(of: record) : PersistentHistoryChanges()
        if let filter = request.filter {
          guard let kept = try filter.apply(to: transaction(record, changes: changes)) else { continue }
          changes = kept
        }
        if request.resultType == .transactions { changes = PersistentHistoryChanges() }
        found.append(transaction(record, changes: changes))
        if found.count == limit {
          scanned = coordinator.token(record)
          break search
        }
      }
      number = last.mark.transaction
    }
    return PersistentHistoryResult(transactions: found, scannedThrough: scanned)
  }

  /// The number that an anchor stands for: the transactions wanted come after it.
  private func start(of anchor: PersistentHistoryRequest.Anchor) throws(BolideError) -> UInt64 {
    let purged = try reader.historyStart()
    switch anchor {
    case .start:
      return purged.transaction
    case .number(let number):
      guard number >= purged.transaction else { throw expired(number) }
      return number
    case .token(let token):
      try check(token, purged: purged)
      return token.number
    case .date(let date):
      return try firstLater(than: date.timeIntervalSinceReferenceDate, purged: purged.transaction)
    }
  }

  /// Checks that a token is of this store's past and that what follows it is still there (rule H-5).
  package func check(_ token: PersistentHistoryToken) throws(BolideError) {
    try check(token, purged: try reader.historyStart())
  }

  private func check(_ token: PersistentHistoryToken, purged: Mark) throws(BolideError) {
    guard token.storeID == coordinator.storeID else {
      throw BolideError(
        .historyForeign, "the token is of the store \(token.storeID.uuidString.lowercased())")
    }
    let head = try reader.head()
    guard token.number <= head.transaction else {
      throw BolideError(
        .historyDiverged, "the token is at transaction \(token.number), the store at \(head.transaction)")
    }
    if token.number < purged.transaction { throw expired(token.number) }
    guard try mark(of: token.number, purged: purged)?.nonce == token.nonce else {
      throw BolideError(.historyDiverged, "transaction \(token.number) of this store is another one")
    }
  }

  /// The mark of a transaction that is there, was the last to be purged, or is the start; `nil` for another one.
  private func mark(of number: UInt64, purged: Mark) throws(BolideError) -> Mark? {
    if number == 0 { return .start }
    return number == purged.transaction ? purged : try reader.transaction(number)?.mark
  }

  private func expired(_ number: UInt64) -> BolideError {
    BolideError(.historyExpired, "the history after transaction \(number) was purged")
  }

  /// The number before the first transaction later than a date (rule H-4): the clock may have been set back, so that
  /// every transaction before it is looked at.
  private func firstLater(than date: Double, purged: UInt64) throws(BolideError) -> UInt64 {
    var number = purged
    var records: [TransactionRecord] = []
    while true {
      records.removeAll(keepingCapacity: true)
      try reader.transactions(after: number, limit: 1024, into: &records)
      guard let last = records.last else { return number }
      if let first = records.first(where: { $0.timestamp > date }) { return first.mark.transaction - 1 }
      number = last.mark.transaction
    }
  }

  /// The last of the longest run from the start in which every transaction is earlier than a date (rule H-4).
  package func lastBefore(_ date: Date) throws(BolideError) -> UInt64 {
    var last = try reader.historyStart().transaction
    var records: [TransactionRecord] = []
    repeat {
      records.removeAll(keepingCapacity: true)
      try reader.transactions(after: last, limit: 1024, into: &records)
      for record in records {
        if record.timestamp >= date.timeIntervalSinceReferenceDate { return last }
        last = record.mark.transaction
      }
    } while !records.isEmpty
    return last
  }

  private func transaction(
    _ record: TransactionRecord, changes: PersistentHistoryChanges
  ) -> PersistentHistoryTransaction {
    PersistentHistoryTransaction(
      number: record.mark.transaction, token: coordinator.token(record),
      timestamp: Date(timeIntervalSinceReferenceDate: record.timestamp), author: record.author,
      contextName: record.contextName, processName: record.processName, processID: record.processID,
      storeID: coordinator.storeID, changes: changes)
  }

  /// The changes of a transaction, by entity name, then number (rule H-2).
  package func changes(of record: TransactionRecord) throws(BolideError) -> PersistentHistoryChanges {
    var runs: [ChangeRun] = []
    try reader.runs(of: record.mark.transaction, into: &runs)
    var parts: [(heading: PersistentHistoryChanges.Heading, numbers: [ClosedRange<Number>])] = []
    var buried: [TableID: [Number: [String: Value]]] = [:]
    var total: Number = 0
    for run in runs {
      guard let id = coordinator.historyNames.entity(run) else {
        if record.mark.transaction <= coordinator.historyNames.through { continue }
        throw BolideError(
          .storeDamaged, "transaction \(record.mark.transaction) names an entity that the schema lacks")
      }
      for range in run.numbers {
        guard range.lowerBound > 0, range.upperBound < Self.end - total else {
          throw BolideError(
            .storeDamaged, "transaction \(record.mark.transaction) names objects that cannot be")
        }
        total += range.upperBound - range.lowerBound + 1
      }
      let entity = coordinator.map.entities[id]
      let names = coordinator.historyNames.properties(run, of: entity.table)
      if run.kind == .delete, buried[entity.table] == nil {
        buried[entity.table] = try tombstones(of: record.mark.transaction, in: entity.table)
      }
      let heading = PersistentHistoryChanges.Heading(
        storeID: coordinator.storeID, entityName: entity.name, kind: run.kind, updatedProperties: names,
        tombstones: run.kind == .delete ? buried[entity.table] ?? [:] : [:])
      parts.append((heading, run.numbers))
    }
    return PersistentHistoryChanges(parts)
  }

  private func tombstones(of transaction: UInt64, in table: TableID) throws(BolideError) -> [Number: [String:
    Value]]
  {
    let layout = coordinator.map.layout.tables[table]
    if layout.preserved.isEmpty { return [:] }
    var result: [Number: [String: Value]] = [:]
    var rows = RowBatch(layout.tombstoneFormat)
    var last: Number = 0
    repeat {
      rows.removeAll()
      try reader.tombstones(of: transaction, in: table, after: last, limit: 1024, into: &rows)
      rows.withRows { views in
        for index in 0..<views.count {
          var values: [String: Value] = [:]
          for (place, column) in layout.preserved.enumerated() where !views[index].isNil(place) {
            values[layout.columns[column].name] = views[index].value(place)
          }
          result[rows.numbers[index]] = values
        }
      }
      last = rows.numbers.last ?? last
    } while rows.count == 1024
    return result
  }
}

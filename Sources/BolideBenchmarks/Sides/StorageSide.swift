import BolideStorage
import CComparators
import Foundation

/// The storage contract alone, without rules: what the layer above could reach at best.
final class StorageSide: Side {
  let store: any OpenStore
  let columns: QuakeColumns
  let format: RowFormat
  private var nextNumber: Number = 1

  static let table: TableID = 0
  static let byCode: IndexID = 0
  static let byMagnitude: IndexID = 1
  static let byTime: IndexID = 2
  static let chunk = 512

  init(_ backend: any Backend, path: String) throws {
    let names = QuakeColumns.names
    let columns = QuakeColumns { name in names.firstIndex(of: name) ?? 0 }
    let table = TableLayout(
      name: "Quake", columns: names.map { ColumnLayout(name: $0, type: QuakeColumns.type($0)) },
      indexes: [
        IndexLayout(name: "code", columns: [columns.code], isUnique: true),
        IndexLayout(name: "magnitude", columns: [columns.magnitude], isUnique: false),
        IndexLayout(name: "time", columns: [columns.time], isUnique: false),
      ], properties: names, preserved: [])
    let layout = Layout(tables: [table], links: [], entities: [EntityLayout(name: "Quake", table: 0)])
    self.columns = columns
    format = table.format
    store = try backend.open(Location(path: path), layout: layout, options: OpenOptions())
  }

  var all: ColumnSet { .all(format.columnCount) }

  /// Runs one write transaction and commits it with history, if it did something.
  private func write(_ body: (any WriteTransaction, inout [ChangeRun]) throws -> Void) throws {
    let transaction = try store.begin(until: .now + .seconds(5))
    var runs: [ChangeRun] = []
    do {
      try body(transaction, &runs)
      if !runs.isEmpty {
        let mark = Mark(transaction: try transaction.head().transaction + 1, nonce: 1)
        let record = TransactionRecord(
          mark: mark, timestamp: 0, author: "bench", contextName: nil, processName: "bench", processID: 1)
        try transaction.append(record, runs: runs, tombstones: [])
      }
      _ = try transaction.commit(pinning: false)
    } catch {
      transaction.rollback()
      throw error
    }
  }

  private func run(_ kind: ChangeKind, _ properties: PropertySet, _ numbers: [Number]) -> ChangeRun {
    var ranges: [ClosedRange<Number>] = []
    for number in numbers.sorted() {
      if let last = ranges.last, last.upperBound + 1 == number {
        ranges[ranges.count - 1] = last.lowerBound...number
      } else {
        ranges.append(number...number)
      }
    }
    return ChangeRun(entity: 0, kind: kind, properties: properties, numbers: ranges)
  }

  private func cut(_ run: ChangeRun) -> [ChangeRun] {
    stride(from: 0, to: run.numbers.count, by: ChangeRun.rangeLimit).map { start in
      var piece = run
      piece.numbers = Array(run.numbers[start..<min(start + ChangeRun.rangeLimit, run.numbers.count)])
      return piece
    }
  }

  /// Insert if absent; rows whose key is taken are compared with what is stored and updated where they differ.
  private func importRecords(
    _ count: Int, _ fill: (Int, inout RowBuilder) -> Void
  ) throws -> Timing {
    let start = cmp_start()
    try write { transaction, runs in
      let first = nextNumber
      var builder = RowBuilder(format)
      var batch = RowBatch(format)
      var taken: [Taken] = []
      var stored = RowBatch(format)
      var changed: [ColumnSet: [Number]] = [:]
      // Where most keys are stored already, looking for them first saves an insert that comes to nothing.
      var isMostlyStored = try transaction.count(of: Self.table) > 0
      for chunkStart in stride(from: 0, to: count, by: Self.chunk) {
        batch.removeAll()
        taken.removeAll(keepingCapacity: true)
        for index in chunkStart..<min(chunkStart + Self.chunk, count) {
          builder.clear()
          fill(index, &builder)
          builder.append(to: &batch)
        }
        if isMostlyStored {
          stored.removeAll()
          try transaction.find(batch, of: Self.table, by: Self.byCode, columns: all, into: &stored)
        }
        let absent = isMostlyStored ? try merge(batch, stored, transaction, &changed) : batch
        let inserted = absent.isEmpty ? 0 : try insert(absent, transaction, &taken)
        nextNumber += Number(inserted)
        isMostlyStored = inserted * 2 < batch.count
        if !taken.isEmpty {
          var rest = RowBatch(format)
          batch.withRows { rows in for entry in taken { rest.append(rows[entry.row], number: 0) } }
          stored.removeAll()
          try transaction.rows(taken.map(\.holder), of: Self.table, columns: all, into: &stored)
          _ = try merge(rest, stored, transaction, &changed)
        }
      }
      if nextNumber > first {
        runs.append(
          ChangeRun(entity: 0, kind: .insert, properties: .init(), numbers: [first...nextNumber - 1]))
        try transaction.setMetadata("next", Array(String(nextNumber).utf8))
      }
      for (properties, numbers) in changed { runs += cut(run(.update, properties, numbers)) }
    }
    return Timing(seconds: cmp_stop(start), rows: count)
  }

  private func insert(
    _ batch: RowBatch, _ transaction: any WriteTransaction, _ taken: inout [Taken]
  ) throws -> Int {
    taken.removeAll(keepingCapacity: true)
    return try transaction.insert(batch, of: Self.table, numberedFrom: nextNumber, taken: &taken)
  }

  /// Updates what differs from the stored rows, entry by entry, and gives back what has no stored row.
  private func merge(
    _ batch: RowBatch, _ stored: RowBatch, _ transaction: any WriteTransaction,
    _ changed: inout [ColumnSet: [Number]]
  ) throws -> RowBatch {
    var absent = RowBatch(format)
    var updates = RowBatch(format)
    var touched = ColumnSet()
    batch.withRows { new in
      stored.withRows { old in
        for place in 0..<new.count {
          guard old.isPresent(place) else {
            absent.append(new[place], number: 0)
            continue
          }
          if new[place].isEqual(to: old[place]) { continue }
          let differences = new[place].differences(from: old[place])
          updates.append(new[place], number: stored.numbers[place])
          touched.formUnion(differences)
          changed[differences, default: []].append(stored.numbers[place])
        }
      }
    }
    if !updates.isEmpty {
      var refused: [Taken] = []
      try transaction.update(updates, of: Self.table, columns: touched, taken: &refused)
    }
    return absent
  }

  func importRecords(_ records: RecordSet) throws -> Timing {
    try importRecords(records.count) { columns.fill(&$1, records.records[$0]) }
  }

  func importStream(_ generator: QuakeGenerator, rows: Int) throws -> Timing {
    let arena = Arena()
    var quake = cmp_quake()
    return try importRecords(rows) { index, builder in
      if index.isMultiple(of: Self.chunk) { arena.reset() }
      generator.fill(&quake, index: index, changed: false, arena: arena)
      columns.fill(&builder, quake)
    }
  }

  private func read<Result>(_ body: (any Snapshot) throws -> Result) throws -> Result {
    let snapshot = try store.snapshot()
    defer { snapshot.close() }
    return try body(snapshot)
  }

  func pages(before times: [Double], magnitude: Double, limit: Int) throws -> Timing {
    let start = cmp_start()
    var hash: UInt64 = 0
    var batch = RowBatch(format)
    for time in times {
      try read { snapshot in
        let bound = KeyRange.Bound(
          [.date(Date(timeIntervalSinceReferenceDate: time))], isInclusive: false)
        let range = KeyRange.index(Self.byTime, lower: nil, upper: bound)
        var place: Place?
        var found = 0
        repeat {
          batch.removeAll()
          try snapshot.scan(
            range, of: Self.table, backwards: true, from: &place, limit: 256, columns: all, into: &batch)
          batch.withRows { rows in
            for index in 0..<rows.count where found < limit {
              guard rows[index].double(columns.magnitude) >= magnitude else { continue }
              hash = cmp_mix(hash, columns.hash(rows[index]))
              found += 1
            }
          }
        } while place != nil && found < limit
      }
    }
    return Timing(seconds: cmp_stop(start), rows: times.count, checksum: hash)
  }

  func lookup(_ codes: [cmp_text]) throws -> Timing {
    let start = cmp_start()
    var hash: UInt64 = 0
    var builder = RowBuilder(format)
    var keys = RowBatch(format)
    var batch = RowBatch(format)
    for code in codes {
      try read { snapshot in
        builder.clear()
        builder.set(columns.code, utf8: UnsafeRawBufferPointer(code.buffer))
        keys.removeAll()
        builder.append(to: &keys)
        batch.removeAll()
        try snapshot.find(keys, of: Self.table, by: Self.byCode, columns: all, into: &batch)
        batch.withRow(at: 0) { hash = cmp_mix(hash, columns.hash($0)) }
      }
    }
    return Timing(seconds: cmp_stop(start), rows: codes.count, checksum: hash)
  }

  /// Walks a range chunk by chunk.
  private func walk(
    _ range: KeyRange, _ reader: any Reader, columns: ColumnSet, _ body: (RowBatch) throws -> Void
  ) throws {
    var batch = RowBatch(format)
    var place: Place?
    repeat {
      batch.removeAll()
      try reader.scan(
        range, of: Self.table, backwards: false, from: &place, limit: Self.chunk, columns: columns,
        into: &batch)
      try body(batch)
    } while place != nil
  }

  func sorted(asObjects: Bool) throws -> Timing {
    let start = cmp_start()
    var hash: UInt64 = 0
    var count = 0
    try read { snapshot in
      try walk(.index(Self.byMagnitude, lower: nil, upper: nil), snapshot, columns: all) { batch in
        batch.withRows { rows in
          for index in 0..<rows.count { hash = cmp_mix(hash, columns.hash(rows[index])) }
        }
        count += batch.count
      }
    }
    return Timing(seconds: cmp_stop(start), rows: count, checksum: hash)
  }

  func update(significanceBelow bound: Int64, felt: Int64) throws -> Timing {
    let start = cmp_start()
    var count = 0
    try write { transaction, runs in
      var builder = RowBuilder(format)
      var updates = RowBatch(format)
      var numbers: [Number] = []
      var refused: [Taken] = []
      let touched = ColumnSet([columns.felt])
      try walk(.all, transaction, columns: all) { batch in
        updates.removeAll()
        batch.withRows { rows in
          for index in 0..<rows.count where rows[index].int(columns.significance) < bound {
            builder.load(rows[index])
            builder.set(columns.felt, int: felt)
            builder.append(to: &updates, number: batch.numbers[index])
          }
        }
        try transaction.update(updates, of: Self.table, columns: touched, taken: &refused)
        numbers += updates.numbers
      }
      count = numbers.count
      runs += cut(run(.update, touched, numbers))
    }
    return Timing(seconds: cmp_stop(start), rows: count)
  }

  func delete(significanceBelow bound: Int64) throws -> Timing {
    let start = cmp_start()
    var count = 0
    try write { transaction, runs in
      var all: [Number] = []
      try walk(.all, transaction, columns: ColumnSet([columns.significance])) { batch in
        var numbers: [Number] = []
        batch.withRows { rows in
          for index in 0..<rows.count where rows[index].int(columns.significance) < bound {
            numbers.append(batch.numbers[index])
          }
        }
        try transaction.delete(numbers, of: Self.table)
        all += numbers
      }
      count = all.count
      runs += cut(run(.delete, .init(), all))
    }
    return Timing(seconds: cmp_stop(start), rows: count)
  }

  func changes() throws -> Timing {
    let start = cmp_start()
    var hash: UInt64 = 0
    var count = 0
    try read { snapshot in
      var records: [TransactionRecord] = []
      try snapshot.transactions(after: 0, limit: .max, into: &records)
      for record in records {
        var runs: [ChangeRun] = []
        try snapshot.runs(of: record.mark.transaction, into: &runs)
        for run in runs {
          for range in run.numbers {
            for number in range {
              hash = cmp_mix(cmp_mix(hash, UInt64(number)), UInt64(run.kind.rawValue))
            }
            count += range.count
          }
        }
      }
    }
    return Timing(seconds: cmp_stop(start), rows: count, checksum: hash)
  }

  func copy(to path: String, times: Int) throws -> Timing {
    var total = Timing(seconds: 0, rows: times)
    for turn in 0..<times {
      let place = turn == 0 ? path : "\(path)-\(turn)"
      let start = cmp_start()
      let fork = try store.fork(to: Location(path: place))
      total.seconds += cmp_stop(start)
      if total.checksum == 0 { total.checksum = try content(of: fork) }
      try fork.close()
    }
    return total
  }

  func content() throws -> UInt64 { try content(of: store) }

  private func content(of store: any OpenStore) throws -> UInt64 {
    let snapshot = try store.snapshot()
    defer { snapshot.close() }
    var sum: UInt64 = 0
    try walk(.all, snapshot, columns: all) { batch in
      batch.withRows { rows in
        for index in 0..<rows.count { sum &+= columns.hash(rows[index]) }
      }
    }
    return sum
  }

  func close() throws { try store.close() }
}

import BolideStorage

extension Conformance {
  /// History: transactions, runs, tombstones.
  static var historyCases: [CaseDefinition] {
    [
      CaseDefinition(
        "storage/history-append-and-read", "Transactions come back as written, oldest first, after a number.",
        rules: ["H-1", "H-2"]
      ) { stage in
        let store = try stage.open(ContractLayout.layout)
        try store.read { snapshot in
          try checkEqual(try snapshot.head(), .start, "head of a new store")
          try checkEqual(try snapshot.historyStart(), .start, "start of a new store's history")
        }
        let entries = (1...12).map { entry($0) }
        for entry in entries { try append(entry, to: store) }
        try store.read { snapshot in
          try checkEqual(try snapshot.head(), entries[11].record.mark, "head")
          for (after, limit) in [(0, 100), (0, 5), (5, 3), (11, 1), (12, 5), (100, 5)] {
            var records: [TransactionRecord] = []
            try snapshot.transactions(after: UInt64(after), limit: limit, into: &records)
            let expected = entries.dropFirst(after).prefix(limit).map(\.record)
            try checkEqual(records, expected, "at most \(limit) transactions after \(after)")
          }
          for entry in entries {
            let number = entry.record.mark.transaction
            try checkEqual(try snapshot.transaction(number), entry.record, "transaction \(number)")
            try checkEqual(try runs(of: number, in: snapshot), Set(entry.runs), "runs of \(number)")
          }
          try checkEqual(try snapshot.transaction(13), nil, "a transaction that is not there")
          try checkEqual(try runs(of: 13, in: snapshot), [], "runs of a transaction that is not there")
        }
      },
      CaseDefinition(
        "storage/history-runs-of-any-size", "Runs keep every range and every property, however many.",
        rules: ["H-2"]
      ) { stage in
        let store = try stage.open(ContractLayout.layout)
        let scattered = (1...Number(ChangeRun.rangeLimit)).map { ($0 * 3)...($0 * 3 + $0 % 2) }
        let wide = ChangeRun(
          entity: 0, kind: .update, properties: PropertySet([0, 5, 63, 64, 130]),
          numbers: [1...1, 5...5, 1_000_000_000_000...Number.max])
        let full = ChangeRun(entity: 1, kind: .delete, properties: PropertySet(), numbers: scattered)
        try append(HistoryEntry(record: entry(1).record, runs: [wide, full]), to: store)
        try store.read { snapshot in
          try checkEqual(try runs(of: 1, in: snapshot), [wide, full], "runs")
        }
      },
      CaseDefinition(
        "storage/history-drop", "The oldest transactions can be dropped in steps; the head stays.",
        rules: ["H-4", "U-1"]
      ) { stage in
        let store = try stage.open(ContractLayout.layout)
        for number in 1...10 { try append(entry(number), to: store) }
        var steps = 0
        var more = true
        while more {
          more = try store.write { try $0.dropHistory(through: 7, limit: 3) }
          steps += 1
          try check(steps <= 4, "dropping 7 transactions by 3 does not end")
        }
        try checkEqual(steps, 3, "steps to drop 7 transactions by 3")
        try store.read { snapshot in
          var records: [TransactionRecord] = []
          try snapshot.transactions(after: 0, limit: 100, into: &records)
          try checkEqual(records.map(\.mark.transaction), [8, 9, 10], "transactions left")
          try checkEqual(try snapshot.historyStart(), entry(7).record.mark, "the newest dropped transaction")
          try checkEqual(try snapshot.transaction(7), nil, "a dropped transaction")
          try checkEqual(try runs(of: 7, in: snapshot), [], "runs of a dropped transaction")
          try checkEqual(try tombstones(of: 7, in: snapshot).count, 0, "tombstones of a dropped transaction")
          try checkEqual(try runs(of: 8, in: snapshot), Set(entry(8).runs), "runs of one that is left")
        }
        try checkEqual(
          try store.write { try $0.dropHistory(through: 10, limit: 100) }, false, "more after dropping all")
        try store.read { try checkEqual(try $0.head(), entry(10).record.mark, "head after dropping all") }
        try append(entry(11), to: store)
        try store.read { snapshot in
          try checkEqual(try snapshot.head(), entry(11).record.mark, "head after going on")
          try checkEqual(try snapshot.historyStart(), entry(10).record.mark, "start after going on")
        }
      },
      CaseDefinition(
        "storage/tombstones", "Deleted rows leave their preserved columns, by transaction and table.",
        rules: ["H-2"]
      ) { stage in
        let store = try stage.open(ContractLayout.layout)
        let format = ContractLayout.quake.tombstoneFormat
        var rows = RowBatch(format)
        var builder = RowBuilder(format)
        for number in 1...30 {
          builder.clear()
          if number % 3 != 0 { builder.set(0, .string("code \(number)")) }
          builder.set(1, .double(Double(number)))
          builder.append(to: &rows, number: Number(number * 2))
        }
        let transaction = entry(1)
        try store.write { write in
          try write.append(
            transaction.record, runs: transaction.runs, tombstones: [Tombstones(table: 0, rows: rows)])
        }
        try append(entry(2), to: store)
        try store.read { snapshot in
          let read = try tombstones(of: 1, in: snapshot)
          try checkEqual(read.numbers, rows.numbers, "numbers of tombstones")
          for index in rows.numbers.indices {
            try checkEqual(
              read.withRow(at: index) { [UInt8]($0.bytes) }, rows.withRow(at: index) { [UInt8]($0.bytes) },
              "tombstone of \(rows.numbers[index])")
          }
          var some = RowBatch(format)
          try snapshot.tombstones(of: 1, in: 0, after: 10, limit: 4, into: &some)
          try checkEqual(some.numbers, [12, 14, 16, 18], "four tombstones after 10")
          try checkEqual(try tombstones(of: 2, in: snapshot).count, 0, "tombstones of a transaction without")
          var none = RowBatch(ContractLayout.group.tombstoneFormat)
          try snapshot.tombstones(of: 1, in: 1, after: 0, limit: 4, into: &none)
          try checkEqual(none.count, 0, "tombstones of another table")
        }
      },
      CaseDefinition(
        "storage/tombstones-any-name", "Preserved columns may have the names that a store uses itself.",
        rules: ["H-2"]
      ) { stage in
        let names = ["transaction", "Transaction", "number", "_number", "bolide_transaction"]
        let table = TableLayout(
          name: "transaction", columns: names.map { ColumnLayout(name: $0, type: .string) }, indexes: [],
          properties: names, preserved: Array(names.indices))
        let entities = [EntityLayout(name: "transaction", table: 0)]
        let store = try stage.open(Layout(tables: [table], links: [], entities: entities))
        let probe = TableProbe(0, table)
        try store.write { try probe.insert([names.map { .string("row " + $0) }], from: 1, in: $0) }
        try checkEqual(
          try store.read { try probe.consistentRows(in: $0) }.map(\.values),
          [names.map { .string("row " + $0) }], "rows")
        var rows = RowBatch(table.tombstoneFormat)
        var builder = RowBuilder(table.tombstoneFormat)
        for column in names.indices { builder.set(column, .string(names[column])) }
        builder.append(to: &rows, number: 7)
        try store.write { write in
          try write.append(
            entry(1).record,
            runs: [
              ChangeRun(entity: 0, kind: .delete, properties: PropertySet(), numbers: [7...7])
            ], tombstones: [Tombstones(table: 0, rows: rows)])
        }
        var read = RowBatch(table.tombstoneFormat)
        try store.read { try $0.tombstones(of: 1, in: 0, after: 0, limit: 10, into: &read) }
        try checkEqual(read.numbers, [7], "numbers of tombstones")
        let values = read.withRow(at: 0) { row in names.indices.map { row.value($0) } }
        try checkEqual(values, names.map { .string($0) }, "what they keep")
      },
    ]
  }

  /// Metadata.
  static var metadataCases: [CaseDefinition] {
    [
      CaseDefinition(
        "storage/metadata", "Bytes are kept under keys, replaced and removed, in the transaction."
      ) {
        stage in
        let store = try stage.open(ContractLayout.layout)
        let long = [UInt8](repeating: 7, count: 100_000)
        try store.write { transaction in
          try transaction.setMetadata("a", [1, 2, 3])
          try transaction.setMetadata("empty", [])
          try transaction.setMetadata("schlüssel/long", long)
          try checkEqual(try transaction.metadata("a"), [1, 2, 3], "own write")
        }
        try store.read { snapshot in
          try checkEqual(try snapshot.metadata("a"), [1, 2, 3], "a")
          try checkEqual(try snapshot.metadata("empty"), [], "no bytes are bytes")
          try checkEqual(try snapshot.metadata("schlüssel/long"), long, "a long value")
          try checkEqual(try snapshot.metadata("b"), nil, "a key that is not there")
        }
        try store.write { transaction in
          try transaction.setMetadata("a", [4])
          try transaction.setMetadata("empty", nil)
          try transaction.setMetadata("never", nil)
        }
        try store.read { snapshot in
          try checkEqual(try snapshot.metadata("a"), [4], "a, replaced")
          try checkEqual(try snapshot.metadata("empty"), nil, "a key removed")
        }
      }
    ]
  }

  /// An invented transaction; every third has neither author nor context name.
  static func entry(_ number: Int) -> HistoryEntry {
    let bits = UInt64(number)
    let record = TransactionRecord(
      mark: Mark(transaction: bits, nonce: bits &* 0x9E37_79B9_7F4A_7C15 | 1 << 63),
      timestamp: 700_000_000.25 + Double(number),
      author: number % 3 == 0 ? nil : number % 3 == 1 ? "" : "é \(number)",
      contextName: number % 3 == 0 ? nil : "context \(number)", processName: "suite", processID: Int64(number)
    )
    let first = Number(number * 10)
    return HistoryEntry(
      record: record,
      runs: [
        ChangeRun(entity: 0, kind: .insert, properties: PropertySet(), numbers: [first...(first + 5)]),
        ChangeRun(entity: 0, kind: .update, properties: PropertySet([3]), numbers: [1...2, 4...4]),
        ChangeRun(entity: 1, kind: .update, properties: PropertySet([0, 1]), numbers: [7...7]),
      ])
  }

  static func append(_ entry: HistoryEntry, to store: any OpenStore) throws {
    try store.write { try $0.append(entry.record, runs: entry.runs, tombstones: []) }
  }

  static func runs(of number: UInt64, in reader: any Reader) throws -> Set<ChangeRun> {
    var runs: [ChangeRun] = []
    try reader.runs(of: number, into: &runs)
    try checkEqual(Set(runs).count, runs.count, "runs, each once")
    return Set(runs)
  }

  private static func tombstones(of number: UInt64, in reader: any Reader) throws -> RowBatch {
    var batch = RowBatch(ContractLayout.quake.tombstoneFormat)
    try reader.tombstones(of: number, in: 0, after: 0, limit: 1000, into: &batch)
    return batch
  }
}

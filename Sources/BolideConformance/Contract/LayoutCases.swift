import BolideStorage

extension Conformance {
  /// Changing the layout.
  static var layoutCases: [CaseDefinition] {
    [
      CaseDefinition(
        "storage/layout-grows", "New columns are nil, new indexes complete, new tables and links empty."
      ) {
        stage in
        let location = try stage.makeLocation()
        let store = try stage.open(location, layout: ContractLayout.layout)
        try fill(store)
        let before = try store.read { try Contents($0) }
        let old = try store.snapshot()
        defer { old.close() }
        let grown = grownLayout
        let quakes = TableProbe(0, grown.tables[0])
        try store.write { transaction in
          try transaction.change(grown)
          let rows = try quakes.consistentRows(in: transaction)
          try checkEqual(rows.map { $0.values[6] }, rows.map { _ in .null }, "the new column")
          let filled = rows.map { row in
            Record(number: row.number, values: row.values.dropLast() + [.int(row.number * 2)])
          }
          try checkEqual(try quakes.update(filled, columns: [6], in: transaction), [], "taken keys")
        }
        try checkEqual(store.layout, grown, "layout")
        try checkEqual(try Contents(old), before, "the snapshot from before the change")
        try store.write { transaction in
          try TableProbe(3, grown.tables[3]).insert([[.string("note")]], from: 1, in: transaction)
          var added: [Bool] = []
          try transaction.link(1, [Link(from: 1, to: 1)], added: &added)
          try checkEqual(added, [true], "a link in the new table")
        }
        try store.close()
        let again = try stage.open(location, layout: ContractLayout.layout)
        try checkEqual(again.layout, grown, "layout after reopening")
        try again.read { snapshot in
          let rows = try quakes.consistentRows(in: snapshot)
          try checkEqual(rows.map { Array($0.values.dropLast()) }, before.quakes.map(\.values), "old columns")
          try checkEqual(rows.map { $0.values[6] }, rows.map { .int($0.number * 2) }, "the filled column")
          try checkEqual(
            try links(of: rows.map(\.number), .forward, in: snapshot), before.links, "links")
        }
      },
      CaseDefinition(
        "storage/layout-shrinks",
        "Columns, indexes, tables and links are matched by name; what is gone is gone."
      ) {
        stage in
        let store = try stage.open(ContractLayout.layout)
        try fill(store)
        let before = try store.read { try Contents($0) }
        let shrunken = shrunkenLayout
        try store.write { try $0.change(shrunken) }
        try checkEqual(store.layout, shrunken, "layout")
        // Groups are first now, and quakes have lost their first two columns and swapped two others.
        let groups = TableProbe(0, shrunken.tables[0])
        let quakes = TableProbe(1, shrunken.tables[1])
        try store.read { snapshot in
          try checkEqual(try groups.consistentRows(in: snapshot), before.groups, "groups")
          let expected = before.quakes.map { row in
            Record(number: row.number, values: [2, 4, 3, 5].map { row.values[$0] })
          }
          try checkEqual(try quakes.consistentRows(in: snapshot), expected, "quakes")
          try checkEqual(try snapshot.head(), before.head, "head")
        }
        try store.write { try quakes.insert([[.int(1), .null, .null, .null]], from: 201, in: $0) }
      },
      CaseDefinition(
        "storage/layout-unique-refused", "A new unique index that rows break is refused, with who breaks it.",
        rules: ["U-7"]
      ) { stage in
        let store = try stage.open(ContractLayout.layout)
        try store.write { transaction in
          try ContractLayout.quakes.insert(
            [("a", "x"), ("b", "y"), ("c", nil), ("d", nil), ("e", "x")].map { quake($0.0, place: $0.1) },
            from: 1, in: transaction)
        }
        var layout = ContractLayout.layout
        layout.epoch += 1
        layout.tables[0].indexes.append(IndexLayout(name: "place", columns: [5], isUnique: true))
        let error = try checkThrows(label: "a unique index on places") {
          try store.write { try $0.change(layout) }
        }
        let taken = try checkPresent(error.payload as? [Taken], "the error's payload")
        try checkEqual(taken, [Taken(row: 5, index: 4, holder: 1)], "rows that break the index, and holders")
        try checkEqual(store.layout, ContractLayout.layout, "layout after the refusal")
        try checkEqual(
          try store.read { try ContractLayout.quakes.consistentRows(in: $0) }.count, 5, "rows after it")
        try store.write { try $0.delete([5], of: 0) }
        try store.write { try $0.change(layout) }
        let quakes = TableProbe(0, layout.tables[0])
        try store.write { transaction in
          let taken = try quakes.insertTaken(
            [quake("f", place: "y")], from: 6, in: transaction, expecting: 0)
          try checkEqual(taken, [Taken(row: 0, index: 4, holder: 2)], "taken keys")
        }
      },
      CaseDefinition(
        "storage/layout-unique-refused-first",
        "Of several new unique indexes that rows break the first is named, with a hundred rows at most.",
        rules: ["U-7"]
      ) { stage in
        let store = try stage.open(ContractLayout.layout)
        try store.write { transaction in
          try ContractLayout.quakes.insert(
            (1...150).map { quake("\($0)", magnitude: 1, place: "\(min($0, 119))") }, from: 1, in: transaction
          )
        }
        let place = IndexLayout(name: "place", columns: [5], isUnique: true)
        let size = IndexLayout(name: "size", columns: [3], isUnique: true)
        func taken(by indexes: [IndexLayout]) throws -> [Taken]? {
          var layout = ContractLayout.layout
          layout.epoch += 1
          layout.tables[0].indexes += indexes
          let error = try checkThrows(label: "unique indexes that rows break") {
            try store.write { try $0.change(layout) }
          }
          return error.payload as? [Taken]
        }
        try checkEqual(
          try taken(by: [place, size]), (120...150).map { Taken(row: $0, index: 4, holder: 119) },
          "rows of the first index, though rows before them break the second")
        try checkEqual(
          try taken(by: [size, place]), (2...101).map { Taken(row: $0, index: 4, holder: 1) },
          "a hundred of 149 rows")
        try checkEqual(
          try store.read { try ContractLayout.quakes.consistentRows(in: $0) }.count, 150, "rows after it")
      },
      CaseDefinition("storage/layout-rolled-back", "A change that is rolled back changes nothing.") { stage in
        let store = try stage.open(ContractLayout.layout)
        try fill(store)
        let before = try store.read { try Contents($0) }
        for layout in [grownLayout, shrunkenLayout] {
          let transaction = try store.begin(until: .now + .seconds(20))
          try transaction.change(layout)
          transaction.rollback()
          try checkEqual(store.layout, ContractLayout.layout, "layout")
          try checkEqual(try store.read { try Contents($0) }, before, "contents")
        }
      },
      CaseDefinition(
        "storage/layout-renumbers-history",
        "Runs follow their entities by name to new ids; those of an entity that is gone do not come back with its name.",
        rules: ["H-2", "U-11"]
      ) { stage in
        let store = try stage.open(ContractLayout.layout)
        let record = TransactionRecord(
          mark: Mark(transaction: 1, nonce: 9), timestamp: 1, author: nil, contextName: nil, processName: "p",
          processID: 1)
        let count = ContractLayout.layout.entities.count
        let written = (0..<count).map {
          ChangeRun(entity: $0, kind: .insert, properties: PropertySet(), numbers: [1...Number($0 + 1)])
        }
        try store.write { try $0.append(record, runs: written, tombstones: []) }
        var layout = ContractLayout.layout
        layout.epoch += 1
        layout.entities = layout.entities.dropFirst().reversed()
        try store.write { try $0.change(layout) }
        func stored() throws -> [Int: ChangeRun] {
          try store.read { snapshot in
            var runs: [ChangeRun] = []
            try snapshot.runs(of: 1, into: &runs)
            return Dictionary(runs.map { ($0.entity, $0) }, uniquingKeysWith: { first, _ in first })
          }
        }
        let expected = written.dropFirst().reversed().enumerated().map { id, run in
          ChangeRun(entity: id, kind: run.kind, properties: run.properties, numbers: run.numbers)
        }
        try checkEqual(try stored().sorted { $0.key < $1.key }.map(\.value), expected, "runs by new ids")
        layout.epoch += 1
        layout.entities.append(ContractLayout.layout.entities[0])
        try store.write { try $0.change(layout) }
        try checkEqual(
          try stored().sorted { $0.key < $1.key }.map(\.value), expected, "runs once the name is back")
        try checkEqual(try store.read { try $0.head() }, record.mark, "head")
      },
      CaseDefinition("storage/layout-type-kept", "A column's type does not change: that is a misuse.") {
        stage in
        let store = try stage.open(ContractLayout.layout)
        try fill(store)
        var layout = ContractLayout.layout
        layout.epoch += 1
        layout.tables[0].columns[3].type = .string
        try checkThrows(.storeMisuse, label: "changing a type") { try store.write { try $0.change(layout) } }
        try checkEqual(store.layout, ContractLayout.layout, "layout")
      },
    ]
  }

  private static var grownLayout: Layout {
    var layout = ContractLayout.layout
    layout.epoch += 1
    layout.tables[0].columns.append(ColumnLayout(name: "depth", type: .int64))
    layout.tables[0].properties.append("depth")
    layout.tables[0].indexes.insert(IndexLayout(name: "time", columns: [4], isUnique: false), at: 0)
    layout.tables[0].indexes.append(IndexLayout(name: "depth", columns: [6], isUnique: true))
    layout.tables.append(
      TableLayout(
        name: "Note", columns: [ColumnLayout(name: "text", type: .string)], indexes: [], properties: ["text"],
        preserved: []))
    layout.entities.append(EntityLayout(name: "Note", table: 3))
    layout.links.append(
      LinkLayout(name: "Quake_notes", source: 0, sourceName: "quake", target: 3, targetName: "note"))
    return layout
  }

  private static var shrunkenLayout: Layout {
    var quake = ContractLayout.quake
    quake.columns = [2, 4, 3, 5].map { quake.columns[$0] }
    quake.indexes = [
      IndexLayout(name: "place_time", columns: [3, 1], isUnique: false),
      IndexLayout(name: "magnitude", columns: [2], isUnique: false),
    ]
    quake.preserved = [2]
    return Layout(
      epoch: 2, tables: [ContractLayout.group, quake], links: [],
      entities: [EntityLayout(name: "Quake", table: 1), EntityLayout(name: "Group", table: 0)])
  }
}

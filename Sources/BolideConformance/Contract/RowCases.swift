import BolideStorage
import Foundation

extension Conformance {
  /// Rows come back as they were written.
  static var rowCases: [CaseDefinition] {
    [
      CaseDefinition(
        "storage/rows-come-back-bit-equal", "Values of every type, nil included, come back bit for bit.",
        rules: ["V-1", "V-3"]
      ) { stage in
        let samples = ContractLayout.samples
        let store = try stage.open(ContractLayout.layout)
        let rows = sampleRows()
        let written = samples.batch(rows)
        try store.write { try samples.insert(rows, from: 1, in: $0) }
        try store.read { snapshot in
          var read = RowBatch(samples.format)
          try snapshot.rows(
            Array(1...Number(rows.count)), of: samples.id, columns: samples.allColumns, into: &read)
          try checkEqual(read.count, rows.count, "entries")
          for index in rows.indices {
            let bytes = { (batch: RowBatch) in batch.withRow(at: index) { [UInt8]($0.bytes) } }
            try checkEqual(bytes(read), bytes(written), "the bytes of row \(rows[index])")
          }
        }
      },
      CaseDefinition("storage/rows-align", "Rows asked for by number come in the order asked, absences too.")
      {
        stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        try store.write {
          try quakes.insert(["a", "b", "c"].map { ContractLayout.row($0) }, from: 5, in: $0)
        }
        try store.read { snapshot in
          let rows = try quakes.rows([7, 4, 5, 5, 100, 6], in: snapshot)
          try checkEqual(rows.map { $0?.number }, [7, nil, 5, 5, nil, 6], "numbers")
          try checkEqual(
            rows.map { $0?.values[0] }, [.string("c"), nil, .string("a"), .string("a"), nil, .string("b")],
            "codes")
          var appended = RowBatch(quakes.format)
          try snapshot.rows([6], of: quakes.id, columns: quakes.allColumns, into: &appended)
          try snapshot.rows([5], of: quakes.id, columns: quakes.allColumns, into: &appended)
          try checkEqual(appended.numbers, [6, 5], "numbers of rows appended to one batch")
          try checkEqual(try quakes.rows([], in: snapshot).count, 0, "rows for no numbers")
        }
      },
      CaseDefinition(
        "storage/columns-named-are-right", "The columns asked for are right, whatever the others are."
      ) {
        stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        let row = ContractLayout.row("a", net: "us", serial: 3, magnitude: 4.5, time: 6, place: "Ridge")
        try store.write { try quakes.insert([row], from: 1, in: $0) }
        try store.read { snapshot in
          for columns in [[0], [5], [1, 3], [2, 4, 5]] {
            var batch = RowBatch(quakes.format)
            var place: Place?
            try snapshot.rows([1], of: quakes.id, columns: ColumnSet(columns), into: &batch)
            try snapshot.scan(
              .all, of: quakes.id, backwards: false, from: &place, limit: 10, columns: ColumnSet(columns),
              into: &batch)
            try snapshot.find(
              quakes.batch([row]), of: quakes.id, by: 0, columns: ColumnSet(columns), into: &batch)
            try checkEqual(batch.numbers, [1, 1, 1], "numbers with columns \(columns)")
            for record in quakes.records(batch) {
              let values = try checkPresent(record, "a row with columns \(columns)").values
              for column in columns { try checkEqual(values[column], row[column], "column \(column)") }
            }
          }
        }
      },
      CaseDefinition("storage/large-rows", "Rows far larger than a page come back whole, and go.") { stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        let sizes = [3_000, 4_000, 4_096, 5_000, 65_536, 1_000_000]
        let rows = sizes.map { size in
          ContractLayout.row("large \(size)", place: String(repeating: "0123456789", count: size / 10))
        }
        try store.write { try quakes.insert(rows, from: 1, in: $0) }
        try store.read { snapshot in
          let read = try quakes.rows(Array(1...Number(rows.count)), in: snapshot)
          try checkEqual(read.map { $0?.values[5] }, rows.map { $0[5] }, "places")
        }
        try store.write { transaction in
          let small = ContractLayout.row("large 1000000", place: "small")
          try checkEqual(
            try quakes.update([Record(number: 6, values: small)], in: transaction), [], "taken keys")
          try transaction.delete([2, 4], of: quakes.id)
        }
        let left = try store.read { try quakes.consistentRows(in: $0) }
        try checkEqual(left.map(\.number), [1, 3, 5, 6], "rows left")
        try checkEqual(left.last?.values[5], .string("small"), "the shrunken row")
      },
    ]
  }

  /// One row of nils, then rows that together hold every sample value of every type.
  static func sampleRows() -> [[Value]] {
    let columns = ValueType.allCases.map { ContractLayout.ascendingValues(of: $0) }
    let count = columns.map(\.count).max() ?? 0
    return (0..<count).map { row in columns.map { $0[row % $0.count] } }
  }
}

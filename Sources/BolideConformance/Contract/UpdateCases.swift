import BolideStorage

extension Conformance {
  /// Replacing, releasing and deleting rows.
  static var updateCases: [CaseDefinition] {
    [
      CaseDefinition(
        "storage/update-moves-keys", "An update frees the old keys, takes the new and moves index entries."
      ) {
        stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        let rows = (0..<200).map { quake("q\($0)", net: "n", serial: Int64($0), magnitude: Double($0 % 5)) }
        try store.write { try quakes.insert(rows, from: 1, in: $0) }
        let changed = (1...100).map { number in
          Record(
            number: number, values: quake("r\(number)", net: "m", serial: number, magnitude: 9, place: "p"))
        }
        try store.write { try checkEqual(try quakes.update(changed, in: $0), [], "taken keys") }
        try store.read { snapshot in
          try checkEqual(Array(try quakes.consistentRows(in: snapshot).prefix(100)), changed, "rows")
          try checkEqual(
            try quakes.holders([quake("q0"), quake("r1"), quake("q100")], by: 0, in: snapshot), [0, 1, 101],
            "holders")
          let strong = KeyRange.index(2, lower: .init([.double(9)], isInclusive: true), upper: nil)
          try checkEqual(
            try quakes.numbers(strong, in: snapshot), Array(1...100), "rows by their new magnitude")
        }
      },
      CaseDefinition(
        "storage/update-of-some-columns", "An update of some columns leaves rows, keys and indexes true."
      ) {
        stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        let rows = (0..<50).map { quake("q\($0)", magnitude: Double($0), time: Double($0), place: "p") }
        try store.write { try quakes.insert(rows, from: 1, in: $0) }
        let changed = (1...50).map { number in
          Record(
            number: number,
            values: quake("q\(number - 1)", magnitude: -Double(number), time: Double(number - 1), place: "p"))
        }
        try store.write { transaction in
          try checkEqual(try quakes.update(changed, columns: [3], in: transaction), [], "taken keys")
          try checkEqual(try quakes.consistentRows(in: transaction), changed, "rows in the transaction")
          // A row given whole that changes nothing in the named columns.
          try checkEqual(try quakes.update([changed[0]], columns: [3, 5], in: transaction), [], "taken keys")
        }
        try checkEqual(try store.read { try quakes.consistentRows(in: $0) }, changed, "rows")
      },
      CaseDefinition(
        "storage/update-reports-taken",
        "A row that would take another's key is not written, and its holder named."
      ) {
        stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        let rows = [quake("a", net: "n", serial: 1), quake("b", net: "n", serial: 2), quake("c")]
        try store.write { try quakes.insert(rows, from: 1, in: $0) }
        let taken = try store.write { transaction in
          try quakes.update(
            [
              Record(number: 1, values: quake("b", net: "n", serial: 1)),
              Record(number: 2, values: quake("z", net: "n", serial: 1)),
              Record(number: 3, values: quake("d")),
              Record(number: 2, values: quake("b", net: "n", serial: 2, magnitude: 5)),
            ], in: transaction)
        }
        try checkEqual(
          taken, [Taken(row: 0, index: 0, holder: 2), Taken(row: 1, index: 1, holder: 1)], "taken keys")
        let seen = try store.read { try quakes.consistentRows(in: $0) }.map(\.values)
        try checkEqual(
          seen, [rows[0], quake("b", net: "n", serial: 2, magnitude: 5), quake("d")], "rows")
      },
      CaseDefinition("storage/update-of-no-row", "An update of a row that is not there is a misuse.") {
        stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        try store.write { try quakes.insert([quake("a")], from: 1, in: $0) }
        let transaction = try store.begin(until: .now + .seconds(20))
        try checkThrows(.storeMisuse, label: "updating number 2") {
          _ = try quakes.update([Record(number: 2, values: quake("b"))], in: transaction)
        }
        transaction.rollback()
        try checkEqual(try store.read { try quakes.consistentRows(in: $0) }.map(\.number), [1], "rows")
      },
      CaseDefinition(
        "storage/release-and-swap", "Rows whose keys were released can swap them.", rules: ["U-6"]
      ) {
        stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        let rows = [
          quake("a", net: "n", serial: 1, magnitude: 1), quake("b", net: "n", serial: 2, magnitude: 2),
          quake("c", magnitude: 3),
        ]
        try store.write { try quakes.insert(rows, from: 1, in: $0) }
        let swapped = [
          Record(number: 1, values: quake("b", net: "n", serial: 2, magnitude: 1)),
          Record(number: 2, values: quake("a", net: "n", serial: 1, magnitude: 2)),
        ]
        try store.write { transaction in
          try transaction.release([1, 2], of: quakes.id)
          try checkEqual(try quakes.update(swapped, columns: [0, 1, 2], in: transaction), [], "taken keys")
        }
        let seen = try store.read { try quakes.consistentRows(in: $0) }
        try checkEqual(Array(seen.prefix(2)), swapped, "rows")
      },
      CaseDefinition(
        "storage/released-keys-are-free", "A released key goes to whoever takes it, and stays there."
      ) {
        stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        try store.write { try quakes.insert([quake("a"), quake("b"), quake("c")], from: 1, in: $0) }
        try store.write { transaction in
          try transaction.release([1, 2], of: quakes.id)
          try quakes.insert([quake("a", magnitude: 4)], from: 4, in: transaction)
          try transaction.delete([1], of: quakes.id)
          let taken = try quakes.update([Record(number: 2, values: quake("c"))], in: transaction)
          try checkEqual(taken, [Taken(row: 0, index: 0, holder: 3)], "a released row that takes a held key")
          try checkEqual(
            try quakes.update([Record(number: 2, values: quake("d"))], in: transaction), [], "taken keys")
        }
        try store.read { snapshot in
          try checkEqual(try quakes.consistentRows(in: snapshot).map(\.number), [2, 3, 4], "rows")
          let keys = ["a", "b", "c", "d"].map { quake($0) }
          try checkEqual(try quakes.holders(keys, by: 0, in: snapshot), [4, 0, 3, 2], "holders")
        }
      },
    ]
  }

  /// Deleting rows.
  static var deleteCases: [CaseDefinition] {
    [
      CaseDefinition(
        "storage/delete-frees-keys", "Deleted rows are gone from the table and all indexes; others stay."
      ) {
        stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        let rows = (0..<600).map { quake("q\($0)", net: "n", serial: Int64($0), magnitude: Double($0 % 3)) }
        try store.write { try quakes.insert(rows, from: 1, in: $0) }
        try store.write { try $0.delete((1...600).filter { $0 % 3 != 0 } + [9_999, 1], of: quakes.id) }
        // Numbers that no row can have, however many, are not there.
        try store.write { try $0.delete((0...600).map { -$0 }, of: quakes.id) }
        try store.read { snapshot in
          let left = try quakes.consistentRows(in: snapshot)
          try checkEqual(left.map(\.number), stride(from: 3, through: 600, by: 3).map { $0 }, "rows left")
        }
        try store.write { try quakes.insert([quake("q0", net: "n", serial: 0)], from: 601, in: $0) }
        try store.write { try $0.delete(Array(1...601), of: quakes.id) }
        try store.read { snapshot in
          try checkEqual(try quakes.consistentRows(in: snapshot), [], "rows after deleting all")
        }
        try store.write { try quakes.insert(rows, from: 602, in: $0) }
        try checkEqual(try store.read { try quakes.consistentRows(in: $0) }.count, 600, "rows put back")
      },
      CaseDefinition(
        "storage/delete-leaves-links", "Deleting rows does not look at links: they are the caller's."
      ) {
        stage in
        let store = try stage.open(ContractLayout.layout)
        try store.write { transaction in
          try ContractLayout.quakes.insert([quake("a")], from: 1, in: transaction)
          var added: [Bool] = []
          try transaction.link(ContractLayout.memberships, [Link(from: 1, to: 2)], added: &added)
          try transaction.delete([1], of: ContractLayout.quakes.id)
        }
        try store.read { snapshot in
          try checkEqual(try links(of: [1], .forward, in: snapshot), [Link(from: 1, to: 2)], "links")
        }
      },
    ]
  }
}

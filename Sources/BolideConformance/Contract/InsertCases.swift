import BolideStorage

extension Conformance {
  /// Inserting if absent, and finding by key.
  static var insertCases: [CaseDefinition] {
    [
      CaseDefinition(
        "storage/insert-if-absent", "A row whose key is taken is not written, and its holder is named.",
        rules: ["U-1", "U-3"]
      ) { stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        try store.write { try quakes.insert([quake("a"), quake("b")], from: 1, in: $0) }
        let taken = try store.write { transaction in
          try quakes.insertTaken(
            [quake("c"), quake("b", magnitude: 9), quake("d"), quake("a")], from: 3, in: transaction,
            expecting: 2)
        }
        try checkEqual(
          taken, [Taken(row: 1, index: 0, holder: 2), Taken(row: 3, index: 0, holder: 1)], "taken keys")
        let rows = try store.read { try quakes.consistentRows(in: $0) }
        try checkEqual(
          rows.map { $0.values[0] }, ["a", "b", "c", "d"].map(Value.string), "codes by number")
        try checkEqual(rows.map(\.number), [1, 2, 3, 4], "numbers, without gaps for rows not written")
        try checkEqual(rows[1].values[3], .null, "the holder's magnitude")
      },
      CaseDefinition(
        "storage/insert-in-call-duplicates",
        "The second of two rows with one key in one call is taken by the first.",
        rules: ["U-4"]
      ) { stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        let taken = try store.write { transaction in
          try quakes.insertTaken(
            [quake("a", magnitude: 1), quake("a", magnitude: 2), quake("b"), quake("a", magnitude: 3)],
            from: 10, in: transaction, expecting: 2)
        }
        try checkEqual(
          taken, [Taken(row: 1, index: 0, holder: 10), Taken(row: 3, index: 0, holder: 10)], "taken keys")
        let rows = try store.read { try quakes.consistentRows(in: $0) }
        try checkEqual(rows.map(\.number), [10, 11], "numbers")
        try checkEqual(rows.first?.values[3], .double(1), "the first row's magnitude")
      },
      CaseDefinition(
        "storage/insert-names-first-index",
        "A row that meets two holders names the first index; a refused row leaves no key behind."
      ) { stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        let taken = try store.write { transaction in
          try quakes.insert(
            [quake("a", net: "us", serial: 1), quake("b", net: "us", serial: 2)], from: 1, in: transaction)
          return try quakes.insertTaken(
            [quake("b", net: "us", serial: 1), quake("c", net: "us", serial: 2), quake("c")], from: 3,
            in: transaction, expecting: 1)
        }
        try checkEqual(
          taken, [Taken(row: 0, index: 0, holder: 2), Taken(row: 1, index: 1, holder: 2)], "taken keys")
        let rows = try store.read { try quakes.consistentRows(in: $0) }
        try checkEqual(rows.map(\.number), [1, 2, 3], "numbers")
      },
      CaseDefinition(
        "storage/nil-keys-never-conflict", "Rows with a nil in a part of a key never conflict in it.",
        rules: ["U-2"]
      ) { stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        try store.write { transaction in
          try quakes.insert(
            [quake(nil), quake(nil), quake(nil, net: "us"), quake(nil, net: "us")], from: 1, in: transaction)
          try quakes.insert([quake(nil, serial: 7), quake(nil, serial: 7)], from: 5, in: transaction)
        }
        try store.read { snapshot in
          try checkEqual(try quakes.consistentRows(in: snapshot).count, 6, "rows")
          try checkEqual(
            try quakes.holders([quake(nil)], by: 0, in: snapshot), [0], "holder of a nil key")
          try checkEqual(
            try quakes.holders([quake(nil, net: "us"), quake(nil, serial: 7)], by: 1, in: snapshot), [0, 0],
            "holders of keys with a nil part")
        }
      },
      CaseDefinition(
        "storage/composite-keys-compare-every-part",
        "Two rows conflict only if all parts of a key are equal.",
        rules: ["U-2"]
      ) { stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        let rows = [("us", 100), ("ci", 100), ("us", 101), ("u", 1), ("us1", 0)].map {
          quake(nil, net: $0.0, serial: Int64($0.1))
        }
        let taken = try store.write { transaction in
          try quakes.insert(rows, from: 1, in: transaction)
          return try quakes.insertTaken(
            [quake(nil, net: "ci", serial: 100), quake(nil, net: "ci", serial: 101)], from: 6,
            in: transaction,
            expecting: 1)
        }
        try checkEqual(taken, [Taken(row: 0, index: 1, holder: 2)], "taken keys")
        try checkEqual(try store.read { try quakes.consistentRows(in: $0) }.count, 6, "rows")
      },
      CaseDefinition(
        "storage/keys-differ-by-case-and-accent", "Keys are compared by scalar: case and accents count.",
        rules: ["V-2"]
      ) { stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        let codes = [
          "nc731", "NC731", "É1", "é1", "E1", "e1", "ß", "ss", "a", "a ", "a\u{0}", "a\u{0}b", "",
        ]
        let taken = try store.write { transaction in
          try quakes.insert(codes.map { quake($0) }, from: 1, in: transaction)
          return try quakes.insertTaken([quake("e\u{301}1")], from: 14, in: transaction, expecting: 0)
        }
        try checkEqual(taken, [Taken(row: 0, index: 0, holder: 4)], "the decomposed spelling of é1")
        let holders = try store.read { try quakes.holders(codes.map { quake($0) }, by: 0, in: $0) }
        try checkEqual(holders, Array(1...13), "holders")
      },
    ]
  }

  /// Finding by unique keys.
  static var findCases: [CaseDefinition] {
    [
      CaseDefinition("storage/find-aligns", "Finding gives one entry a key, in the order of the keys.") {
        stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        let rows = ["a", "b", "c"].map { (code: String) in
          quake(code, net: code, serial: 1, place: "place of \(code)")
        }
        try store.write { try quakes.insert(rows, from: 1, in: $0) }
        try store.read { snapshot in
          let keys = ["c", "x", "a", "a", "", "b"].map { quake($0) }
          try checkEqual(try quakes.holders(keys, by: 0, in: snapshot), [3, 0, 1, 1, 0, 2], "holders")
          let found = try quakes.find(keys, by: 0, in: snapshot)
          try checkEqual(
            found.map { $0?.values }, [rows[2], nil, rows[0], rows[0], nil, rows[1]], "rows found")
          let composite = [quake(nil, net: "b", serial: 1), quake(nil, net: "b", serial: 2)]
          try checkEqual(try quakes.holders(composite, by: 1, in: snapshot), [2, 0], "composite holders")
        }
      },
      CaseDefinition("storage/find-sees-own-writes", "A transaction finds what it wrote itself.") { stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        try store.write { transaction in
          try quakes.insert([quake("a"), quake("b")], from: 1, in: transaction)
          _ = try quakes.update([Record(number: 1, values: quake("c"))], in: transaction)
          try transaction.delete([2], of: quakes.id)
          let keys = ["a", "b", "c"].map { quake($0) }
          try checkEqual(try quakes.holders(keys, by: 0, in: transaction), [0, 0, 1], "holders")
          try checkEqual(try transaction.count(of: quakes.id), 1, "count")
        }
      },
      CaseDefinition(
        "storage/long-keys", "Keys of any length are exact, also where they differ only at the end.",
        rules: ["V-6"]
      ) { stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        var codes: [String] = []
        for length in [400, 479, 480, 481, 510, 511, 512, 960, 2_000] {
          let stem = String(repeating: "k", count: length - 1)
          codes += [stem, stem + "a", stem + "b", stem + "\u{0}", stem + "\u{0}\u{0}"]
        }
        codes.append(String(repeating: "\u{0}", count: 600))
        codes += ["😀", "😁"].map { String(repeating: "😀", count: 199) + $0 }
        let distinct = Array(Set(codes)).sorted()
        let rows = distinct.enumerated().map { index, code in
          quake(code, net: code, serial: Int64(index), place: code)
        }
        let taken = try store.write { transaction in
          try quakes.insert(rows, from: 1, in: transaction)
          return try quakes.insertTaken(rows, from: 1_000, in: transaction, expecting: 0)
        }
        try checkEqual(taken.map(\.holder), Array(1...Number(rows.count)), "holders of the same keys")
        _ = try store.read { try quakes.consistentRows(in: $0) }
        try store.write { transaction in
          let odd = (1...Number(rows.count)).filter { $0 % 2 == 1 }
          try transaction.delete(odd, of: quakes.id)
        }
        try store.read { snapshot in
          let expected = (1...Number(rows.count)).map { $0 % 2 == 1 ? 0 : $0 }
          try checkEqual(try quakes.holders(rows, by: 0, in: snapshot), expected, "holders after deletes")
          _ = try quakes.consistentRows(in: snapshot)
        }
      },
    ]
  }
}

/// The values of a quake's row: the cases' short form.
func quake(
  _ code: String?, net: String? = nil, serial: Int64? = nil, magnitude: Double? = nil, time: Double? = nil,
  place: String? = nil
) -> [Value] {
  ContractLayout.row(code, net: net, serial: serial, magnitude: magnitude, time: time, place: place)
}

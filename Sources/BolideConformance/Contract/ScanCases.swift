import BolideStorage

extension Conformance {
  /// Walking in order.
  static var scanCases: [CaseDefinition] {
    [
      CaseDefinition(
        "storage/scan-by-number", "Rows by number go both ways, between both ends, in any chunks."
      ) {
        stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        try store.write { transaction in
          try quakes.insert((0..<5).map { quake("early \($0)") }, from: 3, in: transaction)
          try quakes.insert((0..<5).map { quake("late \($0)") }, from: 1_000_000_000_000, in: transaction)
        }
        let all: [Number] = Array(3...7) + Array(1_000_000_000_000...1_000_000_000_004)
        try store.read { snapshot in
          for limit in [1, 3, 10, 11] {
            try checkEqual(try quakes.numbers(limit: limit, in: snapshot), all, "forwards by \(limit)")
            try checkEqual(
              try quakes.numbers(backwards: true, limit: limit, in: snapshot), all.reversed(),
              "backwards by \(limit)")
            let range = KeyRange.numbers(4...1_000_000_000_001)
            let inside = all.filter { (4...1_000_000_000_001).contains($0) }
            try checkEqual(try quakes.numbers(range, limit: limit, in: snapshot), inside, "inside")
            try checkEqual(
              try quakes.numbers(range, backwards: true, limit: limit, in: snapshot), inside.reversed(),
              "inside, backwards")
          }
          try checkEqual(try quakes.numbers(.numbers(8...9), in: snapshot), [], "an empty range")
          try checkEqual(try quakes.numbers(.numbers(1...2), backwards: true, in: snapshot), [], "below all")
          try checkEqual(try ContractLayout.groups.numbers(in: snapshot), [], "an empty table")
        }
      },
      CaseDefinition(
        "storage/scan-breaks-ties-by-number",
        "Rows with equal keys go by number, in the direction of the scan.",
        rules: ["V-4"]
      ) { stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        let magnitudes: [Double?] = [2, nil, 1, 2, nil, 1, 2]
        try store.write {
          try quakes.insert(magnitudes.map { quake(nil, magnitude: $0) }, from: 1, in: $0)
        }
        let range = KeyRange.index(2, lower: nil, upper: nil)
        try store.read { snapshot in
          for limit in [1, 2, 100] {
            try checkEqual(
              try quakes.numbers(range, limit: limit, in: snapshot), [2, 5, 3, 6, 1, 4, 7], "forwards")
            try checkEqual(
              try quakes.numbers(range, backwards: true, limit: limit, in: snapshot), [7, 4, 1, 6, 3, 5, 2],
              "backwards")
          }
        }
      },
      CaseDefinition(
        "storage/scan-orders-every-type", "An index orders every type as the rules say, nil lowest.",
        rules: ["V-1", "V-4", "L10"]
      ) { stage in
        let samples = ContractLayout.samples
        let store = try stage.open(ContractLayout.layout)
        try fillSamples(store)
        try store.read { snapshot in
          for (column, type) in ValueType.allCases.enumerated() {
            let range = KeyRange.index(column, lower: nil, upper: nil)
            let expected = ContractLayout.ascendingValues(of: type)
            let seen = try samples.scan(range, limit: 4, in: snapshot).map { $0.values[column] }
            try checkEqual(distinct(seen), expected, "ascending \(type)")
            let reversed = try samples.scan(range, backwards: true, limit: 4, in: snapshot)
            try checkEqual(
              distinct(reversed.map { $0.values[column] }), expected.reversed(), "descending \(type)")
          }
        }
      },
      CaseDefinition(
        "storage/scan-goes-on", "A scan goes on where it stopped, also after that row was changed."
      ) {
        stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        let rows = (0..<1000).map { quake("q\($0)", magnitude: Double($0 % 7), place: "p\($0 % 10)") }
        try store.write { try quakes.insert(rows, from: 1, in: $0) }
        try store.read { snapshot in
          let whole = try quakes.scan(.index(3, lower: nil, upper: nil), in: snapshot)
          for limit in [1, 7, 256, 1000] {
            try checkEqual(
              try quakes.scan(.index(3, lower: nil, upper: nil), limit: limit, in: snapshot), whole,
              "by \(limit)")
          }
        }
        // Deleting while walking: each chunk is gone before the next is asked for.
        try store.write { transaction in
          var place: Place?
          var seen = 0
          repeat {
            var batch = RowBatch(quakes.format)
            try transaction.scan(
              .index(2, lower: nil, upper: nil), of: quakes.id, backwards: false, from: &place, limit: 64,
              columns: quakes.allColumns, into: &batch)
            seen += batch.count
            try transaction.delete(batch.numbers.filter { $0 % 2 == 0 }, of: quakes.id)
          } while place != nil
          try checkEqual(seen, 1000, "rows seen while every second one was deleted")
          try checkEqual(try transaction.count(of: quakes.id), 500, "rows left")
        }
        let left = try store.read { try quakes.consistentRows(in: $0) }
        try checkEqual(left.map(\.number), stride(from: 1, to: 1000, by: 2).map { $0 }, "rows left")
      },
    ]
  }

  /// Ranges between bounds.
  static var boundCases: [CaseDefinition] {
    [
      CaseDefinition(
        "storage/scan-bounds-of-every-type",
        "Bounds, inclusive and exclusive, cut every type where they should.",
        rules: ["V-4"]
      ) { stage in
        let samples = ContractLayout.samples
        let store = try stage.open(ContractLayout.layout)
        try fillSamples(store)
        try store.read { snapshot in
          for (column, type) in ValueType.allCases.enumerated() {
            let values = ContractLayout.ascendingValues(of: type)
            for (low, high) in [(0, 1), (1, values.count - 1), (1, 1), (values.count / 2, values.count - 1)] {
              for (lowIn, highIn) in [(true, true), (true, false), (false, true), (false, false)] {
                let range = KeyRange.index(
                  column, lower: .init([values[low]], isInclusive: lowIn),
                  upper: .init([values[high]], isInclusive: highIn))
                let expected = values.indices.filter {
                  (lowIn ? $0 >= low : $0 > low) && (highIn ? $0 <= high : $0 < high)
                }.map { values[$0] }
                let label =
                  "\(type) \(lowIn ? "[" : "(")\(values[low]), \(values[high])\(highIn ? "]" : ")")"
                let seen = try samples.scan(range, limit: 3, in: snapshot).map { $0.values[column] }
                try checkEqual(distinct(seen), expected, label)
                let back = try samples.scan(range, backwards: true, limit: 3, in: snapshot)
                try checkEqual(
                  distinct(back.map { $0.values[column] }), expected.reversed(), label + ", backwards")
              }
            }
            let above = KeyRange.index(column, lower: .init([.null], isInclusive: false), upper: nil)
            try checkEqual(
              distinct(try samples.scan(above, in: snapshot).map { $0.values[column] }),
              Array(values.dropFirst()), "\(type) above nil")
          }
        }
      },
      CaseDefinition(
        "storage/scan-prefix-bounds", "A bound on the first columns of an index covers all that begin so."
      ) {
        stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        let rows = ["a", "a\u{0}", "aa", "b", nil].flatMap { place in
          [nil, -1, 0, 2].map { quake(nil, time: $0, place: place) }
        }
        try store.write { try quakes.insert(rows, from: 1, in: $0) }
        try store.read { snapshot in
          func seen(_ lower: KeyRange.Bound?, _ upper: KeyRange.Bound?, _ expected: [Number], _ label: String)
            throws
          {
            let range = KeyRange.index(3, lower: lower, upper: upper)
            try checkEqual(try quakes.numbers(range, limit: 3, in: snapshot), expected, label)
            try checkEqual(
              try quakes.numbers(range, backwards: true, limit: 3, in: snapshot), expected.reversed(),
              label + ", backwards")
          }
          let a = Value.string("a")
          let zero = quake(nil, time: 0)[4]
          try seen(.init([a], isInclusive: true), .init([a], isInclusive: true), [1, 2, 3, 4], "place is a")
          try seen(.init([a], isInclusive: false), nil, Array(5...16), "place after a")
          try seen(nil, .init([a], isInclusive: false), Array(17...20), "place before a")
          try seen(nil, .init([a], isInclusive: true), Array(17...20) + Array(1...4), "place up to a")
          try seen(.init([a, zero], isInclusive: false), .init([a], isInclusive: true), [4], "a after 0")
          try seen(
            .init([a], isInclusive: true), .init([a, zero], isInclusive: true), [1, 2, 3], "a up to 0")
          try seen(
            .init([.null, .null], isInclusive: true), .init([.null, .null], isInclusive: true), [17],
            "both nil")
          try seen(.init([.string("c")], isInclusive: true), nil, [], "above all")
          try seen(
            .init([.string("b")], isInclusive: true), .init([a], isInclusive: true), [], "an empty range")
        }
      },
    ]
  }

  private static func fillSamples(_ store: any OpenStore) throws {
    try store.write { transaction in
      let rows = sampleRows()
      // Backwards, so that the order of insertion is of no help.
      try ContractLayout.samples.insert(rows.reversed() + rows, from: 1, in: transaction)
    }
  }

  private static func distinct(_ values: [Value]) -> [Value] {
    values.reduce(into: []) { result, value in
      if result.last != value { result.append(value) }
    }
  }
}

import BolideStorage

extension Conformance {
  /// Link tables.
  static var linkCases: [CaseDefinition] {
    [
      CaseDefinition(
        "storage/links-from-both-sides", "Both sides of a link table always agree.", rules: ["R-1"]
      ) {
        stage in
        let store = try stage.open(ContractLayout.layout)
        let pairs = (1...40).flatMap { from in
          (1...20).filter { (from * $0) % 3 == 0 }.map { Link(from: Number(from), to: Number($0)) }
        }
        try store.write { transaction in
          try checkEqual(
            try link(pairs.reversed(), in: transaction), pairs.map { _ in true }, "links added")
        }
        try store.read { snapshot in
          try checkEqual(try links(of: Array(1...40), .forward, in: snapshot), pairs, "links from sources")
          let inverse = pairs.sorted { ($0.to, $0.from) < ($1.to, $1.from) }
          try checkEqual(try links(of: Array(1...20), .inverse, in: snapshot), inverse, "links from targets")
          try checkEqual(
            try links(of: [6, 99, 3], .forward, in: snapshot),
            pairs.filter { $0.from == 6 } + pairs.filter { $0.from == 3 }, "links in the order asked")
        }
      },
      CaseDefinition(
        "storage/links-are-a-set", "A pair is there once; adding and removing say what they did."
      ) {
        stage in
        let store = try stage.open(ContractLayout.layout)
        try store.write { transaction in
          try checkEqual(
            try link([Link(from: 1, to: 1), Link(from: 1, to: 2), Link(from: 1, to: 1)], in: transaction),
            [true, true, false], "links added")
        }
        try store.write { transaction in
          try checkEqual(
            try link([Link(from: 1, to: 2), Link(from: 2, to: 1)], in: transaction), [false, true], "added")
          var removed: [Bool] = []
          try transaction.unlink(
            ContractLayout.memberships, [Link(from: 1, to: 1), Link(from: 5, to: 5), Link(from: 1, to: 1)],
            removed: &removed)
          try checkEqual(removed, [true, false, false], "links removed")
        }
        try store.read { snapshot in
          try checkEqual(
            try links(of: [1, 2], .forward, in: snapshot), [Link(from: 1, to: 2), Link(from: 2, to: 1)],
            "links")
          try checkEqual(
            try links(of: [1, 2], .inverse, in: snapshot), [Link(from: 2, to: 1), Link(from: 1, to: 2)],
            "inverse links")
        }
      },
      CaseDefinition(
        "storage/links-in-order", "Each object's links go by the order of its side, then by number."
      ) {
        stage in
        let store = try stage.open(ContractLayout.layout)
        let pairs = [
          Link(from: 1, to: 10, order: 2, inverseOrder: -5),
          Link(from: 1, to: 11, order: -1, inverseOrder: 0),
          Link(from: 1, to: 12, order: 2, inverseOrder: 3), Link(from: 1, to: 13, order: 0, inverseOrder: 0),
          Link(from: 2, to: 10, order: 7, inverseOrder: -6),
        ]
        try store.write { _ = try link(pairs, in: $0) }
        try store.read { snapshot in
          try checkEqual(
            try links(of: [1], .forward, in: snapshot), [pairs[1], pairs[3], pairs[0], pairs[2]], "links")
          try checkEqual(
            try links(of: [10], .inverse, in: snapshot), [pairs[4], pairs[0]], "inverse links")
        }
        try store.write { transaction in
          var removed: [Bool] = []
          // By its pair, whatever its places.
          try transaction.unlink(ContractLayout.memberships, [Link(from: 1, to: 10)], removed: &removed)
          try checkEqual(removed, [true], "removed")
        }
        try store.read { snapshot in
          try checkEqual(try links(of: [10], .inverse, in: snapshot), [pairs[4]], "inverse links")
          try checkEqual(
            try links(of: [1], .forward, in: snapshot), [pairs[1], pairs[3], pairs[2]], "links")
        }
      },
      CaseDefinition("storage/links-go-on", "Links can be read in chunks, across objects.") { stage in
        let store = try stage.open(ContractLayout.layout)
        let pairs = (1...9).flatMap { from in (1...(from * 7 % 10)).map { Link(from: from, to: Number($0)) } }
        try store.write { _ = try link(pairs, in: $0) }
        let asked: [Number] = [4, 100, 9, 1, 2, 3, 101]
        let expected = asked.flatMap { from in pairs.filter { $0.from == from } }
        try store.read { snapshot in
          for limit in 1...9 {
            var seen: [Link] = []
            var chunk: [Link] = []
            repeat {
              chunk.removeAll()
              try snapshot.links(
                ContractLayout.memberships, of: asked, side: .forward, after: seen.last, limit: limit,
                into: &chunk)
              try check(chunk.count <= limit, "\(chunk.count) links with limit \(limit)")
              seen += chunk
              try check(seen.count <= expected.count, "more links than there are, by \(limit): \(seen)")
            } while chunk.count == limit
            try checkEqual(seen, expected, "links by \(limit)")
          }
        }
      },
      CaseDefinition("storage/link-counts", "Links are counted on both sides, one entry an object asked for.")
      {
        stage in
        let store = try stage.open(ContractLayout.layout)
        let pairs = (1...300).map { Link(from: Number($0), to: Number($0 % 2 + 1)) } + [Link(from: 1, to: 1)]
        try store.write { _ = try link(pairs, in: $0) }
        try store.write { transaction in
          var removed: [Bool] = []
          try transaction.unlink(
            ContractLayout.memberships, (1...100).map { Link(from: $0, to: $0 % 2 + 1) }, removed: &removed)
          try checkEqual(try counts(of: [1, 2], .inverse, in: transaction), [101, 100], "own counts")
        }
        try store.read { snapshot in
          try checkEqual(
            try counts(of: [2, 1, 3, 2], .inverse, in: snapshot), [100, 101, 0, 100], "targets")
          try checkEqual(try counts(of: [1, 2, 200, 999], .forward, in: snapshot), [1, 0, 1, 0], "sources")
        }
      },
    ]
  }

  static func link(_ pairs: [Link], in transaction: any WriteTransaction) throws -> [Bool] {
    var added: [Bool] = []
    try transaction.link(ContractLayout.memberships, pairs, added: &added)
    return added
  }

  static func links(of numbers: [Number], _ side: LinkSide, in reader: any Reader) throws -> [Link] {
    var links: [Link] = []
    try reader.links(
      ContractLayout.memberships, of: numbers, side: side, after: nil, limit: 100_000, into: &links)
    return links
  }

  private static func counts(
    of numbers: [Number], _ side: LinkSide, in reader: any Reader
  ) throws -> [Int] {
    var counts: [Int] = []
    try reader.linkCounts(ContractLayout.memberships, of: numbers, side: side, into: &counts)
    return counts
  }
}

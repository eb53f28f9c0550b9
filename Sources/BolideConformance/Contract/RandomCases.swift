import BolideStorage

extension Conformance {
  /// Random transactions against a plain model.
  static var randomCases: [CaseDefinition] {
    [
      CaseDefinition(
        "storage/random-transactions", "Random transactions leave exactly what a plain model says.",
        rules: ["U-2", "U-6"]
      ) { stage in
        let store = try stage.open(ContractLayout.layout)
        var model = PlainModel(seed: stage.seed)
        for round in 0..<25 {
          do {
            let before = model
            let transaction = try store.begin(until: .now + .seconds(20))
            for _ in 0..<(1 + model.random(12)) { try model.step(transaction) }
            if model.random(4) == 0 {
              transaction.rollback()
              model.restore(before)
            } else {
              _ = try transaction.commit(pinning: false)
            }
            try store.read { try model.compare($0) }
          } catch let failure as ConformanceFailure {
            throw ConformanceFailure(
              "round \(round), seed \(stage.seed): \(failure.message)", place: failure.place)
          }
        }
      }
    ]
  }
}

/// Rows and links as plain collections, with the rules of inserting and updating written the slow way.
private struct PlainModel {
  private var rows: [Number: [Value]] = [:]
  private var links: Set<Link> = []
  private var next: Number = 1
  private var generator: SplitMix64

  init(seed: UInt64) { generator = SplitMix64(seed: seed) }

  mutating func random(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

  /// Goes back to an earlier state, but not to its random numbers.
  mutating func restore(_ earlier: PlainModel) {
    rows = earlier.rows
    links = earlier.links
    next = earlier.next
  }

  mutating func step(_ transaction: any WriteTransaction) throws {
    switch random(10) {
    case 0..<4: try insert(transaction)
    case 4..<6: try update(transaction)
    case 6: try swap(transaction)
    case 7: try delete(transaction)
    case 8: try link(transaction)
    default: try unlink(transaction)
    }
  }

  func compare(_ reader: any Reader) throws {
    let seen = try ContractLayout.quakes.consistentRows(in: reader)
    let expected = rows.map { Record(number: $0.key, values: $0.value) }.sorted { $0.number < $1.number }
    try checkEqual(seen, expected, "rows")
    for side in [LinkSide.forward, .inverse] {
      let found = try Conformance.links(of: Array(1...20), side, in: reader)
      try checkEqual(Set(found), links, "links \(side)")
      try checkEqual(found.count, links.count, "links \(side), each once")
    }
  }

  private mutating func insert(_ transaction: any WriteTransaction) throws {
    let fresh = (0..<(1 + random(30))).map { _ in randomRow() }
    var expected: [Taken] = []
    let first = next
    for (index, row) in fresh.enumerated() {
      if let taken = conflict(row, at: index, except: 0) {
        expected.append(taken)
      } else {
        rows[next] = row
        next += 1
      }
    }
    let taken = try ContractLayout.quakes.insertTaken(
      fresh, from: first, in: transaction, expecting: fresh.count - expected.count)
    try checkEqual(taken, expected, "taken keys of an insert")
  }

  private mutating func update(_ transaction: any WriteTransaction) throws {
    let chosen = rows.keys.sorted().filter { _ in random(6) == 0 }.prefix(20)
    var changed: [Record] = []
    var expected: [Taken] = []
    for (index, number) in chosen.enumerated() {
      let row = randomRow()
      changed.append(Record(number: number, values: row))
      if let taken = conflict(row, at: index, except: number) {
        expected.append(taken)
      } else {
        rows[number] = row
      }
    }
    try checkEqual(
      try ContractLayout.quakes.update(changed, in: transaction), expected, "taken keys of an update")
  }

  private mutating func swap(_ transaction: any WriteTransaction) throws {
    let numbers = rows.keys.sorted()
    guard numbers.count > 1 else { return }
    let pair = [numbers[random(numbers.count)], numbers[random(numbers.count)]]
    guard pair[0] != pair[1], let left = rows[pair[0]], let right = rows[pair[1]] else { return }
    try transaction.release(pair, of: ContractLayout.quakes.id)
    rows[pair[0]] = right
    rows[pair[1]] = left
    let swapped = [Record(number: pair[0], values: right), Record(number: pair[1], values: left)]
    try checkEqual(try ContractLayout.quakes.update(swapped, in: transaction), [], "taken keys of a swap")
  }

  private mutating func delete(_ transaction: any WriteTransaction) throws {
    let chosen = rows.keys.sorted().filter { _ in random(5) == 0 }
    for number in chosen { rows[number] = nil }
    try transaction.delete(chosen, of: ContractLayout.quakes.id)
  }

  private mutating func link(_ transaction: any WriteTransaction) throws {
    let pairs = (0..<10).map { _ in Link(from: Number(1 + random(20)), to: Number(1 + random(20))) }
    let expected = pairs.map { links.insert($0).inserted }
    try checkEqual(try Conformance.link(pairs, in: transaction), expected, "links added")
  }

  private mutating func unlink(_ transaction: any WriteTransaction) throws {
    let pairs = (0..<10).map { _ in Link(from: Number(1 + random(20)), to: Number(1 + random(20))) }
    let expected = pairs.map { links.remove($0) != nil }
    var removed: [Bool] = []
    try transaction.unlink(ContractLayout.memberships, pairs, removed: &removed)
    try checkEqual(removed, expected, "links removed")
  }

  /// The first unique index in which another row holds the key.
  private func conflict(_ row: [Value], at index: Int, except number: Number) -> Taken? {
    for (id, description) in ContractLayout.quake.indexes.enumerated() where description.isUnique {
      let key = description.columns.map { row[$0] }
      if key.contains(.null) { continue }
      for (holder, other) in rows where holder != number && description.columns.map({ other[$0] }) == key {
        return Taken(row: index, index: id, holder: holder)
      }
    }
    return nil
  }

  private mutating func randomRow() -> [Value] {
    func maybe<T>(_ value: T) -> T? { Bool.random(using: &generator) ? value : nil }
    let long = String(repeating: "long ", count: random(12) == 0 ? 300 : 0)
    return quake(
      maybe(long + "code \(random(400))"), net: maybe("n\(random(3))"), serial: maybe(Int64(random(100))),
      magnitude: maybe(Double(random(20)) / 4), time: maybe(Double(random(9))),
      place: maybe(long + "p\(random(6))"))
  }
}

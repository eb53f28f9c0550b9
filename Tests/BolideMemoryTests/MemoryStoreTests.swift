import BolideStorage
import Testing

@testable import BolideMemory

/// What is special to stores in memory: names, sharing, and pages that are given back.
struct MemoryStoreTests {
  private static let table = TableLayout(
    name: "Note",
    columns: [ColumnLayout(name: "text", type: .string), ColumnLayout(name: "rank", type: .int64)],
    indexes: [
      IndexLayout(name: "text", columns: [0], isUnique: true),
      IndexLayout(name: "rank", columns: [1], isUnique: false),
    ], properties: ["text", "rank"], preserved: [])
  private static let layout = Layout(
    tables: [table], links: [], entities: [EntityLayout(name: "Note", table: 0)])

  private func open(_ backend: MemoryBackend, _ name: String = "store") throws -> any OpenStore {
    try backend.open(Location(path: name), layout: Self.layout, options: OpenOptions())
  }

  private func write(_ store: any OpenStore, _ body: (any WriteTransaction) throws -> Void) throws {
    let transaction = try store.begin(until: .now + .seconds(20))
    try body(transaction)
    _ = try transaction.commit(pinning: false)
  }

  private func insert(
    _ numbers: ClosedRange<Int>, text: String = "note", in transaction: any WriteTransaction
  ) throws {
    var rows = RowBatch(Self.table.format)
    var builder = RowBuilder(Self.table.format)
    for number in numbers {
      builder.clear()
      builder.set(0, text: "\(text) \(number)")
      builder.set(1, int: Int64(number % 10))
      builder.append(to: &rows)
    }
    var taken: [Taken] = []
    let first = Number(numbers.lowerBound)
    #expect(try transaction.insert(rows, of: 0, numberedFrom: first, taken: &taken) == numbers.count)
  }

  private func pages(_ store: any OpenStore) throws -> Int {
    try #require(try store.statistics().details["pages"])
  }

  private func count(_ store: any OpenStore) throws -> Int {
    let snapshot = try store.snapshot()
    defer { snapshot.close() }
    return try snapshot.count(of: 0)
  }

  @Test(arguments: [20, 700, 1_000])
  func `many rows deleted at once go as they go one by one`(_ deleted: Int) throws {
    let stores = try (0..<2).map { try open(MemoryBackend(), "store \($0)") }
    // Every number is met once: 7 and 1,000 have no factor in common.
    let numbers = (0..<deleted).map { Number($0 * 7 % 1_000 + 1) }
    for store in stores { try write(store) { try insert(1...1_000, in: $0) } }
    let before = try stores[0].snapshot()
    try write(stores[0]) { try $0.delete(numbers + [5_000], of: 0) }
    try write(stores[1]) { transaction in
      for number in numbers { try transaction.delete([number], of: 0) }
    }
    let ranges = [KeyRange.all, .index(0, lower: nil, upper: nil), .index(1, lower: nil, upper: nil)]
    for range in ranges {
      let left = try stores.map { store in
        let snapshot = try store.snapshot()
        defer { snapshot.close() }
        return try rows(range, in: snapshot).numbers
      }
      #expect(left[0] == left[1] && left[0].count == 1_000 - deleted)
      #expect(try rows(range, in: before).count == 1_000)
    }
    before.close()
    // The freed keys can be had again, and the last page is given back with the last row.
    try write(stores[0]) { transaction in
      try insert(2_001...2_010, in: transaction)
      try transaction.delete(Array(1...2_010), of: 0)
    }
    #expect(try count(stores[0]) == 0)
    #expect(try pages(stores[0]) == pages(open(MemoryBackend())))
  }

  private func rows(_ range: KeyRange, in reader: any Reader) throws -> RowBatch {
    var rows = RowBatch(Self.table.format)
    var place: Place?
    try reader.scan(
      range, of: 0, backwards: false, from: &place, limit: 5_000, columns: .all(2), into: &rows)
    return rows
  }

  @Test func `open snapshots are counted, whatever the order they close in`() throws {
    let store = try open(MemoryBackend())
    try write(store) { try insert(1...3, in: $0) }
    func statistics() throws -> (snapshots: Int, hasAge: Bool) {
      let statistics = try store.statistics()
      return (statistics.snapshots, statistics.oldestSnapshotAge != nil)
    }
    var open = try (0..<5).map { _ in try store.snapshot() }
    #expect(try statistics() == (5, true))
    for place in [3, 0, 1] { open[place].close() }
    open[0].close()
    #expect(try statistics() == (2, true), "closing twice gives up one place")
    let transaction = try store.begin(until: .now + .seconds(20))
    try insert(4...6, in: transaction)
    let pinned = try #require(try transaction.commit(pinning: true))
    #expect(try statistics() == (3, true))
    open += try (0..<4).map { _ in try store.snapshot() }
    #expect(try statistics() == (7, true))
    #expect(try open[2].count(of: 0) == 3)
    #expect(try pinned.count(of: 0) == 6)
    for snapshot in open { snapshot.close() }
    pinned.close()
    #expect(try statistics() == (0, false))
    open = [try store.snapshot()]
    #expect(try statistics() == (1, true))
    open.removeAll()
    #expect(try statistics() == (0, false), "a snapshot that is let go is closed")
  }

  @Test func `live pages are equal before and after 100,000 snapshots`() throws {
    let store = try open(MemoryBackend())
    try write(store) { try insert(1...2_000, in: $0) }
    let before = try pages(store)
    #expect(before > 20)
    for round in 0..<100_000 {
      let snapshot = try store.snapshot()
      if round % 10_000 == 0 { #expect(try snapshot.count(of: 0) == 2_000) }
      snapshot.close()
    }
    #expect(try pages(store) == before)
    #expect(try store.statistics().storeBytes == before * 4096)
  }

  @Test func `a snapshot holds the pages it needs, and gives them back`() throws {
    let store = try open(MemoryBackend())
    try write(store) { try insert(1...2_000, in: $0) }
    let before = try pages(store)
    let snapshot = try store.snapshot()
    try write(store) { try $0.delete(Array(1...2_000), of: 0) }
    #expect(try count(store) == 0)
    #expect(try pages(store) >= before)
    #expect(try snapshot.count(of: 0) == 2_000)
    snapshot.close()
    #expect(try pages(store) == 0)
  }

  @Test func `a rollback gives back every page it made`() throws {
    let store = try open(MemoryBackend())
    try write(store) { try insert(1...500, in: $0) }
    let before = try pages(store)
    let transaction = try store.begin(until: .now + .seconds(20))
    try insert(501...3_000, in: transaction)
    try transaction.delete(Array(1...250), of: 0)
    #expect(try pages(store) > before)
    transaction.rollback()
    #expect(try pages(store) == before)
  }

  @Test func `a fork makes no page until one side writes, and few then`() throws {
    let backend = MemoryBackend()
    let store = try open(backend)
    try write(store) { try insert(1...5_000, in: $0) }
    let before = try pages(store)
    var forks = try (0..<100).map { try store.fork(to: Location(path: "fork \($0)")) }
    #expect(try pages(store) == before)
    try write(forks[7]) { try $0.delete([2_500], of: 0) }
    // One path in each of the three trees.
    #expect(try pages(store) - before <= 9)
    #expect(try count(forks[7]) == 4_999)
    #expect(try count(forks[8]) == 5_000)
    #expect(try count(store) == 5_000)
    forks.remove(at: 7)
    backend.remove(Location(path: "fork 7"))
    #expect(try pages(store) == before)
  }

  @Test func `a transient fork is freed with its last opener`() throws {
    let backend = MemoryBackend()
    let store = try open(backend)
    try write(store) { try insert(1...2_000, in: $0) }
    let before = try pages(store)
    let place = Location(path: "fork", isTransient: true)
    for _ in 0..<3 {
      let fork = try store.fork(to: place)
      try write(fork) { try $0.delete(Array(1...1_000), of: 0) }
      let again = try backend.open(place, layout: nil, options: OpenOptions())
      #expect(try count(again) == 1_000)
      #expect(try pages(store) > before)
      let error = #expect(throws: BolideError.self) { _ = try store.fork(to: place) }
      #expect(error?.code == .storeIO)
      withExtendedLifetime(fork) {}
    }
    #expect(try pages(store) == before)
    let error = #expect(throws: BolideError.self) {
      _ = try backend.open(place, layout: nil, options: OpenOptions())
    }
    #expect(error?.code == .storeMissing)
  }

  /// S13: stores in memory are shared within a backend alone, and live as long as it.
  @Test func `a name is one store within a backend, and another in the next`() throws {
    let backend = MemoryBackend()
    let first = try open(backend, "a")
    try write(first) { try insert(1...3, in: $0) }
    #expect(try count(open(backend, "a")) == 3)
    #expect(try count(open(backend, "b")) == 0)
    #expect(try count(open(MemoryBackend(), "a")) == 0)
    backend.remove(Location(path: "a"))
    #expect(try count(open(backend, "a")) == 0)
    #expect(try count(first) == 3)
  }

  @Test func `a fresh location is nobody else's`() throws {
    let locations = [MemoryBackend.freshLocation(), MemoryBackend.freshLocation()]
    let stores = try locations.map {
      try $0.backend.open($0.location, layout: Self.layout, options: $0.options)
    }
    try write(stores[0]) { try insert(1...3, in: $0) }
    #expect(try stores.map { try count($0) } == [3, 0])
  }

  @Test func `another opener's layout is refused instead of misread`() throws {
    let backend = MemoryBackend()
    let first = try open(backend)
    let second = try open(backend)
    var layout = Self.layout
    layout.epoch += 1
    layout.tables[0].columns.append(ColumnLayout(name: "more", type: .double))
    try write(first) { try $0.change(layout) }
    #expect(first.layout == layout)
    for call in [{ _ = try second.snapshot() }, { _ = try second.begin(until: .now) }] as [() throws -> Void]
    {
      let error = #expect(throws: BolideError.self) { try call() }
      #expect(error?.code == .storeSchemaChanged)
    }
    #expect(try open(backend).layout == layout)
    // The refused writer has not kept the turn.
    try write(first) { try $0.setMetadata("k", [1]) }
  }

  @Test func `a call of another shape is a misuse, not a trap`() throws {
    let store = try open(MemoryBackend())
    let snapshot = try store.snapshot()
    var wrong = RowBatch(RowFormat([.double]))
    var right = RowBatch(Self.table.format)
    var place: Place?
    var links: [Link] = []
    let calls: [() throws -> Void] = [
      { try snapshot.rows([1], of: 9, columns: ColumnSet(), into: &right) },
      { try snapshot.rows([1], of: 0, columns: ColumnSet(), into: &wrong) },
      { try snapshot.find(right, of: 0, by: 9, columns: ColumnSet(), into: &right) },
      { try snapshot.find(right, of: 0, by: 1, columns: ColumnSet(), into: &right) },
      {
        try snapshot.scan(
          .index(7, lower: nil, upper: nil), of: 0, backwards: false, from: &place, limit: 1,
          columns: ColumnSet(), into: &right)
      },
      {
        try snapshot.scan(
          .all, of: 0, backwards: false, from: &place, limit: 0, columns: ColumnSet(), into: &right)
      },
      { try snapshot.links(3, of: [1], side: .forward, after: nil, limit: 1, into: &links) },
      { _ = try snapshot.count(of: -1) },
    ]
    for call in calls {
      let error = #expect(throws: BolideError.self) { try call() }
      #expect(error?.code == .storeMisuse)
    }
  }

  @Test func `after a failed call only a rollback is left`() throws {
    let store = try open(MemoryBackend())
    let transaction = try store.begin(until: .now + .seconds(20))
    try insert(1...3, in: transaction)
    #expect(throws: BolideError.self) { try insert(2...2, text: "other", in: transaction) }
    let error = #expect(throws: BolideError.self) { _ = try transaction.commit(pinning: false) }
    #expect(error?.code == .storeMisuse)
    transaction.rollback()
    #expect(try count(store) == 0)
  }
}

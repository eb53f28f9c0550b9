import Bolide
import BolideConformance
import BolideStorage
import Foundation

/// Writes many transactions while consumers lag behind and history is purged between (rules H-4, H-7): space must stay
/// bounded, a purge must cost what it drops, and a fetch must read what it returns (case H11 at full size).
package struct Purges {
  /// What a run came to.
  package struct Figures: Sendable {
    package var transactions = 0
    package var purges = 0
    package var dropped = 0
    /// The largest size of the store's file after a purge, in the first and in the last third of the lagging part, in
    /// bytes.
    package var earlySize = 0
    package var lateSize = 0
    /// The largest size of a log beside it, in bytes.
    package var logSize = 0
    /// The sizes after equally many transactions and a purge of all of them, twice, in bytes.
    package var sizes: [Int] = []
    /// The time of purges by how many transactions they dropped, in microseconds a transaction.
    package var costs: [(dropped: Int, microseconds: Double)] = []
    /// Transactions that fetches after a token returned, and records that the store was asked for.
    package var fetched = 0
    package var recordsRead = 0
    /// What was wrong.
    package var differences: [String] = []
  }

  private static let schema = Schema(
    name: "Purges",
    entities: [
      EntityDescription(
        name: "Entry",
        attributes: [
          AttributeDescription(name: "code", type: .int64, isOptional: false, isPreservedOnDeletion: true),
          AttributeDescription(name: "value", type: .int64),
        ],
        uniquenessConstraints: [["code"]])
    ])

  /// Objects that are written again and again.
  private static let codes = 500
  /// A growth that says nothing, in bytes.
  private static let page = 16 << 10
  private let container: PersistentContainer
  private let reads = HistoryReads()
  private let progress: (Int) -> Void
  private var figures = Figures()

  private init(at location: StoreLocation, progress: @escaping (Int) -> Void) throws {
    self.progress = progress
    let backend = ForwardingBackend(location.backend, reads.wrapping)
    container = try PersistentContainer(
      Self.schema, at: StoreLocation(backend, location.location, options: location.options))
  }

  /// Writes so many transactions: two fifths for the sizes and costs of whole purges, the rest with lagging consumers.
  package static func run(
    transactions: Int, at location: StoreLocation, progress: @escaping (Int) -> Void = { _ in }
  ) throws -> Figures {
    var run = try Purges(at: location, progress: progress)
    defer { try? run.container.close() }
    try run.fill()
    let share = max(100, transactions / 5)
    for _ in 0..<2 { try run.writeAndPurgeAll(share) }
    try run.lag(transactions - 2 * share)
    try run.finish()
    return run.figures
  }

  // MARK: Writing

  /// Makes the objects, so that from then on the store holds as much as it ever will.
  private mutating func fill() throws {
    let records = (0..<Self.codes).map { ["code": Value.int(Int64($0)), "value": .int(0)] }
    _ = try container.newContext(author: "writer").execute(
      BatchInsertRequest(entity: "Entry", records: records))
  }

  private mutating func write(_ count: Int) throws {
    let context = container.newContext(author: "writer")
    for _ in 0..<count {
      figures.transactions += 1
      let number = figures.transactions
      let code = Int64(number % Self.codes)
      let request = FetchRequest<ManagedObject>(
        entity: "Entry", where: .compare(.path(["code"]), .equal, .literal(.int(code))))
      let known = try context.fetch(request).first
      if let known, number % 7 == 0 {
        context.delete(known)
      } else {
        let entry = try known ?? context.insert("Entry")
        try entry.setValue(.int(code), for: "code")
        try entry.setValue(.int(Int64(number)), for: "value")
      }
      try context.save()
      if number % 1_000 == 0 { progress(number) }
    }
  }

  /// The size of the store's file, with what is in its log.
  private mutating func size() throws -> Int {
    try container.coordinator.store.maintain()
    let statistics = try container.statistics()
    figures.logSize = max(figures.logSize, statistics.logBytes)
    return statistics.storeBytes
  }

  // MARK: Whole purges

  /// Writes transactions and drops all of them, ever more at a time.
  private mutating func writeAndPurgeAll(_ count: Int) throws {
    let first = try container.historyExtent().first
    try write(count)
    let head = try container.currentToken().number
    var limit = first
    var step = max(1, count / 15)
    while limit < head {
      let next = min(limit + UInt64(step), head)
      try purge(before: next)
      limit = next
      step *= 2
    }
    figures.sizes.append(try size())
  }

  private mutating func purge(before limit: UInt64) throws {
    let begin = ContinuousClock.now
    let dropped = try container.purgeHistory(before: .number(limit))
    let microseconds = begin.duration(to: .now) / .microseconds(1)
    figures.purges += 1
    figures.dropped += dropped
    if dropped > 0 { figures.costs.append((dropped, microseconds / Double(dropped))) }
  }

  // MARK: Lagging consumers

  /// Three consumers: one that is quick, one that lags behind, and one that never comes, for which so much is kept.
  private mutating func lag(_ count: Int) throws {
    let interval = max(20, count / 120)
    let distance = UInt64(max(50, count / 35))
    let budget = UInt64(max(100, count / 20))
    for name in ["quick", "slow"] { try container.registerConsumer(name) }
    let absent = try container.registerConsumer("absent", budget: .init(maximumCount: budget)).position
    var left = count
    while left > 0 {
      try write(min(left, interval))
      left -= interval
      let head = try container.currentToken().number
      try advance("quick", to: head)
      if head > distance { try advance("slow", to: head - distance) }
      let slowest = try container.consumer("slow")?.position.number ?? 0
      figures.dropped += try container.purgeConsumedHistory()
      figures.purges += 1
      let first = try container.historyExtent().first
      let expected = min(slowest, max(absent.number, head > budget ? head - budget : 0)) + 1
      if first != expected { figures.differences.append("history begins at \(first), not \(expected)") }
      let size = try size()
      if left > count - count / 3 { figures.earlySize = max(figures.earlySize, size) }
      if left < count / 3 { figures.lateSize = max(figures.lateSize, size) }
    }
    try resync(after: absent)
  }

  /// The consumer that never came finds its history gone, and its way on.
  private mutating func resync(after position: PersistentHistoryToken) throws {
    do {
      _ = try container.history(PersistentHistoryRequest(after: .token(position)))
      figures.differences.append("the absent consumer was not told that its history is gone")
    } catch ErrorCode.historyExpired {
      let token = try container.resync().token
      if token != (try container.currentToken()) { figures.differences.append("resyncing gave an old token") }
    }
  }

  /// Has a consumer fetch what it has not seen, counting what the store reads for it, and moves it.
  private mutating func advance(_ name: String, to number: UInt64) throws {
    guard let position = try container.consumer(name)?.position, position.number < number else { return }
    reads.reset()
    let result = try container.history(
      PersistentHistoryRequest(after: .token(position), limit: Int(number - position.number)))
    figures.fetched += result.transactions.count
    figures.recordsRead += reads.transactions
    let expected = Array((position.number + 1)...number)
    if result.transactions.map(\.number) != expected {
      figures.differences.append(
        "\(name) got \(result.transactions.count) transactions, not \(expected.count)")
    }
    if let last = result.transactions.last { try container.advanceConsumer(name, to: last.token) }
  }

  // MARK: The end

  private mutating func finish() throws {
    if let before = figures.sizes.first, let after = figures.sizes.last,
      after > before + max(before / 10, Self.page)
    {
      figures.differences.append("the store grew from \(before) to \(after) bytes though all was purged")
    }
    if figures.lateSize > figures.earlySize + max(figures.earlySize / 5, Self.page) {
      figures.differences.append("the store grew from \(figures.earlySize) to \(figures.lateSize) bytes")
    }
    if figures.logSize > 16 << 20 { figures.differences.append("the log grew to \(figures.logSize) bytes") }
    if figures.recordsRead != figures.fetched {
      figures.differences.append("\(figures.recordsRead) records were read for \(figures.fetched)")
    }
    // Each purge of all drops more than the one before: were it not linear, the last would cost many times the first.
    let costs = figures.costs.sorted { $0.dropped < $1.dropped }.map(\.microseconds)
    if let small = costs.prefix(costs.count / 2).min(), let large = costs.suffix(2).min(),
      large > 4 * max(small, 10)
    {
      figures.differences.append("a large purge takes \(large) µs a transaction, a small one \(small)")
    }
    figures.differences += try container.check()
  }
}

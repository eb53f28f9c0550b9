import BolideStorage
import Synchronization

/// A state that stays: a reference to it, until it is closed.
final class MemorySnapshot: Snapshot {
  private let core: MemoryCore
  private let state: Mutex<StoreState?>
  private let place: Int

  /// Takes over a place among the open snapshots.
  init(_ opened: (state: StoreState, place: Int), of core: MemoryCore) {
    self.core = core
    state = Mutex(opened.state)
    place = opened.place
  }

  deinit { close() }

  func close() {
    let state = state.withLock { state in
      let held = state
      state = nil
      return held
    }
    if state != nil { core.close(place) }
  }

  /// The state, kept alive by the caller for the length of one call.
  private func read() throws(BolideError) -> StoreState {
    guard let state = state.withLock({ $0 }) else {
      throw BolideError(.storeClosed, "the snapshot was closed")
    }
    return state
  }

  func head() throws(BolideError) -> Mark { try read().contents.head }

  func historyStart() throws(BolideError) -> Mark { try read().contents.historyStart }

  func metadata(_ key: String) throws(BolideError) -> [UInt8]? {
    let state = try read()
    return withExtendedLifetime(state) { state.contents.metadata(key) }
  }

  func rows(
    _ numbers: [Number], of table: TableID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    let state = try read()
    defer { withExtendedLifetime(state) {} }
    try state.contents.rows(numbers, of: table, into: &batch)
  }

  func find(
    _ keys: RowBatch, of table: TableID, by index: IndexID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    let state = try read()
    defer { withExtendedLifetime(state) {} }
    try state.contents.find(keys, of: table, by: index, into: &batch)
  }

  func scan(
    _ range: KeyRange, of table: TableID, backwards: Bool, from place: inout Place?, limit: Int,
    columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    let state = try read()
    defer { withExtendedLifetime(state) {} }
    try state.contents.scan(
      range, of: table, backwards: backwards, from: &place, limit: limit, columns: columns, into: &batch)
  }

  func count(of table: TableID) throws(BolideError) -> Int { try read().contents.count(of: table) }

  func links(
    _ link: LinkID, of numbers: [Number], side: LinkSide, after: Link?, limit: Int, into links: inout [Link]
  ) throws(BolideError) {
    let state = try read()
    defer { withExtendedLifetime(state) {} }
    try state.contents.links(link, of: numbers, side: side, after: after, limit: limit, into: &links)
  }

  func linkCounts(
    _ link: LinkID, of numbers: [Number], side: LinkSide, into counts: inout [Int]
  ) throws(BolideError) {
    let state = try read()
    defer { withExtendedLifetime(state) {} }
    try state.contents.linkCounts(link, of: numbers, side: side, into: &counts)
  }

  func transactions(
    after number: UInt64, limit: Int, into records: inout [TransactionRecord]
  ) throws(BolideError) {
    let state = try read()
    defer { withExtendedLifetime(state) {} }
    try state.contents.transactions(after: number, limit: limit, into: &records)
  }

  func transaction(_ number: UInt64) throws(BolideError) -> TransactionRecord? {
    let state = try read()
    defer { withExtendedLifetime(state) {} }
    return try state.contents.transaction(number)
  }

  func runs(of transaction: UInt64, into runs: inout [ChangeRun]) throws(BolideError) {
    let state = try read()
    defer { withExtendedLifetime(state) {} }
    try state.contents.runs(of: transaction, into: &runs)
  }

  func tombstones(
    of transaction: UInt64, in table: TableID, after number: Number, limit: Int, into batch: inout RowBatch
  ) throws(BolideError) {
    let state = try read()
    defer { withExtendedLifetime(state) {} }
    try state.contents.tombstones(of: transaction, in: table, after: number, limit: limit, into: &batch)
  }
}

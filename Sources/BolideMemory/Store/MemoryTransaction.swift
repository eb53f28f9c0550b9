import BolideStorage

/// The one write transaction: a state of its own that shares every page it has not written.
///
/// It holds the writer's turn from its making to its end.
final class MemoryTransaction: WriteTransaction {
  private let core: MemoryCore
  private let store: MemoryStore
  let editor: TreeEditor
  var contents: StoreContents
  /// Rows whose keys are out of the unique indexes, by table.
  var released: [TableID: Set<Number>] = [:]
  private var progress = Progress.open
  private var hasAppended = false
  private var hasChangedLayout = false

  private enum Progress {
    case open
    /// A writing call threw; only a rollback is left.
    case failed
    case ended
  }

  init(from state: StoreState, of core: MemoryCore, in store: MemoryStore) {
    self.core = core
    self.store = store
    editor = TreeEditor(epoch: MemoryCore.nextEpoch(), pool: core.pool)
    contents = state.contents
    contents.retainForWriting()
  }

  deinit { rollback() }

  // Ending

  func commit(pinning: Bool) throws(BolideError) -> (any Snapshot)? {
    try requireOpen()
    guard progress == .open else {
      throw BolideError(
        .storeMisuse, "committing after a failed call; the transaction can only be rolled back")
    }
    progress = .ended
    for index in contents.trees.indices { contents.trees[index].tail = nil }
    let state = StoreState(contents, pool: core.pool)
    contents.trees = []
    core.publish(state)
    if hasChangedLayout { store.adopt(state.contents.shape.layout) }
    let snapshot = pinning ? MemorySnapshot(core.open(state), of: core) : nil
    core.queue.leave()
    if hasAppended { core.ring() }
    return snapshot
  }

  func rollback() {
    guard progress != .ended else { return }
    progress = .ended
    for tree in contents.trees { tree.root?.release(in: core.pool) }
    contents.trees = []
    core.queue.leave()
  }

  func requireOpen() throws(BolideError) {
    if progress == .ended { throw BolideError(.storeClosed, "the transaction has ended") }
  }

  /// Runs a writing call; what it throws leaves only a rollback.
  private func write<Result>(_ body: () throws(BolideError) -> Result) throws(BolideError) -> Result {
    try requireOpen()
    guard progress == .open else {
      throw BolideError(.storeMisuse, "writing after a failed call; the transaction can only be rolled back")
    }
    do throws(BolideError) {
      return try body()
    } catch {
      progress = .failed
      throw error
    }
  }

  // Writing

  func insert(
    _ rows: RowBatch, of table: TableID, numberedFrom first: Number, taken: inout [Taken]
  ) throws(BolideError) -> Int {
    try write { () throws(BolideError) in
      try insertRows(rows, of: table, numberedFrom: first, taken: &taken)
    }
  }

  func update(
    _ rows: RowBatch, of table: TableID, columns: ColumnSet, taken: inout [Taken]
  ) throws(BolideError) {
    try write { () throws(BolideError) in
      try updateRows(rows, of: table, columns: columns, taken: &taken)
    }
  }

  func release(_ numbers: [Number], of table: TableID) throws(BolideError) {
    try write { () throws(BolideError) in try releaseRows(numbers, of: table) }
  }

  func delete(_ numbers: [Number], of table: TableID) throws(BolideError) {
    try write { () throws(BolideError) in try deleteRows(numbers, of: table) }
  }

  func link(_ link: LinkID, _ links: [Link], added: inout [Bool]) throws(BolideError) {
    try write { () throws(BolideError) in try addLinks(link, links, added: &added) }
  }

  func unlink(_ link: LinkID, _ links: [Link], removed: inout [Bool]) throws(BolideError) {
    try write { () throws(BolideError) in try removeLinks(link, links, removed: &removed) }
  }

  func append(
    _ record: TransactionRecord, runs: [ChangeRun], tombstones: [Tombstones]
  ) throws(BolideError) {
    try write { () throws(BolideError) in
      guard !hasAppended, record.mark.transaction == contents.head.transaction + 1 else {
        throw BolideError(
          .storeMisuse,
          "appending transaction \(record.mark.transaction) after \(contents.head.transaction)")
      }
      try appendHistory(record, runs: runs, tombstones: tombstones)
      hasAppended = true
    }
  }

  func dropHistory(through number: UInt64, limit: Int) throws(BolideError) -> Bool {
    try write { () throws(BolideError) in try dropOldest(through: number, limit: limit) }
  }

  func setMetadata(_ key: String, _ value: [UInt8]?) throws(BolideError) {
    try write { () throws(BolideError) in
      if let value { return editor.set(key, value, in: &contents) }
      var key = key
      key.withUTF8 { bytes in
        _ = editor.remove(Key(UnsafeRawBufferPointer(bytes)), from: &contents.trees[StoreShape.metadata])
      }
    }
  }

  func change(_ layout: Layout) throws(BolideError) {
    try write { () throws(BolideError) in
      try changeLayout(layout)
      hasChangedLayout = true
    }
  }
}

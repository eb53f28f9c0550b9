import BolideStorage

/// A committed state of a store: everything is reachable from here, and nothing here changes.
///
/// Taking a snapshot and forking keep a reference to it and copy nothing. The last one gives up the pages.
final class StoreState: Sendable {
  let contents: StoreContents
  let pool: PagePool

  /// Takes over the caller's ownership of the trees' roots.
  init(_ contents: StoreContents, pool: PagePool) {
    self.contents = contents
    self.pool = pool
  }

  deinit {
    for tree in contents.trees { tree.root?.release(in: pool) }
  }

  /// A state that has other values for some metadata, and shares all else with this one.
  func setting(_ metadata: [String: [UInt8]]) -> StoreState {
    if metadata.isEmpty { return self }
    var contents = contents
    contents.retainForWriting()
    let editor = TreeEditor(epoch: MemoryCore.nextEpoch(), pool: pool)
    for (name, value) in metadata { editor.set(name, value, in: &contents) }
    for index in contents.trees.indices { contents.trees[index].tail = nil }
    return StoreState(contents, pool: pool)
  }
}

extension TreeEditor {
  /// Sets the value under a key of the layer above.
  func set(_ name: String, _ value: [UInt8], in contents: inout StoreContents) {
    var name = name
    name.withUTF8 { bytes in
      value.withUnsafeBytes {
        set(Key(UnsafeRawBufferPointer(bytes)), $0, in: &contents.trees[StoreShape.metadata])
      }
    }
  }
}

/// The trees of a state and the few facts that are not in trees. A value; it owns no pages.
///
/// Sendable although trees point to pages: pages that more than one thread can reach never change.
struct StoreContents: @unchecked Sendable {
  var shape: StoreShape
  var trees: [Tree]
  var head = Mark.start
  var historyStart = Mark.start
  /// Of each link table, whether some link ever had a place other than 0.
  var hasOrders: [Bool]

  /// An empty store.
  init(_ layout: Layout) {
    shape = StoreShape(layout)
    trees = Array(repeating: Tree(), count: shape.treeCount)
    hasOrders = layout.links.map { _ in false }
  }

  /// Adds an owner to every root and forgets the right-most leaves, which belonged to another transaction.
  mutating func retainForWriting() {
    for index in trees.indices {
      trees[index].root?.retain()
      trees[index].tail = nil
    }
  }
}

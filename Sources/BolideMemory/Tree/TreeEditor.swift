/// What a transaction needs to change trees: its epoch, the pool, and room for the path to a leaf.
final class TreeEditor {
  /// Pages of this epoch belong to the transaction and are written in place.
  let epoch: UInt64
  let pool: PagePool
  private let path: UnsafeMutablePointer<Step>
  private var depth = 0
  /// Whether the path runs along the right edge of the tree.
  private var isRightmost = false

  private struct Step {
    var page: Page
    var index: Int
  }

  /// More levels than memory could ever hold.
  private static let maximumDepth = 32

  init(epoch: UInt64, pool: PagePool) {
    self.epoch = epoch
    self.pool = pool
    path = .allocate(capacity: Self.maximumDepth)
  }

  deinit { path.deallocate() }

  /// What was there when a key was to be inserted.
  enum Insertion {
    case inserted
    /// The key was there; its value, valid until the tree is changed.
    case present(UnsafeRawBufferPointer)
  }

  /// Inserts a key that is not there yet; changes nothing if it is.
  @inline(__always)
  func insert(_ key: Key, _ value: UnsafeRawBufferPointer, into tree: inout Tree) -> Insertion {
    if let tail = tree.tail, tail.count > 0, key.compare(to: tail.key(tail.count - 1)) > 0,
      tail.hasRoom(Page.cost(key, valueLength: value.count))
    {
      tail.insert(key, value, at: tail.count, in: pool)
      tree.count += 1
      return .inserted
    }
    return insertSearching(key, value, into: &tree)
  }

  /// Sets the value of a key, whether it is there or not.
  func set(_ key: Key, _ value: UnsafeRawBufferPointer, in tree: inout Tree) {
    guard case .present = insert(key, value, into: &tree) else { return }
    // The path leads to the entry.
    own(&tree)
    let leaf = path[depth - 1].page
    let index = path[depth - 1].index
    if leaf.overwrite(value, at: index) { return }
    tree.tail = nil
    leaf.remove(at: index, in: pool)
    place(key, value, in: &tree)
  }

  /// Replaces the value of a key; tells whether it was there.
  ///
  /// Keys that follow each other mostly stand in one leaf, which is searched alone then.
  func replace(_ key: Key, _ value: UnsafeRawBufferPointer, in tree: inout Tree) -> Bool {
    guard findNearby(key, in: tree) else { return false }
    own(&tree)
    let leaf = path[depth - 1].page
    let index = path[depth - 1].index
    if leaf.overwrite(value, at: index) { return true }
    tree.tail = nil
    leaf.remove(at: index, in: pool)
    place(key, value, in: &tree)
    return true
  }

  /// Removes a key and says whether it was there.
  @discardableResult
  func remove(_ key: Key, from tree: inout Tree) -> Bool {
    guard find(key, in: tree) else { return false }
    own(&tree)
    tree.tail = nil
    tree.count -= 1
    let leaf = path[depth - 1].page
    leaf.remove(at: path[depth - 1].index, in: pool)
    shrink(&tree)
    depth = 0
    return true
  }

  /// Keeps some entries of a tree and drops the others: by one walk, whatever their order.
  func keep(in tree: inout Tree, where isKept: (Page, Int) -> Bool) {
    var kept = Tree()
    var cursor = Cursor(tree)
    cursor.seekStart()
    while let (leaf, index) = cursor.position {
      if isKept(leaf, index) { _ = insert(leaf.key(index), leaf.value(index), into: &kept) }
      cursor.advance()
    }
    tree.root?.release(in: pool)
    tree = kept
    depth = 0
  }

  /// Gives up a tree.
  func clear(_ tree: inout Tree) {
    tree.root?.release(in: pool)
    tree = Tree()
    depth = 0
  }

  // The path

  private func insertSearching(
    _ key: Key, _ value: UnsafeRawBufferPointer, into tree: inout Tree
  ) -> Insertion {
    if tree.root == nil { tree.root = Page(level: 0, epoch: epoch, in: pool) }
    if find(key, in: tree) { return .present(path[depth - 1].page.value(path[depth - 1].index)) }
    own(&tree)
    place(key, value, in: &tree)
    tree.count += 1
    return .inserted
  }

  /// Makes the path to where `key` is or belongs; says whether it is there.
  private func find(_ key: Key, in tree: Tree) -> Bool {
    depth = 0
    isRightmost = true
    guard var page = tree.root else { return false }
    while !page.isLeaf {
      let index = page.childIndex(for: key)
      isRightmost = isRightmost && index == page.count - 1
      path[depth] = Step(page: page, index: index)
      depth += 1
      page = page.child(index)
    }
    let (index, isFound) = page.search(key)
    path[depth] = Step(page: page, index: index)
    depth += 1
    return isFound
  }

  /// As ``find(_:in:)``; where the path leads to the leaf that the key is in, no other page is looked at.
  private func findNearby(_ key: Key, in tree: Tree) -> Bool {
    if depth > 0, path[0].page == tree.root {
      let leaf = path[depth - 1].page
      if leaf.isLeaf, leaf.count > 0, leaf.key(0).compare(to: key) <= 0,
        key.compare(to: leaf.key(leaf.count - 1)) <= 0
      {
        let (index, isFound) = leaf.search(key)
        path[depth - 1].index = index
        return isFound
      }
    }
    return find(key, in: tree)
  }

  /// Copies the pages of the path that others can see.
  private func own(_ tree: inout Tree) {
    for level in 0..<depth where path[level].page.epoch != epoch {
      let shared = path[level].page
      let owned = shared.copy(epoch: epoch, in: pool)
      if level == 0 {
        tree.root = owned
      } else {
        path[level - 1].page.setChild(path[level - 1].index, owned)
      }
      shared.release(in: pool)
      path[level].page = owned
    }
  }

  // Growing

  /// Puts an entry at the end of the path, which is owned, and splits pages where it does not fit.
  private func place(_ key: Key, _ value: UnsafeRawBufferPointer, in tree: inout Tree) {
    let leaf = path[depth - 1].page
    let index = path[depth - 1].index
    if leaf.hasRoom(Page.cost(key, valueLength: value.count)) {
      leaf.insert(key, value, at: index, in: pool)
      tree.tail = isRightmost ? leaf : tree.tail
      return
    }
    let right = Page(level: 0, epoch: epoch, in: pool)
    if isRightmost, index == leaf.count {
      // Ascending keys fill pages to the brim.
      right.insert(key, value, at: 0, in: pool)
    } else {
      let middle = leaf.middle()
      leaf.moveEntries(from: middle, to: right)
      if index <= middle, leaf.hasRoom(Page.cost(key, valueLength: value.count)) {
        leaf.insert(key, value, at: index, in: pool)
      } else {
        right.insert(key, value, at: max(index - middle, 0), in: pool)
      }
    }
    tree.tail = isRightmost ? right : tree.tail
    let separator = right.key(0).separator(from: leaf.key(leaf.count - 1))
    raise(separator, right, from: depth - 2, in: &tree)
    // Where pages were cut the path is none any more.
    depth = 0
  }

  /// Puts a new page, right of the one on the path, into the branch at `level` of the path.
  private func raise(_ key: Key, _ page: Page, from level: Int, in tree: inout Tree) {
    guard level >= 0 else {
      let left = path[0].page
      let root = Page(level: left.level + 1, epoch: epoch, in: pool)
      root.insert(Key(UnsafeRawBufferPointer(start: nil, count: 0)), child: left, at: 0, in: pool)
      root.insert(key, child: page, at: 1, in: pool)
      tree.root = root
      return
    }
    let branch = path[level].page
    let index = path[level].index + 1
    let cost = Page.cost(key, valueLength: 8)
    if branch.hasRoom(cost) {
      branch.insert(key, child: page, at: index, in: pool)
      return
    }
    let right = Page(level: branch.level, epoch: epoch, in: pool)
    if isRightmost, index == branch.count {
      right.insert(key, child: page, at: 0, in: pool)
    } else {
      let middle = branch.middle()
      branch.moveEntries(from: middle, to: right)
      if index <= middle, branch.hasRoom(cost) {
        branch.insert(key, child: page, at: index, in: pool)
      } else {
        right.insert(key, child: page, at: max(index - middle, 0), in: pool)
      }
    }
    raise(right.key(0), right, from: level - 1, in: &tree)
  }

  // Shrinking

  /// Joins pages of the path that have become small with a neighbour, from the leaf upwards.
  private func shrink(_ tree: inout Tree) {
    var level = depth - 1
    while level > 0 {
      let page = path[level].page
      if page.used >= Page.capacity / 3 { return }
      let parent = path[level - 1].page
      let index = path[level - 1].index
      if page.count == 0 {
        parent.remove(at: index, in: pool)
        page.release(in: pool)
      } else if index + 1 < parent.count, join(index, of: parent) {
        // The right neighbour is gone.
      } else if index > 0, join(index - 1, of: parent) {
        // The page itself is gone into its left neighbour.
      } else {
        return
      }
      level -= 1
    }
    while let root = tree.root, !root.isLeaf, root.count == 1 {
      let child = root.child(0)
      child.retain()
      root.release(in: pool)
      tree.root = child
    }
    if let root = tree.root, root.count == 0 {
      root.release(in: pool)
      tree.root = nil
    }
  }

  /// Moves all entries of the page right of `index` into the one at `index`, if they fit well.
  private func join(_ index: Int, of parent: Page) -> Bool {
    guard parent.child(index).used + parent.child(index + 1).used <= Page.capacity * 3 / 4 else {
      return false
    }
    let left = ownedChild(index, of: parent)
    let right = ownedChild(index + 1, of: parent)
    if !right.isLeaf, right.count > 0 {
      // The first key of a branch stands for all lower keys; here it has a page before it and must be true.
      let separator = parent.key(index + 1)
      guard left.hasRoom(right.used + Page.cost(separator, valueLength: 8)) else { return false }
      let child = right.child(0)
      right.remove(at: 0, in: pool)
      left.insert(separator, child: child, at: left.count, in: pool)
    }
    right.moveEntries(from: 0, to: left)
    parent.remove(at: index + 1, in: pool)
    right.release(in: pool)
    return true
  }

  private func ownedChild(_ index: Int, of parent: Page) -> Page {
    let page = parent.child(index)
    if page.epoch == epoch { return page }
    let owned = page.copy(epoch: epoch, in: pool)
    parent.setChild(index, owned)
    page.release(in: pool)
    return owned
  }
}

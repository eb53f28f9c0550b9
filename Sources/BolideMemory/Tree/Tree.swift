/// An ordered tree of keys and values: a root page and a count.
///
/// The value does not own its pages: whoever holds the root's owner does (``StoreState``, or the running
/// transaction). Copying the value copies nothing else, so a state is taken in constant time.
struct Tree {
  /// The root; `nil` when the tree is empty.
  var root: Page?
  /// How many entries the tree has.
  var count = 0
  /// The right-most leaf, while the running transaction owns it: ascending entries go there unsearched.
  var tail: Page?

  /// The value of a key, valid until the tree is changed or given up.
  @inline(__always)
  func value(_ key: Key) -> UnsafeRawBufferPointer? {
    guard var page = root else { return nil }
    while !page.isLeaf { page = page.child(page.childIndex(for: key)) }
    let (index, isFound) = page.search(key)
    return isFound ? page.value(index) : nil
  }

  /// The value under a number, in a tree whose keys are numbers; valid as that of ``value(_:)``.
  @inline(__always)
  func value(number: UInt64) -> UnsafeRawBufferPointer? {
    guard var page = root else { return nil }
    while !page.isLeaf { page = page.child(page.place(ofNumber: number)) }
    let index = page.place(ofNumber: number)
    return index < page.count && page.slots[index].head == number ? page.value(index) : nil
  }

  /// How many keys begin with `prefix`.
  func count(prefix: Key) -> Int {
    var cursor = Cursor(self)
    cursor.seek(prefix)
    var total = 0
    while let (leaf, index) = cursor.position {
      // Most leaves lie wholly inside: their last key tells.
      if leaf.key(leaf.count - 1).hasPrefix(prefix) {
        total += leaf.count - index
        cursor.skipLeaf()
      } else {
        var end = index
        while end < leaf.count, leaf.key(end).hasPrefix(prefix) { end += 1 }
        return total + end - index
      }
    }
    return total
  }
}

extension Key {
  /// Whether the key begins with the bytes of another.
  func hasPrefix(_ prefix: Key) -> Bool {
    guard prefix.headLength == 8 else {
      if headLength < prefix.headLength { return false }
      let mask = prefix.headLength == 0 ? 0 : UInt64.max << UInt64(64 - Int(prefix.headLength) * 8)
      return head & mask == prefix.head
    }
    return head == prefix.head && headLength == 8 && rest.count >= prefix.rest.count
      && rest.prefix(prefix.rest.count).elementsEqual(prefix.rest)
  }
}

/// A place between two entries of a tree, from which it can be walked both ways.
///
/// Valid as long as the tree is neither changed nor given up.
struct Cursor {
  private let root: Page?
  /// From the root down: each page and the entry taken in it; in the leaf the entry after the place.
  private var path: [(page: Page, index: Int)] = []

  init(_ tree: Tree) {
    root = tree.root
    path.reserveCapacity(8)
  }

  /// The leaf and the entry after the place; `nil` at the end.
  @inline(__always)
  var position: (leaf: Page, index: Int)? {
    guard let last = path.last, last.index < last.page.count else { return nil }
    return (last.page, last.index)
  }

  /// Goes before the first key that is not before `key`.
  mutating func seek(_ key: Key) {
    descend { page in page.isLeaf ? page.search(key).index : page.childIndex(for: key) }
    settleForward()
  }

  /// Goes before the first key that is after `key`.
  mutating func seek(after key: Key) {
    descend { page in
      let (index, isFound) = page.search(key)
      if page.isLeaf { return isFound ? index + 1 : index }
      return isFound ? index : max(index - 1, 0)
    }
    settleForward()
  }

  /// Goes before the first entry.
  mutating func seekStart() {
    descend { _ in 0 }
    settleForward()
  }

  /// Goes behind the last entry.
  mutating func seekEnd() { descend { page in page.isLeaf ? page.count : page.count - 1 } }

  /// Steps over the entry after the place.
  @inline(__always)
  mutating func advance() {
    path[path.count - 1].index += 1
    if path[path.count - 1].index == path[path.count - 1].page.count { settleForward() }
  }

  /// Steps over the rest of the leaf.
  mutating func skipLeaf() {
    guard !path.isEmpty else { return }
    path[path.count - 1].index = path[path.count - 1].page.count
    settleForward()
  }

  /// Steps back over the entry before the place and returns where it is; `nil` at the start.
  mutating func retreat() -> (leaf: Page, index: Int)? {
    guard !path.isEmpty else { return nil }
    if path[path.count - 1].index > 0 {
      path[path.count - 1].index -= 1
      return (path[path.count - 1].page, path[path.count - 1].index)
    }
    var depth = path.count - 2
    while depth >= 0, path[depth].index == 0 { depth -= 1 }
    guard depth >= 0 else { return nil }
    path[depth].index -= 1
    path.removeSubrange((depth + 1)...)
    descend(from: path[depth].page.child(path[depth].index)) { page in page.count - 1 }
    guard let last = path.last else { return nil }
    return (last.page, last.index)
  }

  private mutating func descend(_ choose: (Page) -> Int) {
    path.removeAll(keepingCapacity: true)
    if let root { descend(from: root, choose) }
  }

  private mutating func descend(from start: Page, _ choose: (Page) -> Int) {
    var page = start
    while true {
      let index = choose(page)
      path.append((page, index))
      if page.isLeaf { return }
      page = page.child(index)
    }
  }

  /// Where the place is behind the last entry of a leaf, goes to the start of the next leaf, if there is one.
  private mutating func settleForward() {
    guard let last = path.last, last.index >= last.page.count else { return }
    var depth = path.count - 2
    while depth >= 0, path[depth].index + 1 >= path[depth].page.count { depth -= 1 }
    guard depth >= 0 else { return }
    path[depth].index += 1
    path.removeSubrange((depth + 1)...)
    descend(from: path[depth].page.child(path[depth].index)) { _ in 0 }
  }
}

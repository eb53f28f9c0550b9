import BolideStorage
import Foundation

extension PageFile {
  /// Pages that are looked at whenever a store is opened whose file has its full length.
  static let openingBudget = 1024

  /// Walks the trees of one committed state and names the first damage; `nil` when there is none.
  ///
  /// The caller holds a read transaction of that state, so that no writer reuses its pages.
  /// - Parameter budget: how many pages to look at, the upper ones first; `nil` for all.
  func problem(in meta: Meta, budget: Int?) -> String? {
    var walk = PageWalk(file: self, meta: meta, left: budget ?? Int.max)
    return walk.problem(in: meta.freeList, "the free list") ?? walk.problem(
      in: meta.main, "the main database")
      ?? databases(meta).lazy.compactMap { database in
        walk.problem(in: database.tree, String(decoding: database.name, as: UTF8.self))
      }.first
  }

  /// The meta page of the state that a read transaction sees, if it is one of the two newest.
  func meta(ofTransaction transaction: UInt64) -> Meta? {
    for _ in 0..<16 {
      guard let newest = try? newestMeta() else { return nil }
      if newest.transaction == transaction { return newest }
      if newest.transaction > transaction { return nil }
    }
    return nil
  }

  /// Whether the file ends before its last page. That may be right: a page that was taken and given back
  /// in one transaction is never written.
  func isShort(_ meta: Meta) -> Bool { size < (Int(meta.lastPage) + 1) * meta.pageSize }
}

/// A walk over trees of pages, breadth first, that checks what LMDB relies on.
private struct PageWalk {
  let file: PageFile
  let meta: PageFile.Meta
  var left: Int

  mutating func problem(in tree: PageFile.Tree, _ name: String) -> String? {
    guard tree.root != PageFile.Tree.none else {
      return tree.entries == 0 ? nil : "\(name) has entries and no page"
    }
    var level = [tree.root]
    for depth in stride(from: tree.depth, to: 0, by: -1) {
      var below: [UInt64] = []
      for number in level {
        if left == 0 { return nil }
        left -= 1
        guard let page = file.page(number, meta), page.isBranch == (depth > 1) else {
          return "page \(number) of \(name) is damaged"
        }
        if page.isBranch {
          for node in page.nodes { below.append(page.child(node)) }
        }
        if !isOrdered(page, tree) || !areEntriesSound(page, tree) {
          return "page \(number) of \(name) holds damaged entries"
        }
      }
      level = below
    }
    return level.isEmpty && tree.depth > 0 ? nil : "\(name) is deeper than it says"
  }

  /// Whether keys ascend and have the length that the database's order needs.
  private func isOrdered(_ page: Page, _ tree: PageFile.Tree) -> Bool {
    let isInteger = tree.flags & PageFile.Tree.integerKey != 0
    var previous: [UInt8]?
    // The first key of a branch page is not looked at by LMDB and may be empty.
    for node in page.nodes.dropFirst(page.isBranch ? 1 : 0) {
      let key = page.key(of: node)
      if isInteger ? key.count != 8 : key.isEmpty { return false }
      let ordered = isInteger ? key.reversed() : key
      if let previous, !previous.lexicographicallyPrecedes(ordered) { return false }
      previous = ordered
    }
    return true
  }

  private mutating func areEntriesSound(_ page: Page, _ tree: PageFile.Tree) -> Bool {
    if page.isBranch { return true }
    for node in page.nodes {
      let flags = page.flags(of: node)
      if flags & Page.treeFlag != 0, page.dataLength(of: node) != PageFile.Tree.byteCount { return false }
      guard flags & ~(Page.bigFlag | Page.treeFlag) == 0 else { return false }
      if flags & Page.bigFlag != 0 {
        let first = page.withData(of: node) { $0.number(0, UInt64.self) }
        guard isOverflow(first, length: page.dataLength(of: node)) else { return false }
      }
    }
    return true
  }

  /// Whether overflow pages for that many bytes begin at a page.
  private mutating func isOverflow(_ first: UInt64, length: Int) -> Bool {
    guard first > 1, first <= meta.lastPage,
      let header = file.read(at: Int(first) * meta.pageSize, count: Page.headerLength)
    else { return false }
    let (number, flags, count) = header.withUnsafeBytes {
      ($0.number(0, UInt64.self), $0.number(10, UInt16.self), Int($0.number(12, UInt32.self)))
    }
    let end = (Int(first) + count) * meta.pageSize
    return number == first && flags == Page.overflowFlag
      && count * meta.pageSize >= length + Page.headerLength
      && end <= file.size
  }
}

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
    if let problem = walk.problem(in: meta.freeList, "the free list") { return problem }
    if let problem = walk.problem(in: meta.main, "the main database") { return problem }
    // Each tree is walked once: a second walk would find the budget used up.
    for database in databases(meta) {
      let name = String(decoding: database.name, as: UTF8.self)
      if let problem = walk.problem(in: database.tree, name) { return problem }
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
  /// Whether the values are lists of page numbers, each with its length first.
  var isFreeList = false

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
        if !page.isOrdered(byNumber: tree.flags & PageFile.Tree.integerKey != 0) || !areEntriesSound(page) {
          return "page \(number) of \(name) holds damaged entries"
        }
      }
      level = below
    }
    return level.isEmpty && tree.depth > 0 ? nil : "\(name) is deeper than it says"
  }

  private mutating func areEntriesSound(_ page: Page) -> Bool {
    if page.isBranch { return true }
    for node in page.nodes {
      let flags = page.flags(of: node)
      if flags & Page.treeFlag != 0, page.dataLength(of: node) != PageFile.Tree.byteCount { return false }
      guard flags & ~(Page.bigFlag | Page.treeFlag) == 0 else { return false }
      if flags & Page.bigFlag != 0 {
        let first = page.withData(of: node) { $0.number(0, UInt64.self) }
        guard isOverflow(first, length: page.dataLength(of: node)) else { return false }
      }
      if isFreeList, !isList(page, node) { return false }
    }
    return true
  }

  /// Whether the data of a node is a list of pages of the file, in descending order.
  private func isList(_ page: Page, _ node: Int) -> Bool {
    var bytes = page.withData(of: node) { [UInt8]($0) }
    if page.flags(of: node) & Page.bigFlag != 0 {
      let start = Int(bytes.withUnsafeBytes { $0.number(0, UInt64.self) }) * meta.pageSize + Page.headerLength
      guard let data = file.read(at: start, count: page.dataLength(of: node)) else { return false }
      bytes = data
    }
    return bytes.withUnsafeBytes { list in
      guard list.count >= 8, list.count % 8 == 0, list.number(0, UInt64.self) == UInt64(list.count / 8 - 1)
      else { return false }
      var previous = meta.lastPage + 1
      for offset in stride(from: 8, to: list.count, by: 8) {
        let number = list.number(offset, UInt64.self)
        guard number > 1, number < previous else { return false }
        previous = number
      }
      return true
    }
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

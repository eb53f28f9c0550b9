/// One version of a list: rows by section and key, found by place and placed by key in logarithmic time (rule F-2).
struct ListTree: Sendable {
  private(set) var root: ListNode?

  /// A list without rows.
  init() {}

  /// The list of rows that are in order.
  init(sorted entries: [ListEntry], work: inout ListWork) {
    raise(ListNode.leaves(entries, work: &work), work: &work)
  }

  private mutating func raise(_ nodes: [ListNode], work: inout ListWork) {
    var level = nodes
    while level.count > 1 { level = ListNode.branches(level, work: &work) }
    root = level.first
    while let only = root, only.children.count == 1 { root = only.children[0] }
  }

  /// How many rows there are.
  var count: Int { root?.rows ?? 0 }
  /// How many sections they are in.
  var sectionCount: Int { root?.sections ?? 0 }

  /// The version after rows came and went.
  func applying(_ edits: [ListEdit], work: inout ListWork) -> ListTree {
    if edits.isEmpty { return self }
    var counted = work
    let sorted = edits.sorted { counted.precedes($0.entry, $1.entry) }
    work = counted
    guard let root else {
      return ListTree(sorted: sorted.filter { !$0.isRemoval }.map(\.entry), work: &work)
    }
    var result = ListTree()
    result.raise(root.applying(sorted[...], work: &work), work: &work)
    return result
  }

  /// The row at a place in the whole list, from 0.
  subscript(rank: Int) -> ListEntry? {
    guard var node = root, rank >= 0, rank < node.rows else { return nil }
    var rest = rank
    while !node.isLeaf {
      let index = node.rowsBefore.dropFirst().partition { $0 <= rest } - 1
      rest -= node.rowsBefore[index]
      node = node.children[index]
    }
    return node.entries[rest]
  }

  /// How many rows come before an entry.
  func rank(of entry: ListEntry, work: inout ListWork) -> Int {
    guard var node = root else { return 0 }
    var rank = 0
    while !node.isLeaf {
      let index = node.place(of: entry, work: &work)
      rank += node.rowsBefore[index]
      node = node.children[index]
    }
    return rank + node.lowerBound(of: entry, from: 0, work: &work)
  }

  /// How many sections come before a section, how many rows they have, and whether the section is there.
  func start(of section: SectionKey?, work: inout ListWork) -> SectionStart {
    var start = SectionStart(index: 0, row: 0, isThere: false)
    guard var node = root else { return start }
    while !node.isLeaf {
      let low = node.children.partition { work.precedes($0.last.section, section) }
      guard low < node.children.count else {
        start.index += node.sections
        start.row += node.rows
        return start
      }
      start.row += node.rowsBefore[low]
      start.index += node.sectionsBefore[low]
      let child = node.children[low]
      if node.continues[low], work.precedes(child.first.section, section) { start.index -= 1 }
      node = child
    }
    var previous: SectionKey?
    for (index, entry) in node.entries.enumerated() {
      guard work.precedes(entry.section, section) else {
        start.isThere = work.areEqual(entry.section, section)
        return start
      }
      if index == 0 || !work.areEqual(previous, entry.section) { start.index += 1 }
      previous = entry.section
      start.row += 1
    }
    return start
  }

  /// The place of an entry's section and the entry's row in it.
  func path(of entry: ListEntry, work: inout ListWork) -> RowPath {
    let rank = rank(of: entry, work: &work)
    guard entry.section != nil else { return RowPath(section: 0, row: rank) }
    let start = start(of: entry.section, work: &work)
    return RowPath(section: start.index, row: rank - start.row)
  }

  /// The first row of each section, and its place in the whole list.
  func sectionStarts() -> [(entry: ListEntry, rank: Int)] {
    var result: [(entry: ListEntry, rank: Int)] = []
    result.reserveCapacity(sectionCount)
    var work = ListWork()
    root?.collectStarts(from: 0, into: &result, work: &work)
    return result
  }

  /// Calls `body` with every row, in order.
  func forEach(_ body: (ListEntry) -> Void) { root?.forEach(body) }
}

/// Where a section begins, or would.
struct SectionStart {
  var index: Int
  var row: Int
  var isThere: Bool
}

extension ListNode {
  func forEach(_ body: (ListEntry) -> Void) {
    for entry in entries { body(entry) }
    for child in children { child.forEach(body) }
  }

  /// Adds the rows that begin a section; nodes with one section alone are passed over.
  fileprivate func collectStarts(
    from rank: Int, into starts: inout [(entry: ListEntry, rank: Int)], work: inout ListWork
  ) {
    if let last = starts.last, sections == 1, work.areEqual(last.entry.section, first.section) { return }
    if sections == 1 {
      starts.append((first, rank))
      return
    }
    for (index, entry) in entries.enumerated() {
      if let last = starts.last, work.areEqual(last.entry.section, entry.section) { continue }
      starts.append((entry, rank + index))
    }
    for (index, child) in children.enumerated() {
      child.collectStarts(from: rank + rowsBefore[index], into: &starts, work: &work)
    }
  }
}

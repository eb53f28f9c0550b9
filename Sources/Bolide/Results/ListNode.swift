/// A node of the counted B+tree of a list: never changed once made, so that versions share what they have in common.
final class ListNode: Sendable {
  /// The most entries or children of a node.
  static let capacity = 64
  /// Nodes with fewer are joined with a neighbor.
  static let minimum = 16

  /// The rows of a leaf, in order.
  let entries: [ListEntry]
  /// The children of a branch, in order; empty in a leaf.
  let children: [ListNode]
  /// How many rows lie in the children before each one.
  let rowsBefore: [Int]
  /// How many sections lie in the children before each one.
  let sectionsBefore: [Int]
  /// Whether a child goes on with the last section of the one before it.
  let continues: [Bool]
  /// How many rows lie below.
  let rows: Int
  /// How many different sections they are in.
  let sections: Int
  let first: ListEntry
  let last: ListEntry

  var isLeaf: Bool { children.isEmpty }
  private var size: Int { isLeaf ? entries.count : children.count }

  /// A leaf; `nil` without entries.
  init?(entries: [ListEntry], work: inout ListWork) {
    guard let first = entries.first, let last = entries.last else { return nil }
    self.entries = entries
    self.first = first
    self.last = last
    children = []
    rowsBefore = []
    sectionsBefore = []
    continues = []
    rows = entries.count
    var sections = 1
    for index in 1..<max(1, entries.count)
    where !work.areEqual(entries[index - 1].section, entries[index].section) {
      sections += 1
    }
    self.sections = sections
  }

  /// A branch; `nil` without children.
  init?(children: [ListNode], work: inout ListWork) {
    guard let first = children.first, let last = children.last else { return nil }
    entries = []
    self.children = children
    self.first = first.first
    self.last = last.last
    var rows = 0
    var sections = 0
    var rowsBefore: [Int] = []
    var sectionsBefore: [Int] = []
    var continues: [Bool] = []
    for (index, child) in children.enumerated() {
      rowsBefore.append(rows)
      sectionsBefore.append(sections)
      let goesOn = index > 0 && work.areEqual(children[index - 1].last.section, child.first.section)
      continues.append(goesOn)
      rows += child.rows
      sections += child.sections - (goesOn ? 1 : 0)
    }
    self.rows = rows
    self.sections = sections
    self.rowsBefore = rowsBefore
    self.sectionsBefore = sectionsBefore
    self.continues = continues
  }

  // MARK: Making levels

  /// Parts of nearly equal size, none above the capacity.
  private static func parts(of count: Int) -> [Range<Int>] {
    let number = (count + capacity - 1) / capacity
    return (0..<number).map { count * $0 / number..<count * ($0 + 1) / number }
  }

  static func leaves(_ entries: [ListEntry], work: inout ListWork) -> [ListNode] {
    // Rows of one section share one key object where they meet, so that most comparisons are of identities.
    var entries = entries
    for index in entries.indices.dropFirst() {
      let section = entries[index - 1].section
      if section !== entries[index].section, work.areEqual(section, entries[index].section) {
        entries[index].section = section
      }
    }
    return parts(of: entries.count).compactMap { ListNode(entries: Array(entries[$0]), work: &work) }
  }

  static func branches(_ children: [ListNode], work: inout ListWork) -> [ListNode] {
    parts(of: children.count).compactMap { ListNode(children: Array(children[$0]), work: &work) }
  }

  /// Nodes of one level with those that are too small joined to their neighbors.
  private static func joined(_ nodes: [ListNode], work: inout ListWork) -> [ListNode] {
    var result: [ListNode] = []
    for node in nodes {
      guard let last = result.last, last.size < minimum || node.size < minimum else {
        result.append(node)
        continue
      }
      result.removeLast()
      result +=
        node.isLeaf
        ? leaves(last.entries + node.entries, work: &work)
        : branches(joined(last.children + node.children, work: &work), work: &work)
    }
    return result
  }

  // MARK: Editing

  /// The nodes that stand in this one's place after edits, which are in order; each node is made anew at most once.
  func applying(_ edits: ArraySlice<ListEdit>, work: inout ListWork) -> [ListNode] {
    if edits.isEmpty { return [self] }
    guard !isLeaf else { return Self.leaves(merged(edits, work: &work), work: &work) }
    var rest = edits
    var result: [ListNode] = []
    var index = 0
    while let edit = rest.first {
      let next = max(index, place(of: edit.entry, work: &work))
      result += children[index..<next]
      var end = rest.startIndex + 1
      while end < rest.endIndex,
        next + 1 == children.count || work.precedes(rest[end].entry, children[next + 1].first)
      {
        end += 1
      }
      result += children[next].applying(rest[..<end], work: &work)
      rest = rest[end...]
      index = next + 1
    }
    result += children[index...]
    return Self.branches(Self.joined(result, work: &work), work: &work)
  }

  /// The child in whose range an entry falls.
  func place(of entry: ListEntry, work: inout ListWork) -> Int {
    children.dropFirst().partition { !work.precedes(entry, $0.first) } - 1
  }

  private func merged(_ edits: ArraySlice<ListEdit>, work: inout ListWork) -> [ListEntry] {
    var result: [ListEntry] = []
    result.reserveCapacity(entries.count + edits.count)
    var index = 0
    for edit in edits {
      let place = lowerBound(of: edit.entry, from: index, work: &work)
      result += entries[index..<place]
      index = place
      let isThere = index < entries.count && entries[index].key == edit.entry.key
      if isThere { index += 1 }
      if !edit.isRemoval { result.append(edit.entry) }
    }
    result += entries[index...]
    return result
  }

  /// The first place in a leaf whose row does not come before an entry.
  func lowerBound(of entry: ListEntry, from start: Int, work: inout ListWork) -> Int {
    entries[start...].partition { work.precedes($0, entry) }
  }
}

/// A row that comes into a list or leaves it.
struct ListEdit {
  let entry: ListEntry
  let isRemoval: Bool
}

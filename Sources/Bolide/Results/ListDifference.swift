import BolideStorage

/// A row that was looked at between two versions of a list.
struct TouchedRow {
  let number: Number
  /// Where it was in the older version, if it was there.
  let old: ListEntry?
  /// Where it is in the newer one, if it is there.
  let new: ListEntry?
  /// Whether what it shows may differ although its place does not.
  let isUpdated: Bool
}

/// What leads from one version of a list to another: section changes, and one change a row (rule F-1).
///
/// Old places are in the older version, new ones in the newer. The cost follows the touched rows: each is placed in
/// both versions in logarithmic time.
struct ListDifference {
  enum Change {
    case delete(ListEntry, RowPath)
    case insert(ListEntry, RowPath)
    case move(ListEntry, RowPath, RowPath)
    case update(ListEntry, RowPath, RowPath)
  }

  private(set) var deletedSections: [(index: Int, key: SectionKey)] = []
  private(set) var insertedSections: [(index: Int, key: SectionKey)] = []
  /// Deletes by old place, then inserts by new, moves by new, and updates by old place.
  private(set) var changes: [Change] = []

  var isEmpty: Bool { deletedSections.isEmpty && insertedSections.isEmpty && changes.isEmpty }

  /// A row that is in both versions, not at the same key.
  private struct Candidate {
    let entry: ListEntry
    let old: RowPath
    let new: RowPath
    /// How many rows with unchanged keys come before it, in the older version and in the newer one.
    var gaps: (old: Int, new: Int)
    let keepsSection: Bool
    /// Whether the section that the row was in is gone.
    let lostSection: Bool
    var isMoved = false
  }

  init(from old: ListTree, to new: ListTree, rows: [TouchedRow], work: inout ListWork) {
    var candidates: [Candidate] = []
    // Places in the whole list of all rows that left their key, and of all that came to theirs.
    var left: [Int] = []
    var came: [Int] = []
    for row in rows {
      switch (row.old, row.new) {
      case (nil, nil): break
      case (let before?, nil):
        let place = Self.place(of: before, in: old, work: &work)
        left.append(place.rank)
        noteDeletion(of: before.section, at: place.path.section, unlessIn: new, work: &work)
        changes.append(.delete(before, place.path))
      case (nil, let after?):
        let place = Self.place(of: after, in: new, work: &work)
        came.append(place.rank)
        noteInsertion(of: after.section, at: place.path.section, unlessIn: old, work: &work)
        changes.append(.insert(after, place.path))
      case (let before?, let after?):
        let from = Self.place(of: before, in: old, work: &work)
        let to = Self.place(of: after, in: new, work: &work)
        if work.areSame(before, after) {
          if row.isUpdated { changes.append(.update(after, from.path, to.path)) }
          continue
        }
        left.append(from.rank)
        came.append(to.rank)
        let keepsSection = work.areEqual(before.section, after.section)
        var lostSection = false
        if !keepsSection {
          lostSection = noteDeletion(of: before.section, at: from.path.section, unlessIn: new, work: &work)
          noteInsertion(of: after.section, at: to.path.section, unlessIn: old, work: &work)
        }
        candidates.append(
          Candidate(
            entry: after, old: from.path, new: to.path, gaps: (from.rank, to.rank),
            keepsSection: keepsSection, lostSection: lostSection))
      }
    }
    left.sort()
    came.sort()
    for index in candidates.indices {
      candidates[index].gaps.old -= left.partition { $0 < candidates[index].gaps.old }
      candidates[index].gaps.new -= came.partition { $0 < candidates[index].gaps.new }
    }
    decideMoves(among: &candidates)
    for row in candidates {
      if row.lostSection {
        // The section went with its row: a move out of it would name what is gone.
        changes.append(.insert(row.entry, row.new))
      } else if row.isMoved {
        changes.append(.move(row.entry, row.old, row.new))
      } else {
        changes.append(.update(row.entry, row.old, row.new))
      }
    }
    putInOrder()
  }

  /// A row moved if another number of rows with unchanged keys comes before it than did; of several in one gap those
  /// moved that are outside the longest run which kept its order.
  private func decideMoves(among candidates: inout [Candidate]) {
    var gaps: [Int: [Int]] = [:]
    for (index, row) in candidates.enumerated() {
      if row.keepsSection, row.gaps.old == row.gaps.new {
        gaps[row.gaps.new, default: []].append(index)
      } else {
        candidates[index].isMoved = true
      }
    }
    for members in gaps.values where members.count > 1 {
      let byOld = members.sorted { candidates[$0].old < candidates[$1].old }
      let kept = Self.longestRun(byOld.map { candidates[$0].new })
      for (place, index) in byOld.enumerated() where !kept.contains(place) {
        candidates[index].isMoved = true
      }
    }
  }

  /// The places of a longest ascending subsequence.
  private static func longestRun(_ values: [RowPath]) -> Set<Int> {
    // The place of the lowest value that ends a run of each length, and the place before each in its run.
    var ends: [Int] = []
    var previous = [Int?](repeating: nil, count: values.count)
    for (place, value) in values.enumerated() {
      let low = ends.partition { values[$0] < value }
      previous[place] = low > 0 ? ends[low - 1] : nil
      if low < ends.count { ends[low] = place } else { ends.append(place) }
    }
    var run: Set<Int> = []
    var next = ends.last
    while let place = next {
      run.insert(place)
      next = previous[place]
    }
    return run
  }

  private static func place(
    of entry: ListEntry, in tree: ListTree, work: inout ListWork
  ) -> (rank: Int, path: RowPath) {
    let rank = tree.rank(of: entry, work: &work)
    guard entry.section != nil else { return (rank, RowPath(section: 0, row: rank)) }
    let start = tree.start(of: entry.section, work: &work)
    return (rank, RowPath(section: start.index, row: rank - start.row))
  }

  // MARK: Sections

  @discardableResult
  private mutating func noteDeletion(
    of section: SectionKey?, at index: Int, unlessIn new: ListTree, work: inout ListWork
  ) -> Bool {
    guard let section, !new.start(of: section, work: &work).isThere else { return false }
    deletedSections.append((index, section))
    return true
  }

  private mutating func noteInsertion(
    of section: SectionKey?, at index: Int, unlessIn old: ListTree, work: inout ListWork
  ) {
    guard let section, !old.start(of: section, work: &work).isThere else { return }
    insertedSections.append((index, section))
  }

  // MARK: Order

  private mutating func putInOrder() {
    deletedSections = Self.distinct(deletedSections)
    insertedSections = Self.distinct(insertedSections)
    changes.sort { $0.order < $1.order }
  }

  private static func distinct(_ sections: [(index: Int, key: SectionKey)]) -> [(index: Int, key: SectionKey)]
  {
    var result: [(index: Int, key: SectionKey)] = []
    for section in sections.sorted(by: { $0.index < $1.index }) where section.index != result.last?.index {
      result.append(section)
    }
    return result
  }
}

extension ListDifference.Change {
  fileprivate var order: (Int, RowPath) {
    switch self {
    case .delete(_, let path): (0, path)
    case .insert(_, let path): (1, path)
    case .move(_, _, let path): (2, path)
    case .update(_, let path, _): (3, path)
    }
  }
}

import BolideStorage

/// What a list keeps of a row: its section, the bytes of its place there, and the object's number.
struct ListEntry: Sendable {
  /// `nil` in a list without sections.
  var section: SectionKey?
  /// The sort key, which ends with the number: no two rows have one key (see ``RowOrder``).
  let key: [UInt8]
  let number: Number
  let entity: EntityID
  /// What the section was made of; `nil` where asking again gives the same.
  var columns: SectionColumns?
}

/// How much a list worked: counted, since its cost has to follow the change and not the list (rule F-2).
package struct ListWork: Sendable, Hashable {
  /// Rows asked of the store.
  package var rowsRead = 0
  /// Comparisons of two rows or sections.
  package var comparisons = 0

  /// No work.
  package init() {}
}

extension ListWork {
  /// Whether two rows are in one section.
  mutating func areEqual(_ left: SectionKey?, _ right: SectionKey?) -> Bool {
    guard let left, let right, left !== right else { return true }
    comparisons += 1
    return !left.value.precedes(right.value) && !right.value.precedes(left.value)
  }

  /// Whether one section comes before another.
  mutating func precedes(_ left: SectionKey?, _ right: SectionKey?) -> Bool {
    guard let left, let right, left !== right else { return false }
    comparisons += 1
    return left.value.precedes(right.value)
  }

  /// Whether one row comes before another: by section, then key.
  mutating func precedes(_ left: ListEntry, _ right: ListEntry) -> Bool {
    comparisons += 1
    if let mine = left.section, let other = right.section, mine !== other {
      if mine.value.precedes(other.value) { return true }
      if other.value.precedes(mine.value) { return false }
    }
    return left.key.withUnsafeBytes { left in
      right.key.withUnsafeBytes { RowOrder.precedes(left, $0) }
    }
  }

  /// Whether a row stands where it stood.
  mutating func areSame(_ left: ListEntry, _ right: ListEntry) -> Bool {
    comparisons += 1
    return left.key == right.key && areEqual(left.section, right.section)
  }
}

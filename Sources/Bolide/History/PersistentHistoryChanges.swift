import BolideStorage
import Foundation

/// The changes of a transaction, by entity name, then number (rule H-2).
///
/// They are kept as history keeps them, as ranges of objects to which the same was done: an import of a hundred
/// thousand objects is one range, and a change is made when it is looked at. ``runs`` gives the ranges themselves.
public struct PersistentHistoryChanges: RandomAccessCollection, Sendable {
  /// Objects of one entity with successive numbers, to which a transaction did the same.
  public struct Run: Sendable {
    let heading: Heading
    /// The objects' numbers.
    public let numbers: ClosedRange<Number>
    /// The place of the first among the changes.
    let start: Int

    /// The name of the entity.
    public var entityName: String { heading.entityName }
    /// Whether the objects were inserted, updated or deleted.
    public var kind: ChangeKind { heading.kind }
    /// The names of the properties that an update changed, sorted.
    public var updatedProperties: [String] { heading.updatedProperties }
  }

  /// What changes of one kind have in common.
  final class Heading: Sendable {
    let storeID: UUID
    let entityName: String
    let kind: ChangeKind
    let updatedProperties: [String]
    /// The preserved attributes of deleted objects.
    let tombstones: [Number: [String: Value]]

    init(
      storeID: UUID, entityName: String, kind: ChangeKind, updatedProperties: [String],
      tombstones: [Number: [String: Value]]
    ) {
      self.storeID = storeID
      self.entityName = entityName
      self.kind = kind
      self.updatedProperties = updatedProperties
      self.tombstones = tombstones
    }
  }

  /// The changes as ranges of objects, by entity name, then number: the fast way through many.
  public private(set) var runs: [Run] = []
  /// How many changes there are.
  public private(set) var endIndex = 0
  /// Always zero.
  public var startIndex: Int { 0 }

  /// No changes.
  package init() {}

  /// Changes in the order given.
  package init(_ changes: some Sequence<PersistentHistoryChange>) {
    for change in changes { append(change.heading, change.number...change.number) }
  }

  /// The changes of several transactions, one after the other.
  init(joining parts: [PersistentHistoryChanges]) {
    runs.reserveCapacity(parts.reduce(0) { $0 + $1.runs.count })
    for run in parts.lazy.flatMap(\.runs) { append(run.heading, run.numbers) }
  }

  /// Puts ranges of runs that are in any order into theirs.
  init(_ parts: [(heading: Heading, numbers: [ClosedRange<Number>])]) {
    runs.reserveCapacity(parts.reduce(0) { $0 + $1.numbers.count })
    var isSorted = true
    for (heading, numbers) in parts {
      for range in numbers {
        if let last = runs.last, isSorted {
          isSorted = (last.entityName, last.numbers.upperBound) < (heading.entityName, range.lowerBound)
        }
        append(heading, range)
      }
    }
    if isSorted { return }
    let unsorted = runs.sorted { left, right in
      left.heading === right.heading || left.entityName == right.entityName
        ? left.numbers.lowerBound < right.numbers.lowerBound : left.entityName < right.entityName
    }
    runs.removeAll(keepingCapacity: true)
    endIndex = 0
    for run in unsorted { append(run.heading, run.numbers) }
  }

  private mutating func append(_ heading: Heading, _ numbers: ClosedRange<Number>) {
    if let last = runs.last, last.heading === heading, last.numbers.upperBound == numbers.lowerBound - 1 {
      runs[runs.count - 1] = Run(
        heading: heading, numbers: last.numbers.lowerBound...numbers.upperBound, start: last.start)
    } else {
      runs.append(Run(heading: heading, numbers: numbers, start: endIndex))
    }
    endIndex += numbers.count
  }

  /// The change at a position.
  public subscript(position: Int) -> PersistentHistoryChange {
    precondition(position >= 0 && position < endIndex, "position \(position) is outside 0..<\(endIndex)")
    let run = runs[runs.partition { $0.start <= position } - 1]
    return PersistentHistoryChange(run.heading, run.numbers.lowerBound + Number(position - run.start))
  }

  /// Walks over the changes without searching for each.
  public func makeIterator() -> Iterator { Iterator(runs: runs) }

  /// A walk over changes.
  public struct Iterator: IteratorProtocol {
    private let runs: [Run]
    private var nextRun = 0
    private var heading: Heading?
    private var number: Number = 0
    private var last: Number = -1

    init(runs: [Run]) { self.runs = runs }

    /// The next change.
    public mutating func next() -> PersistentHistoryChange? {
      if number > last || heading == nil {
        guard nextRun < runs.count else { return nil }
        heading = runs[nextRun].heading
        number = runs[nextRun].numbers.lowerBound
        last = runs[nextRun].numbers.upperBound
        nextRun += 1
      }
      guard let heading else { return nil }
      defer { number += 1 }
      return PersistentHistoryChange(heading, number)
    }
  }

  /// The changes of which `isIncluded` holds, asked once for each range.
  func filteringRuns(_ isIncluded: (PersistentHistoryChange) -> Bool) -> PersistentHistoryChanges {
    var result = PersistentHistoryChanges()
    for run in runs where isIncluded(PersistentHistoryChange(run.heading, run.numbers.lowerBound)) {
      result.append(run.heading, run.numbers)
    }
    return result
  }
}

extension PersistentHistoryChanges: Hashable {
  /// Whether both have equal changes in the same order, whatever the ranges that hold them.
  public static func == (left: PersistentHistoryChanges, right: PersistentHistoryChanges) -> Bool {
    left.count == right.count && left.elementsEqual(right)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    hasher.combine(first)
    hasher.combine(last)
  }
}

extension PersistentHistoryChanges: ExpressibleByArrayLiteral {
  /// Changes in the order given.
  public init(arrayLiteral elements: PersistentHistoryChange...) { self.init(elements) }
}

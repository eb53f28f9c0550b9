import BolideStorage

/// A list that follows its data: the stored objects a request asks for, in order and in sections, and a report of what
/// changed after each save and merge of its context (rules F-1 to F-3).
///
/// The list shows what is stored in the state that the context reads, a pinned one or the newest; edits join it when they
/// are saved. What other contexts save joins it when this context merges it. A controller belongs to whoever owns its
/// context.
public final class FetchedResultsController<Object: ManagedObject> {
  /// The context whose objects the list shows.
  public let context: ManagedObjectContext
  /// What the list asks for; see ``changeRequest(to:)``.
  public private(set) var request: FetchRequest<Object>
  /// How many rows are read together when one of them is looked at.
  public let batchSize: Int
  /// Accepted for the shape's sake: sections are never kept anywhere, so that they cannot be stale.
  public let cacheName: String?
  /// Is told of changes.
  public weak var delegate: (any FetchedResultsControllerDelegate<Object>)?
  /// Gets what following could not throw; the list stays as it was and is read whole after the next save or merge.
  public var errorHandler: ((BolideError) -> Void)?

  let rule: ResultsSections<Object>?
  private(set) var plan: ResultsPlan?
  private(set) var tree = ListTree()
  /// Where each object stands, by number.
  private var entries: [Number: ListEntry] = [:]
  /// Whether the list was read at all.
  public private(set) var isFetched = false
  private var isStale = false
  /// The objects that were looked at, kept so that their values are.
  var looked: [Number: Object] = [:]
  var subscriptions: [WeakSubscription<Object>] = []
  private var starts: [(entry: ListEntry, rank: Int)]?

  /// How much following the last change cost.
  package private(set) var lastWork = ListWork()
  /// How many rows were read because they were looked at.
  package internal(set) var rowsLoaded = 0

  /// Makes a list for a request; it is empty until ``performFetch()``.
  ///
  /// - Parameters:
  ///   - sections: how rows fall into sections; without, the list has one.
  ///   - batchSize: how many rows are read together when one of them is looked at; 0 leaves it to the controller.
  ///   - cacheName: has no effect, since there is no cache.
  public init(
    _ request: FetchRequest<Object>, in context: ManagedObjectContext,
    sections: ResultsSections<Object>? = nil, batchSize: Int = 0, cacheName: String? = nil
  ) {
    self.request = request
    self.context = context
    rule = sections
    self.batchSize = batchSize > 0 ? batchSize : 100
    self.cacheName = cacheName
    context.observe(self)
  }

  /// Makes a list with a section for each value of an attribute, such as `owner.name`.
  public convenience init(
    fetchRequest: FetchRequest<Object>, managedObjectContext: ManagedObjectContext,
    sectionNameKeyPath: String?, cacheName: String?
  ) {
    self.init(
      fetchRequest, in: managedObjectContext, sections: sectionNameKeyPath.map { .attribute($0) },
      cacheName: cacheName)
  }

  /// Drops caches: there are none, so this does nothing.
  public static func deleteCache(withName name: String?) {}

  // MARK: Reading the list

  /// Reads the whole list, without telling the delegate; sequences of reports get what differs.
  ///
  /// - Throws: `results.request` for a limit, an offset or objects of another class, `schema.unknown-entity`,
  ///   `predicate.…`, `store.…`; the list is as it was then.
  public func performFetch() throws {
    let plan = try ResultsPlan(request, sections: rule, in: context)
    let list = try read(plan)
    self.plan = plan
    isFetched = true
    replace(by: list, shownAnew: NumberSet(), tellsDelegate: false)
  }

  /// Asks for something else of the same entity: the list is read whole, and what differs is reported as any change.
  ///
  /// - Throws: as ``performFetch()``; request and list are as they were then.
  public func changeRequest(to request: FetchRequest<Object>) throws {
    guard request.entityName == self.request.entityName else {
      throw BolideError(
        .resultsRequest, "a list of \(self.request.entityName) cannot become one of \(request.entityName)",
        remedy: "make another controller")
    }
    try context.refuseWhileTelling("changeRequest")
    let plan = try ResultsPlan(request, sections: rule, in: context)
    let list = try read(plan)
    self.request = request
    self.plan = plan
    isFetched = true
    context.whileTelling { replace(by: list, shownAnew: NumberSet(), tellsDelegate: true) }
  }

  /// Asks the sections' function again, for one that depends on the clock: rows whose section differs are reported as any
  /// change.
  ///
  /// This reads nothing: the list keeps what its sections were made of, and asks once for each that differs.
  /// - Throws: `context.callback` from a report, and what reading throws where the last change could not be followed; the
  ///   list is as it was then.
  public func reevaluateSections() throws {
    try context.refuseWhileTelling("reevaluateSections")
    guard let plan, plan.sectionsMayChange else { return }
    if isStale {
      let list = try read(plan)
      return context.whileTelling { replace(by: list, shownAnew: NumberSet(), tellsDelegate: true) }
    }
    var work = ListWork()
    var known: [ObjectIdentifier: SectionKey] = [:]
    var touched: [TouchedRow] = []
    var edits: [ListEdit] = []
    tree.forEach { old in
      guard let columns = old.columns else { return }
      let made = known[ObjectIdentifier(columns)] ?? plan.section(of: columns)
      known[ObjectIdentifier(columns)] = made
      if work.areEqual(old.section, made) { return }
      var new = old
      new.section = made
      touched.append(TouchedRow(number: old.number, old: old, new: new, isUpdated: false))
      edits.append(ListEdit(entry: old, isRemoval: true))
      edits.append(ListEdit(entry: new, isRemoval: false))
      entries[old.number] = new
    }
    context.whileTelling {
      show(tree.applying(edits, work: &work), touched: touched, tellsDelegate: true, work: &work)
    }
    lastWork = work
  }

  private func read(_ plan: ResultsPlan) throws -> [ListEntry] {
    let reader = try context.reader()
    defer { context.release(reader) }
    var work = ListWork()
    return try plan.entries(from: reader, work: &work)
  }

  // MARK: Versions

  /// Takes a list that was read whole, and finds what differs row by row.
  private func replace(by list: [ListEntry], shownAnew: NumberSet, tellsDelegate: Bool) {
    var work = ListWork()
    let next = ListTree(sorted: list, work: &work)
    var known = entries
    var touched: [TouchedRow] = []
    entries = Dictionary(list.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
    for entry in list {
      guard let old = known.removeValue(forKey: entry.number) else {
        touched.append(TouchedRow(number: entry.number, old: nil, new: entry, isUpdated: false))
        continue
      }
      let isUpdated = shownAnew.contains(entry.number)
      if isUpdated || !work.areSame(old, entry) {
        touched.append(TouchedRow(number: entry.number, old: old, new: entry, isUpdated: isUpdated))
      }
    }
    for (number, old) in known {
      touched.append(TouchedRow(number: number, old: old, new: nil, isUpdated: false))
    }
    isStale = false
    show(next, touched: touched, tellsDelegate: tellsDelegate, work: &work)
    lastWork = work
  }

  /// Follows a change of the context's state.
  private func follow(_ changes: StateChanges, with plan: ResultsPlan, work: inout ListWork) throws {
    let reader = try context.reader()
    defer { context.release(reader) }
    if changes.isEverything || isStale {
      let list = try plan.entries(from: reader, work: &work)
      replace(by: list, shownAnew: changes.numbers(of: plan.entity.members), tellsDelegate: true)
      work = lastWork
      return
    }
    let rows = try plan.rows(touchedBy: changes, from: reader)
    var numbers = rows.own
    numbers.formUnion(rows.related)
    if numbers.isEmpty { return }
    let all = numbers.numbers
    var shown: [Object] = []
    let placed = try plan.entries(of: all, from: reader, work: &work) { row, number in
      if let object = self.object(of: row, number: number, in: plan) { shown.append(object) }
    }
    var touched: [TouchedRow] = []
    var edits: [ListEdit] = []
    for number in all {
      let old = entries[number]
      let new = placed[number]
      if old == nil, new == nil { continue }
      touched.append(
        TouchedRow(number: number, old: old, new: new, isUpdated: rows.own.contains(number)))
      if let old, let new, work.areSame(old, new) { continue }
      if let old { edits.append(ListEdit(entry: old, isRemoval: true)) }
      if let new { edits.append(ListEdit(entry: new, isRemoval: false)) }
      entries[number] = new
    }
    show(tree.applying(edits, work: &work), touched: touched, tellsDelegate: true, work: &work)
    withExtendedLifetime(shown) {}
  }

  /// Makes a version the one shown, and says what differs.
  private func show(_ next: ListTree, touched: [TouchedRow], tellsDelegate: Bool, work: inout ListWork) {
    for row in touched where row.new == nil { looked[row.number] = nil }
    let previous = tree
    note(touched, since: previous)
    guard tellsDelegate, let delegate else {
      turn(to: next)
      return ring()
    }
    let difference = ListDifference(from: previous, to: next, rows: touched, work: &work)
    guard !difference.isEmpty else {
      turn(to: next)
      return ring()
    }
    tell(delegate, difference, before: { self.turn(to: next) })
    ring()
  }

  private func turn(to next: ListTree) {
    tree = next
    starts = nil
  }

  private func tell(
    _ delegate: any FetchedResultsControllerDelegate<Object>, _ difference: ListDifference,
    before turn: () -> Void
  ) {
    delegate.controllerWillChangeContent(self)
    turn()
    let report = report(of: difference)
    for change in report.sections { delegate.controller(self, didChangeSection: change) }
    for change in report.changes { delegate.controller(self, didChangeObject: change) }
    delegate.controllerDidChangeContent(self)
  }

  // MARK: Places

  /// The sections' first rows, found once for each version.
  var sectionStarts: [(entry: ListEntry, rank: Int)] {
    if let starts { return starts }
    let found = tree.sectionStarts()
    starts = found
    return found
  }

  /// Where an object stands.
  func entry(of number: Number) -> ListEntry? { entries[number] }
}

extension FetchedResultsController: ContextObserver {
  package func contextDidChange(_ changes: StateChanges) {
    guard let plan else { return }
    var work = ListWork()
    do {
      try follow(changes, with: plan, work: &work)
    } catch {
      isStale = true
      errorHandler?(error as? BolideError ?? BolideError(.storeIO, "\(error)"))
    }
    lastWork = work
  }
}

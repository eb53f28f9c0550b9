import BolideStorage

/// What differs between the state a context showed before and the one it shows now.
package struct StateChanges {
  /// Objects that came, by entity.
  package private(set) var inserted: [EntityID: NumberSet] = [:]
  /// Objects whose values or links may differ, by entity.
  package private(set) var updated: [EntityID: NumberSet] = [:]
  /// Objects that went, by entity.
  package private(set) var deleted: [EntityID: NumberSet] = [:]
  /// Objects whose edits were saved here, so that the context showed them already.
  private(set) var saved: Set<ManagedObjectID> = []
  /// Whether anything may differ, known or not: the context moved to a state that history does not lead to.
  package private(set) var isEverything = false

  /// Whether nothing differs.
  package var isEmpty: Bool { !isEverything && inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

  mutating func note(_ kind: ChangeKind, _ number: Number, of entity: EntityID) {
    switch kind {
    case .insert: inserted[entity, default: NumberSet()].insert(number)
    case .update: updated[entity, default: NumberSet()].insert(number)
    case .delete: deleted[entity, default: NumberSet()].insert(number)
    }
  }

  mutating func note(_ log: ChangeLog, of entity: EntityID) {
    func add(_ numbers: NumberSet, to kind: inout [EntityID: NumberSet]) {
      if !numbers.isEmpty { kind[entity, default: NumberSet()].formUnion(numbers) }
    }
    add(log.insertedNumbers(of: entity), to: &inserted)
    add(log.updatedNumbers(of: entity), to: &updated)
    add(log.deletedNumbers(of: entity), to: &deleted)
  }

  mutating func noteEverything() { isEverything = true }

  mutating func noteSaved(_ ids: [ManagedObjectID]) { saved.formUnion(ids) }

  /// The objects of some entities that came, differ or went.
  package func numbers(of entities: [EntityID]) -> NumberSet {
    var result = NumberSet()
    for entity in entities {
      for kind in [inserted, updated, deleted] {
        if let numbers = kind[entity] { result.formUnion(numbers) }
      }
    }
    return result
  }
}

/// Something that follows the state a context shows.
package protocol ContextObserver: AnyObject {
  /// The context shows another state: told once for each save, merge, refresh, rollback, reset and pin, when it is done.
  func contextDidChange(_ changes: StateChanges)
}

/// Something that follows unsaved edits, too.
protocol EditObserver: ContextObserver {
  /// An object was inserted, edited or deleted.
  func contextWillShowEdit(of object: ManagedObject)
  /// The edits until now are complete: what comes may change what they were made to.
  func closeEdits()
}

/// Who follows a context, and what is to be told to them when the call that is under way ends.
final class ContextObservers {
  private struct WeakObserver {
    weak var observer: (any ContextObserver)?
  }

  private struct WeakEditObserver {
    weak var observer: (any EditObserver)?
  }

  private var observers: [WeakObserver] = []
  private var editObservers: [WeakEditObserver] = []
  fileprivate var changes = StateChanges()
  /// Whether observers are being told of changes now.
  fileprivate(set) var isTelling = false

  /// Whether someone follows: without followers nothing is noted.
  var isFollowed: Bool { !observers.isEmpty }

  func add(_ observer: any ContextObserver) {
    observers.removeAll { $0.observer == nil }
    observers.append(WeakObserver(observer: observer))
  }

  func add(_ observer: any EditObserver) {
    editObservers.removeAll { $0.observer == nil }
    editObservers.append(WeakEditObserver(observer: observer))
    add(observer as any ContextObserver)
  }

  /// An object has an edit that it had not before.
  @inline(__always)
  func noteEdit(of object: ManagedObject) {
    if editObservers.isEmpty { return }
    for entry in editObservers { entry.observer?.contextWillShowEdit(of: object) }
  }

  /// What was edited until now is told with the states that the objects have now.
  func closeEdits() {
    for entry in editObservers { entry.observer?.closeEdits() }
  }

  /// Objects were saved whose edits were told of before.
  func noteSaved(_ ids: [ManagedObjectID]) {
    if !editObservers.isEmpty { changes.noteSaved(ids) }
  }

  fileprivate func telling(_ report: () -> Void) {
    guard !isTelling else { return }
    isTelling = true
    defer { isTelling = false }
    report()
  }

  fileprivate func tell() {
    telling {
      // What an observer causes, by a refresh say, is told after what it was told of.
      while !changes.isEmpty {
        let next = changes
        changes = StateChanges()
        for entry in observers { entry.observer?.contextDidChange(next) }
      }
    }
  }
}

/// The one place where a context says what its state differs in.
extension ManagedObjectContext {
  /// Adds a follower, which is held weakly.
  package func observe(_ observer: any ContextObserver) { observers.add(observer) }

  /// Notes something for ``tellObservers()``.
  func noteChanges(_ change: (inout StateChanges) -> Void) {
    if observers.isFollowed { change(&observers.changes) }
  }

  /// Notes objects that are shown anew: refreshed, or without the edits they had.
  func noteShownAnew(_ objects: [ManagedObject]) {
    guard observers.isFollowed else { return }
    for object in objects where !object.objectID.isTemporary {
      observers.changes.note(.update, object.objectID.number, of: object.entity.id)
    }
  }

  /// Tells the observers what was noted; called at the end of each call that changes the state shown.
  func tellObservers() { observers.tell() }

  /// Reports something else than a change of the context's state, or calls hooks; what that causes is told after it.
  func whileTelling(_ report: () -> Void) {
    observers.telling(report)
    observers.tell()
  }

  /// Refuses what would change the state under observers that are being told of it.
  func refuseWhileTelling(_ what: String) throws(BolideError) {
    if observers.isTelling {
      throw BolideError(
        .contextCallback, "\(what) was called from a report of the last change or a hook of a save")
    }
  }
}

import BolideStorage

/// What a context shows otherwise than before: edits, and what saves, merges, refreshes and rollbacks did.
public struct ContextChange: Sendable, Hashable {
  /// Objects that were inserted here, under temporary ids, or came with a merge.
  public internal(set) var inserted: Set<ManagedObjectID> = []
  /// Objects that were edited here.
  public internal(set) var updated: Set<ManagedObjectID> = []
  /// Objects that were deleted here or elsewhere, and new ones that were rolled back.
  public internal(set) var deleted: Set<ManagedObjectID> = []
  /// Objects whose stored values or links may differ: merged, refreshed, rolled back, or changed by a save beside its
  /// edits, as derived values are.
  public internal(set) var refreshed: Set<ManagedObjectID> = []
  /// Whether anything may differ: the context was reset, or moved to a state that history does not lead to.
  public internal(set) var invalidatesAll = false
  /// The context's author.
  public let author: String?
  /// The context's name.
  public let contextName: String?

  init(of context: ManagedObjectContext) {
    author = context.transactionAuthor
    contextName = context.name
  }

  /// Whether nothing differs.
  public var isEmpty: Bool {
    !invalidatesAll && inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
  }
}

/// How a context changes, for one reader on the context's own actor or task.
///
/// A reader that is slow gets several changes as one; none is lost. The sequence never ends by itself: cancel the task
/// that reads it.
public struct ContextChanges: AsyncSequence {
  /// A change never fails.
  public typealias Failure = Never

  let subscription: ChangeSubscription

  /// Waits for changes.
  public struct Iterator: AsyncIteratorProtocol {
    let subscription: ChangeSubscription

    /// What changed since the last element, as soon as something did; `nil` when the task is cancelled.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> ContextChange? {
      let signal = subscription.signal
      while !Task.isCancelled {
        if let change = subscription.takeChange() { return change }
        await signal.wait()
      }
      return nil
    }
  }

  /// The reader.
  public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }

  /// What changed since the last element, if anything did, without waiting.
  public func nextIfAvailable() -> ContextChange? { subscription.takeChange() }
}

extension ManagedObjectContext {
  /// How the context changes from now on: what did-change notifications are elsewhere.
  ///
  /// A context that merges automatically does so while an element is waited for.
  public var didChange: ContextChanges { ContextChanges(subscription: ChangeSubscription(self)) }
}

/// What one reader of a context's changes has not got yet.
final class ChangeSubscription: EditObserver {
  let signal = ReportSignal()
  private let context: ManagedObjectContext
  private var edited: Set<ManagedObject> = []
  private var change: ContextChange
  /// Temporary ids that were told.
  private var told: Set<ManagedObjectID> = []

  init(_ context: ManagedObjectContext) {
    self.context = context
    change = ContextChange(of: context)
    context.observers.add(self as any EditObserver)
    context.inbox.ring(signal)
  }

  func contextWillShowEdit(of object: ManagedObject) {
    edited.insert(object)
    signal.ring()
  }

  func closeEdits() {
    for object in edited {
      let id = object.objectID
      switch object.state {
      case .inserted:
        // It is told once as new, and edits of it that follow as edits.
        if told.contains(id) { change.updated.insert(id) } else { change.inserted.insert(id) }
        told.insert(id)
      case .live: if object.hasEdits { change.updated.insert(id) }
      case .deleted:
        change.updated.remove(id)
        change.deleted.insert(id)
      case .gone:
        change.updated.remove(id)
        if change.inserted.remove(id) == nil, told.contains(id) { change.deleted.insert(id) }
        told.remove(id)
      }
    }
    edited.removeAll()
  }

  func contextDidChange(_ changes: StateChanges) {
    func add(_ numbers: [EntityID: NumberSet], to ids: inout Set<ManagedObjectID>) {
      for (entity, numbers) in numbers {
        ids.formUnion(
          context.coordinator.ids(numbers, of: context.map.entities[entity]).filter {
            !changes.saved.contains($0)
          })
      }
    }
    add(changes.inserted, to: &change.inserted)
    add(changes.updated, to: &change.refreshed)
    add(changes.deleted, to: &change.deleted)
    if changes.isEverything { change.invalidatesAll = true }
    signal.ring()
  }

  /// What changed since the last call.
  func takeChange() -> ContextChange? {
    // What could not be merged stays in the inbox, and the next fetch throws why.
    try? context.mergeWaitingSaves()
    closeEdits()
    defer { change = ContextChange(of: context) }
    return change.isEmpty ? nil : change
  }
}

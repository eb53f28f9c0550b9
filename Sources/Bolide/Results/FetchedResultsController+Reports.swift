import BolideStorage
import Synchronization

/// Reports of how the list changes.
extension FetchedResultsController {
  /// What changes from now on, report by report: one for each save or merge, and one for several where the reader was
  /// slow.
  ///
  /// Reports start from the list at this call; none is lost. The sequence never ends by itself: cancel the task that
  /// reads it. It has one reader; ask again for another. A context that merges automatically does so while a report is
  /// waited for.
  public var reports: ResultsReports<Object> {
    let subscription = ResultsSubscription(self)
    subscriptions.removeAll { $0.subscription == nil }
    subscriptions.append(WeakSubscription(subscription: subscription))
    return ResultsReports(subscription: subscription)
  }

  /// Tells the sequences which rows differ, before the new version is shown.
  func note(_ touched: [TouchedRow], since version: ListTree) {
    for entry in subscriptions { entry.subscription?.note(touched, since: version) }
  }

  func ring() {
    for entry in subscriptions { entry.subscription?.signal.ring() }
  }

  /// A difference with its objects.
  func report(of difference: ListDifference) -> ResultsReport<Object> {
    var changes: [ResultsChange<Object>] = []
    changes.reserveCapacity(difference.changes.count)
    for change in difference.changes {
      switch change {
      case .delete(let entry, let path): changes.append(.delete(id(entry), path))
      case .insert(let entry, let path):
        if let object = object(of: entry) { changes.append(.insert(object, path)) }
      case .move(let entry, let old, let new):
        if let object = object(of: entry) { changes.append(.move(object, old, new)) }
      case .update(let entry, let old, let new):
        if let object = object(of: entry) { changes.append(.update(object, old, new)) }
      }
    }
    return ResultsReport(
      sections: difference.deletedSections.map { .delete($0.index, name: $0.key.value.name) }
        + difference.insertedSections.map { .insert($0.index, name: $0.key.value.name) },
      changes: changes)
  }
}

/// The reports of a list, for one reader.
public struct ResultsReports<Object: ManagedObject>: AsyncSequence {
  /// A report never fails.
  public typealias Failure = Never

  let subscription: ResultsSubscription<Object>

  /// Waits for reports.
  public struct Iterator: AsyncIteratorProtocol {
    let subscription: ResultsSubscription<Object>

    /// What changed since the last report, as soon as something did; `nil` when the task is cancelled.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> ResultsReport<Object>? {
      let signal = subscription.signal
      while !Task.isCancelled {
        if let report = subscription.takeReport() { return report }
        await signal.wait()
      }
      return nil
    }
  }

  /// The reader.
  public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }

  /// What changed since the last report, if anything did, without waiting.
  public func nextIfAvailable() -> ResultsReport<Object>? { subscription.takeReport() }
}

struct WeakSubscription<Object: ManagedObject> {
  weak var subscription: ResultsSubscription<Object>?
}

/// What one reader of reports has not got yet: the version it knows, and the rows touched since.
final class ResultsSubscription<Object: ManagedObject> {
  let signal = ReportSignal()
  private let controller: FetchedResultsController<Object>
  private var version: ListTree
  private var touched: [Number: Touched] = [:]

  private struct Touched {
    /// Where the row was in the version that the reader knows.
    let old: ListEntry?
    var isUpdated: Bool
  }

  init(_ controller: FetchedResultsController<Object>) {
    self.controller = controller
    version = controller.tree
    controller.context.inbox.ring(signal)
  }

  func note(_ rows: [TouchedRow], since version: ListTree) {
    if touched.isEmpty { self.version = version }
    for row in rows {
      if touched[row.number] == nil {
        touched[row.number] = Touched(old: row.old, isUpdated: row.isUpdated)
      } else if row.isUpdated || row.old == nil || row.new == nil {
        touched[row.number]?.isUpdated = true
      }
    }
  }

  /// Compares the oldest version that was not delivered with the newest.
  func takeReport() -> ResultsReport<Object>? {
    // What could not be merged stays where it waits, and the next fetch throws why.
    try? controller.context.mergeWaitingSaves()
    guard !touched.isEmpty else { return nil }
    let rows = touched.map { number, row in
      TouchedRow(
        number: number, old: row.old, new: controller.entry(of: number), isUpdated: row.isUpdated)
    }
    touched.removeAll()
    var work = ListWork()
    let difference = ListDifference(from: version, to: controller.tree, rows: rows, work: &work)
    version = controller.tree
    return difference.isEmpty ? nil : controller.report(of: difference)
  }
}

/// Wakes a reader that waits; a ring before the wait is kept.
final class ReportSignal: Sendable {
  private enum State {
    case quiet
    case rung
    case waiting(CheckedContinuation<Void, Never>)
  }

  private let state = Mutex(State.quiet)

  func ring() {
    let waiter: CheckedContinuation<Void, Never>? = state.withLock { state in
      if case .waiting(let waiter) = state {
        state = .quiet
        return waiter
      }
      state = .rung
      return nil
    }
    waiter?.resume()
  }

  func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isRung = state.withLock { state in
          if case .rung = state {
            state = .quiet
            return true
          }
          state = .waiting(continuation)
          return false
        }
        if isRung { continuation.resume() }
      }
    } onCancel: {
      ring()
    }
  }
}

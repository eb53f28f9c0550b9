import BolideStorage
import Synchronization

/// Who listens for commits (rule H-8): a ring says "look", nothing more.
///
/// Each listener registers with the store, so that a store that nobody listens to need not look for other processes'
/// commits. Writes without history, of which stores know nothing, are rung for here.
package final class StoreSignals: Sendable {
  private struct State {
    var next = 0
    var listeners: [Int: @Sendable () -> Void] = [:]
  }

  private let state = Mutex(State())

  private let store: any OpenStore

  package init(_ store: any OpenStore) { self.store = store }

  /// Rings every listener for a write without history.
  package func ring() {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener() }
  }

  /// Adds a listener until the registration is released.
  package func listen(_ listener: @escaping @Sendable () -> Void) -> any AnyObject & Sendable {
    let id = state.withLock { state in
      state.next += 1
      state.listeners[state.next] = listener
      return state.next
    }
    return Registration(signals: self, id: id, store: store.onCommit(listener))
  }

  private func remove(_ id: Int) { state.withLock { $0.listeners[id] = nil } }

  private final class Registration: Sendable {
    let signals: StoreSignals
    let id: Int
    let store: any AnyObject & Sendable
    init(signals: StoreSignals, id: Int, store: any AnyObject & Sendable) {
      self.signals = signals
      self.id = id
      self.store = store
    }
    deinit { signals.remove(id) }
  }
}

import Synchronization

/// Hands the commit signal of a store on to whoever listens (rule H-8): it says "look", nothing more.
package final class StoreSignals: Sendable {
  private struct State {
    var next = 0
    var listeners: [Int: @Sendable () -> Void] = [:]
  }

  private let state = Mutex(State())

  package init() {}

  /// Rings every listener.
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
    return Registration(signals: self, id: id)
  }

  private func remove(_ id: Int) { state.withLock { $0.listeners[id] = nil } }

  private final class Registration: Sendable {
    let signals: StoreSignals
    let id: Int
    init(signals: StoreSignals, id: Int) {
      self.signals = signals
      self.id = id
    }
    deinit { signals.remove(id) }
  }
}

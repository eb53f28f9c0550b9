import Synchronization

/// Passes the saves of a container's contexts on: to contexts that merge by themselves (rule M-3), and to streams.
final class SaveHub: Sendable {
  private struct WeakInbox {
    weak var inbox: SaveInbox?
  }

  private struct Listener {
    let continuation: AsyncStream<ContextSave>.Continuation
    /// Whose saves it gets; `nil` for all.
    let sender: ObjectIdentifier?
  }

  private struct State {
    var inboxes: [WeakInbox] = []
    var listeners: [Int: Listener] = [:]
    var next = 0
  }

  private let state = Mutex(State())

  /// Whether anyone is to be told of saves.
  var isFollowed: Bool {
    state.withLock { state in
      !state.listeners.isEmpty || state.inboxes.contains { $0.inbox != nil }
    }
  }

  /// Has an inbox get the saves of all other contexts, or no longer.
  func follow(_ inbox: SaveInbox, _ follows: Bool) {
    state.withLock { state in
      state.inboxes.removeAll { $0.inbox == nil || $0.inbox === inbox }
      if follows { state.inboxes.append(WeakInbox(inbox: inbox)) }
    }
    if !follows { _ = inbox.takeAll() }
  }

  /// The saves of a context, or of all.
  func stream(from sender: SaveInbox?) -> AsyncStream<ContextSave> {
    let (stream, continuation) = AsyncStream<ContextSave>.makeStream()
    let listener = Listener(continuation: continuation, sender: sender.map(ObjectIdentifier.init))
    let id = state.withLock { state in
      state.next += 1
      state.listeners[state.next] = listener
      return state.next
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { $0.listeners[id] = nil }
    }
    return stream
  }

  /// Tells everyone but the context that saved.
  func post(_ save: ContextSave, from sender: SaveInbox) {
    let (inboxes, listeners) = state.withLock { ($0.inboxes.compactMap(\.inbox), Array($0.listeners.values)) }
    for inbox in inboxes where inbox !== sender { inbox.put(save) }
    for listener in listeners where listener.sender == nil || listener.sender == ObjectIdentifier(sender) {
      listener.continuation.yield(save)
    }
  }
}

/// The saves of other contexts that one context has not merged yet; any thread may put one in.
final class SaveInbox: Sendable {
  private struct WeakSignal {
    weak var signal: ReportSignal?
  }

  private struct State {
    var saves: [ContextSave] = []
    var signals: [WeakSignal] = []
    var wake: (@Sendable () -> Void)?
  }

  /// How many saves may wait one by one; more become one.
  private static let limit = 64

  private let state = Mutex(State())

  func put(_ save: ContextSave) {
    let (signals, wake) = state.withLock { state in
      state.saves.append(save)
      if state.saves.count > Self.limit { state.saves = [Self.combined(state.saves, of: save)] }
      return (state.signals.compactMap(\.signal), state.wake)
    }
    for signal in signals { signal.ring() }
    wake?()
  }

  /// The saves that wait, oldest first; the inbox is empty then.
  func takeAll() -> [ContextSave] {
    state.withLock { state in
      defer { state.saves = [] }
      return state.saves
    }
  }

  /// Puts saves back that could not be merged.
  func putBack(_ saves: [ContextSave]) { state.withLock { $0.saves = saves + $0.saves } }

  /// Has a signal rung whenever a save arrives, as long as the signal lives.
  func ring(_ signal: ReportSignal) {
    state.withLock { state in
      state.signals.removeAll { $0.signal == nil }
      state.signals.append(WeakSignal(signal: signal))
    }
  }

  /// Has a call made whenever a save arrives.
  func wake(_ wake: @escaping @Sendable () -> Void) { state.withLock { $0.wake = wake } }

  private static func combined(_ saves: [ContextSave], of last: ContextSave) -> ContextSave {
    var changes = ObjectIDChanges()
    for save in saves { changes.formUnion(save.changes) }
    return ContextSave(
      storeID: last.storeID, changes: changes, author: nil, contextName: nil, token: nil)
  }
}

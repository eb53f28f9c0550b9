import BolideStorage
import Foundation

/// The transactions of a store as they come, for one consumer: `for try await transaction in container.history(as: "view")`.
///
/// Asking for the next transaction says that the one before was applied: only then does the consumer's position move, so
/// that nothing is lost where applying fails or the process ends (rule H-7). Between commits it waits for the store's
/// signal; it does not poll. While others write for long it
/// waits for them, on a thread of the container's own. It ends when its task is cancelled.
public struct HistoryFollower: AsyncSequence, Sendable {
  /// A transaction with its changes.
  public typealias Element = PersistentHistoryTransaction

  let container: PersistentContainer
  let name: String
  let filter: HistoryFilter?

  /// Begins where the consumer stands.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// Walks over the transactions.
  public struct Iterator: AsyncIteratorProtocol {
    private let follower: HistoryFollower
    private var position: PersistentHistoryToken?
    private var delivered: PersistentHistoryToken?
    private var buffer: ArraySlice<PersistentHistoryTransaction> = []
    private var scannedThrough: PersistentHistoryToken?
    private var signals: AsyncStream<Void>.Iterator
    private let registration: any AnyObject & Sendable

    init(_ follower: HistoryFollower) {
      self.follower = follower
      // One ring is enough to remember: it says "look", and looking finds everything.
      let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
      signals = stream.makeAsyncIterator()
      registration = follower.container.onRemoteChange { continuation.yield() }
    }

    /// The next transaction; `nil` once the task is cancelled.
    ///
    /// - Throws: `history.token-expired`, `history.token-diverged`, `store.…`.
    public mutating func next() async throws -> PersistentHistoryTransaction? {
      do {
        return try await following()
      } catch is CancellationError {
        return nil
      }
    }

    private mutating func following() async throws -> PersistentHistoryTransaction? {
      if let delivered {
        try await advance(to: delivered)
        self.delivered = nil
      }
      while !Task.isCancelled {
        if let transaction = buffer.popFirst() {
          delivered = transaction.token
          return transaction
        }
        if try await read() { continue }
        // A filter that finds nothing still advances (rule H-5).
        if let scannedThrough, scannedThrough.number > position?.number ?? 0 {
          try await advance(to: scannedThrough)
        }
        _ = await signals.next()
      }
      return nil
    }

    /// Moves the consumer.
    private mutating func advance(to token: PersistentHistoryToken) async throws {
      try await waiting { try $0.advanceConsumer($1, to: token) }
      position = token
    }

    /// Reads some transactions after the position; whether there were any.
    private mutating func read() async throws -> Bool {
      let position: PersistentHistoryToken
      if let known = self.position {
        position = known
      } else {
        position = try await waiting { try $0.registerConsumer($1).position }
      }
      self.position = position
      let filter = follower.filter
      let result = try await waiting { container, _ in
        try container.history(PersistentHistoryRequest(after: .token(position), where: filter, limit: 64))
      }
      buffer = result.transactions[...]
      scannedThrough = result.scannedThrough
      return !buffer.isEmpty
    }

    /// Runs a call on a thread of the container's own, where it may wait for its turn to write, and again, ever later,
    /// while the store is busy: somebody may be writing for long.
    private func waiting<Result: Sendable>(
      _ body: @escaping @Sendable (PersistentContainer, String) throws -> Result
    ) async throws -> Result {
      let container = follower.container
      let name = follower.name
      var delays = Self.delays[...]
      while true {
        let outcome = await container.onOwnThread { Swift.Result { try body(container, name) } }
        if case .failure(let error as BolideError) = outcome, error.code == .storeBusy {
          try await Task.sleep(for: .milliseconds(delays.popFirst() ?? Self.longestDelay))
          continue
        }
        return try outcome.get()
      }
    }

    /// How long to wait before each further try, in milliseconds.
    private static let delays = [1, 5, 25, 125]
    private static let longestDelay = 500
  }
}

extension PersistentContainer {
  /// The transactions of the store for a consumer, from where it stands, without end.
  ///
  /// - Parameters:
  ///   - consumer: the name under which the store keeps the position; it is registered if need be.
  ///   - predicate: which transactions; nil is a value: `author != "x"` keeps those without an author.
  public func history(
    as consumer: String, where predicate: Predicate<PersistentHistoryTransaction>? = nil
  ) -> HistoryFollower {
    HistoryFollower(container: self, name: consumer, filter: predicate.map(HistoryFilter.init))
  }

  /// The transactions of the store for a consumer, from where it stands, without end.
  ///
  /// - Parameters:
  ///   - consumer: the name under which the store keeps the position; it is registered if need be.
  ///   - filter: which transactions and changes.
  public func history(as consumer: String, matching filter: HistoryFilter?) -> HistoryFollower {
    HistoryFollower(container: self, name: consumer, filter: filter)
  }

  /// Runs a body on a thread where it may block.
  func onOwnThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
      Self.queue.async { continuation.resume(returning: body()) }
    }
  }
}

import BolideStorage
import Foundation

/// A reader of history whose position is kept in the store (rule H-7): what it has not seen yet is not purged.
public struct HistoryConsumer: Hashable, Sendable, Codable {
  /// The name, unique in the store.
  public let name: String
  /// The place up to which the consumer has applied everything.
  public internal(set) var position: PersistentHistoryToken
  /// How long the consumer may hold back a purge; past it the consumer gets `history.token-expired`.
  public internal(set) var budget: Budget

  /// What a consumer may hold back.
  public struct Budget: Hashable, Sendable, Codable {
    /// Transactions older than this are not kept for it, in seconds by the store's clock; `nil` for no limit.
    public var maximumAge: TimeInterval?
    /// No more than this many transactions are kept for it; `nil` for no limit.
    public var maximumCount: UInt64?

    /// Sets limits.
    public init(maximumAge: TimeInterval? = nil, maximumCount: UInt64? = nil) {
      self.maximumAge = maximumAge
      self.maximumCount = maximumCount
    }
  }
}

extension PersistentContainer {
  /// Registers a consumer, which begins at the start of what history there is; one that is known keeps its position.
  ///
  /// - Parameter budget: how much it may hold back; `nil` keeps what was said before.
  /// - Throws: `history.off`, `store.…`.
  @discardableResult
  public func registerConsumer(
    _ name: String, budget: HistoryConsumer.Budget? = nil
  ) throws -> HistoryConsumer {
    try requireHistory()
    if let known = try consumer(name), budget == nil || known.budget == budget { return known }
    return try changeConsumer(name) { known, transaction in
      var consumer =
        try known
        ?? HistoryConsumer(
          name: name, position: PersistentHistoryToken(storeID: storeID, mark: transaction.historyStart()),
          budget: HistoryConsumer.Budget())
      if let budget { consumer.budget = budget }
      return consumer
    }
  }

  /// Moves a consumer forward: everything up to the token was applied. A token that is behind changes nothing.
  ///
  /// - Throws: `history.consumer-unknown`, `history.token-foreign`, `history.token-diverged`, `store.…`.
  public func advanceConsumer(_ name: String, to token: PersistentHistoryToken) throws {
    guard let known = try consumer(name) else { throw unknown(name) }
    if token == known.position { return }
    try changeConsumer(name) { known, transaction in
      guard var consumer = known else { throw unknown(name) }
      try HistoryReader(coordinator, reader: transaction).check(token)
      if token.number > consumer.position.number { consumer.position = token }
      return consumer
    }
  }

  /// Forgets a consumer: nothing is kept for it any more.
  public func removeConsumer(_ name: String) throws {
    guard try consumer(name) != nil else { return }
    try changeConsumer(name) { _, _ in nil }
  }

  /// The consumers of the store, by name.
  public func consumers() throws -> [HistoryConsumer] {
    try coordinator.read { try HistoryConsumers.all(in: $0) }
  }

  /// A consumer by its name, if there is one.
  public func consumer(_ name: String) throws -> HistoryConsumer? {
    try consumers().first { $0.name == name }
  }

  /// Drops the history that every consumer has applied, and what budgets do not hold back (rule H-7). Without consumers
  /// nothing is dropped.
  ///
  /// - Returns: how many transactions were dropped.
  @discardableResult
  public func purgeConsumedHistory() throws -> Int {
    let limit = try coordinator.read { reader -> UInt64? in
      let head = try reader.head().transaction
      return try HistoryConsumers.all(in: reader).map { consumer in
        var first = consumer.position.number
        if let count = consumer.budget.maximumCount, head > count { first = max(first, head - count) }
        if let age = consumer.budget.maximumAge {
          let oldest = coordinator.environment.now().addingTimeInterval(-age)
          first = max(first, try HistoryReader(coordinator, reader: reader).lastBefore(oldest))
        }
        return first
      }.min()
    }
    guard let limit else { return 0 }
    return try purgeHistory(before: .number(limit + 1))
  }

  // MARK: Keeping

  private func requireHistory() throws(BolideError) {
    guard coordinator.keepsHistory else {
      throw BolideError(.historyOff, "the store keeps no history to consume")
    }
  }

  private func unknown(_ name: String) -> BolideError {
    BolideError(.historyConsumer, "the store has no consumer \(name)")
  }

  @discardableResult
  private func changeConsumer(
    _ name: String, _ change: (HistoryConsumer?, any WriteTransaction) throws -> HistoryConsumer?
  ) throws -> HistoryConsumer {
    var result: HistoryConsumer?
    try coordinator.writeBookkeeping { transaction in
      var all = try HistoryConsumers.all(in: transaction)
      result = try change(all.first { $0.name == name }, transaction)
      all.removeAll { $0.name == name }
      if let result { all.append(result) }
      try HistoryConsumers.write(all, in: transaction)
    }
    return result
      ?? HistoryConsumer(
        name: name, position: PersistentHistoryToken(storeID: storeID, mark: .start), budget: .init())
  }
}

/// The consumers as the store keeps them: one value, since there are few and a purge needs them all.
enum HistoryConsumers {
  private static let key = "consumers"

  static func all(in reader: any Reader) throws(BolideError) -> [HistoryConsumer] {
    guard let bytes = try reader.metadata(key) else { return [] }
    do {
      return try JSONDecoder().decode([HistoryConsumer].self, from: Data(bytes)).sorted { $0.name < $1.name }
    } catch {
      throw BolideError(.storeDamaged, "the positions of the store's consumers cannot be read")
    }
  }

  static func write(_ consumers: [HistoryConsumer], in transaction: any WriteTransaction) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    try transaction.setMetadata(key, [UInt8](try encoder.encode(consumers.sorted { $0.name < $1.name })))
  }
}

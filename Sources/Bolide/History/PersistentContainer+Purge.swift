import BolideStorage
import Foundation

extension PersistentContainer {
  /// Up to where history is dropped.
  public enum PurgeLimit: Sendable {
    /// Everything before the token's transaction; that one stays, so that fetching after the token still works (rule H-4).
    case token(PersistentHistoryToken)
    /// Everything before the transaction.
    case number(UInt64)
    /// The longest run from the start in which every transaction is earlier than the date (rule H-4).
    case date(Date)
  }

  /// Drops old history; data stay as they are. A token from before is expired then (rule H-5).
  ///
  /// - Returns: how many transactions were dropped.
  /// - Throws: `history.token-foreign`, `history.token-diverged`, `store.…`.
  @discardableResult
  public func purgeHistory(before limit: PurgeLimit) throws -> Int {
    let range = try coordinator.read { reader in
      let first = try reader.historyStart().transaction
      return (first, min(try lastToDrop(limit, reader: reader), try reader.head().transaction))
    }
    guard range.1 > range.0 else { return 0 }
    var hasMore = true
    while hasMore {
      // In steps, so that other writers get their turn and no transaction holds all of it.
      try coordinator.writeBookkeeping { transaction in
        hasMore = try transaction.dropHistory(through: range.1, limit: 1000)
      }
    }
    return Int(range.1 - range.0)
  }

  private func lastToDrop(
    _ limit: PurgeLimit, reader: any Reader
  ) throws(BolideError) -> UInt64 {
    switch limit {
    case .number(let number):
      return number == 0 ? 0 : number - 1
    case .token(let token):
      do throws(BolideError) {
        try HistoryReader(coordinator, reader: reader).check(token)
      } catch  where error.code == .historyExpired {
        return 0
      }
      return token.number == 0 ? 0 : token.number - 1
    case .date(let date):
      return try HistoryReader(coordinator, reader: reader).lastBefore(date)
    }
  }

  /// A full look at the store and a fresh token: the way on after `history.token-expired` and
  /// `history.token-diverged` (rule H-5).
  ///
  /// Read everything from the generation, then follow history after its token.
  public func resync() throws(BolideError) -> QueryGeneration {
    try QueryGeneration(try coordinator.store.snapshot(), of: coordinator)
  }
}

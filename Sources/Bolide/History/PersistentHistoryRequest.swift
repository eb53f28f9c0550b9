import BolideStorage
import Foundation

/// Asks for the transactions after a place (rule H-3).
public struct PersistentHistoryRequest: Sendable {
  /// Where to begin; what it names is not among the results.
  public enum Anchor: Sendable {
    /// The beginning of history; what was purged is not missed.
    case start
    /// A token, which is checked.
    case token(PersistentHistoryToken)
    /// A transaction by number.
    case number(UInt64)
    /// The transactions from the first one later than the date on (rule H-4).
    case date(Date)
  }

  /// What to return.
  public enum ResultType: String, Sendable {
    case transactionsAndChanges, transactions, changes, ids, count
  }

  /// Where to begin.
  public var after: Anchor
  /// A filter over transactions and changes; nil is a value: `author != "x"` keeps transactions without an author.
  public var filter: HistoryFilter?
  /// The most transactions to return.
  public var limit: Int?
  /// Whether changes are read.
  public var resultType: ResultType

  /// Asks for transactions with their changes.
  public init(
    after: Anchor = .start, where filter: HistoryFilter? = nil, limit: Int? = nil,
    resultType: ResultType = .transactionsAndChanges
  ) {
    self.after = after
    self.filter = filter
    self.limit = limit
    self.resultType = resultType
  }
}

/// What a history request found.
public struct PersistentHistoryResult: Sendable {
  /// The transactions, in commit order.
  public let transactions: [PersistentHistoryTransaction]
  /// How far the search went: store this, so that a filter that finds nothing still advances (rule H-5).
  public let scannedThrough: PersistentHistoryToken
  /// The changes of all transactions.
  public var changes: PersistentHistoryChanges {
    PersistentHistoryChanges(joining: transactions.map(\.changes))
  }
  /// The objects that were changed, each once, by entity name, then number.
  public var objectIDs: [ManagedObjectID] {
    var numbers: [String: NumberSet] = [:]
    for run in transactions.flatMap(\.changes.runs) {
      numbers[run.entityName, default: NumberSet()].insert(
        run.numbers.lowerBound..<run.numbers.upperBound + 1)
    }
    guard let storeID = transactions.first?.storeID else { return [] }
    return Array(ManagedObjectIDs(storeID: storeID, numbers.map { ($0.key, $0.value) }))
  }
}

import BolideStorage
import Foundation

/// A filter over history: of transactions by what they say of themselves, of changes by what they name (rule H-3).
///
/// A transaction's properties are `number`, `timestamp`, `author`, `contextName`, `processName` and `processID`; a
/// change's are `entity`, `kind` (`"insert"`, `"update"`, `"delete"`) and `object` (its number). Nil is a value:
/// `author != "x"` keeps transactions without an author.
public struct HistoryFilter: Sendable {
  private enum Test: Sendable {
    case condition(Condition)
    case predicate(Predicate<PersistentHistoryTransaction>)
  }

  private let test: Test

  /// Filters by a condition.
  public init(_ condition: Condition) { test = .condition(condition) }

  /// Filters transactions by a predicate.
  public init(_ predicate: Predicate<PersistentHistoryTransaction>) { test = .predicate(predicate) }

  /// The names that speak of changes rather than transactions.
  private static let changeNames: Set<String> = ["entity", "kind", "object"]

  /// Whether changes must be read to decide.
  var needsChanges: Bool {
    guard case .condition(let condition) = test else { return false }
    return condition.paths.contains { $0.first.map(Self.changeNames.contains) ?? false }
  }

  /// Whether a transaction can pass, by what it says of itself.
  func mayMatch(_ transaction: PersistentHistoryTransaction) throws -> Bool {
    switch test {
    case .predicate(let predicate): return try predicate.evaluate(transaction)
    case .condition(let condition):
      if needsChanges { return true }
      return try condition.evaluate { try Self.value($0, transaction, nil) }
    }
  }

  /// The changes of a transaction that pass; `nil` where the transaction does not.
  func apply(to transaction: PersistentHistoryTransaction) throws -> [PersistentHistoryChange]? {
    guard case .condition(let condition) = test, needsChanges else { return transaction.changes }
    let kept = try transaction.changes.filter { change in
      try condition.evaluate { try Self.value($0, transaction, change) }
    }
    return kept.isEmpty ? nil : kept
  }

  private static func value(
    _ path: [String], _ transaction: PersistentHistoryTransaction, _ change: PersistentHistoryChange?
  ) throws(BolideError) -> Value {
    switch path.joined(separator: ".") {
    case "number": return .int(Int64(clamping: transaction.number))
    case "timestamp": return .date(transaction.timestamp)
    case "author": return transaction.author.map(Value.string) ?? .null
    case "contextName", "context": return transaction.contextName.map(Value.string) ?? .null
    case "processName", "process": return .string(transaction.processName)
    case "processID": return .int(transaction.processID)
    case "entity": return change.map { .string($0.objectID.entityName) } ?? .null
    case "kind": return change.map { .string("\($0.kind)") } ?? .null
    case "object": return change.map { .int($0.objectID.number) } ?? .null
    case let name:
      throw BolideError(
        .predicateUnknownPath,
        "history has no property \(name); it has number, timestamp, author, contextName, processName, processID, "
          + "entity, kind and object")
    }
  }
}

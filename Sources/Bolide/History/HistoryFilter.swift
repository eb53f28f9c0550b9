import BolideStorage
import Foundation

/// A filter over history: of transactions by what they say of themselves, of changes by what they name (rule
/// H-3).
///
/// A transaction's properties are `number`, `timestamp`, `author`, `contextName`, `processName` and
/// `processID`; a change's are `entity`, `kind` (`"insert"`, `"update"`, `"delete"`) and `object` (its
/// number, or `Fireball#3`). Nil is a value: `author != "x"` keeps transactions without an author.
public struct HistoryFilter: Sendable {
  private enum Test: Sendable {
    case condition(Condition)
    case predicate(Predicate<PersistentHistoryTransaction>, needsChanges: Bool)
    /// A condition that does not fit history.
    case problem(BolideError)
  }

  private let test: Test

  /// Filters by a condition; one that does not fit history is an error when history is fetched.
  public init(_ condition: Condition) {
    do {
      test = .condition(Self.naming(try condition.checked(in: Self.scope)))
    } catch {
      test = .problem(error)
    }
  }

  /// Filters transactions by a predicate.
  public init(_ predicate: Predicate<PersistentHistoryTransaction>) {
    test = .predicate(predicate, needsChanges: Self.readsChanges(predicate.expression, depth: 0))
  }

  /// What a transaction says without its changes.
  private nonisolated(unsafe) static let ownKeyPaths: Set<AnyKeyPath> = [
    \PersistentHistoryTransaction.number, \PersistentHistoryTransaction.token,
    \PersistentHistoryTransaction.timestamp, \PersistentHistoryTransaction.author,
    \PersistentHistoryTransaction.contextName, \PersistentHistoryTransaction.processName,
    \PersistentHistoryTransaction.processID, \PersistentHistoryTransaction.storeID,
  ]

  /// Whether a part of a predicate may ask for the changes: where it is not sure that it does not.
  private static func readsChanges(_ expression: Any, depth: Int) -> Bool {
    guard depth < 64 else { return true }
    return Mirror(reflecting: expression).children.contains { child in
      if let path = child.value as? AnyKeyPath {
        return type(of: path).rootType == PersistentHistoryTransaction.self && !ownKeyPaths.contains(path)
      }
      return child.value is any PredicateExpression && readsChanges(child.value, depth: depth + 1)
    }
  }

  /// The names that speak of changes rather than transactions.
  private static let changeNames: Set<String> = ["entity", "kind", "object"]

  /// A checked condition with `object == Fireball#3` spelled out over the properties there are.
  private static func naming(_ condition: Condition) -> Condition {
    switch condition {
    case .and(let parts): return .and(parts.map(naming))
    case .or(let parts): return .or(parts.map(naming))
    case .not(let part): return .not(naming(part))
    case .compare(.path(["object"]), let comparison, .object(let entity, let number), _),
      .compare(.object(let entity, let number), let comparison, .path(["object"]), _):
      let named = Condition.and([
        .compare(.path(["entity"]), .equal, .literal(.string(entity))),
        .compare(.path(["object"]), .equal, .literal(.reference(number))),
      ])
      return comparison == .notEqual ? .not(named) : named
    case .true, .false, .compare, .in, .members: return condition
    }
  }

  /// Whether the filter can be used.
  ///
  /// - Throws: `predicate.unknown-path`, `predicate.type`.
  func verify() throws(BolideError) {
    if case .problem(let problem) = test { throw problem }
  }

  /// Whether changes must be read to decide.
  var needsChanges: Bool {
    switch test {
    case .condition(let condition):
      condition.paths.contains { $0.first.map(Self.changeNames.contains) ?? false }
    case .predicate(_, let needsChanges): needsChanges
    case .problem: false
    }
  }

  /// Whether a transaction can pass, by what it says of itself.
  func mayMatch(_ transaction: PersistentHistoryTransaction) throws -> Bool {
    switch test {
    case .predicate(let predicate, let needsChanges):
      return try needsChanges || predicate.evaluate(transaction)
    case .condition(let condition):
      return needsChanges || condition.holds { Self.value($0, transaction, nil) }
    case .problem(let problem): throw problem
    }
  }

  /// The changes of a transaction that pass; `nil` where the transaction does not.
  func apply(to transaction: PersistentHistoryTransaction) throws -> PersistentHistoryChanges? {
    if case .predicate(let predicate, needsChanges: true) = test {
      return try predicate.evaluate(transaction) ? transaction.changes : nil
    }
    guard case .condition(let condition) = test, needsChanges else { return transaction.changes }
    func passes(_ change: PersistentHistoryChange) -> Bool {
      condition.holds { Self.value($0, transaction, change) }
    }
    let kept =
      condition.paths.contains { $0.first == "object" }
      ? PersistentHistoryChanges(transaction.changes.lazy.filter(passes))
      : transaction.changes.filteringRuns(passes)
    return kept.isEmpty ? nil : kept
  }

  /// What a path of the scope says of a transaction or change.
  private static func value(
    _ operand: Operand, _ transaction: PersistentHistoryTransaction, _ change: PersistentHistoryChange?
  ) -> Value {
    guard case .path(let path) = operand else { return .null }
    switch path.joined(separator: ".") {
    case "number": return .int(Int64(clamping: transaction.number))
    case "timestamp": return .date(transaction.timestamp)
    case "author": return transaction.author.map(Value.string) ?? .null
    case "contextName", "context": return transaction.contextName.map(Value.string) ?? .null
    case "processName", "process": return .string(transaction.processName)
    case "processID": return .int(transaction.processID)
    case "entity": return change.map { .string($0.objectID.entityName) } ?? .null
    case "kind": return change.map { .string("\($0.kind)") } ?? .null
    case "object": return change.map { .reference($0.objectID.number) } ?? .null
    default: return .null
    }
  }
}

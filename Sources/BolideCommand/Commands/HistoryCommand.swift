import Bolide
import BolideStorage
import CommandKit

/// `bolide history`: who wrote what.
enum HistoryCommand {
  private static let after = CommandOption(
    "after", .text, "TOKEN|NUMBER|DATE",
    help:
      "Begin after a token (STOREID:NUMBER:NONCE), after a transaction, or with the first one later than a date."
  )
  private static let condition = CommandOption(
    "where", .text, "TEXT", help: "A predicate over transactions, such as 'author != \"FireballWatch\"'.")

  static let command = Command(
    "history", "Print the transactions of a store with their changes, in commit order.",
    examples: ["bolide history --after 1 --where 'author != \"FireballWatch\"'"],
    options: [.store, after, condition, .json], action: run)

  @Sendable private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitCode {
    try OpenedStore.with(arguments) { store in
      let result = try store.container.history(
        PersistentHistoryRequest(
          after: try arguments.text(after).map(anchor) ?? .start,
          where: try arguments.text(condition).map { try HistoryFilter(parsing: $0) }))
      for transaction in result.transactions where !console.output.isClosed {
        if arguments.has(.json) {
          console.print(json: json(transaction))
        } else {
          console.print(CanonicalText.text(transaction))
          for change in transaction.changes { console.print("  \(CanonicalText.text(change))") }
        }
      }
      if arguments.has(.json) {
        console.print(json: ["type": "position", "token": .string(result.scannedThrough.description)])
      } else {
        console.print("\(result.transactions.count) transactions  \(result.changes.count) changes")
      }
      return .success
    }
  }

  private static func anchor(_ text: String) throws(Failure) -> PersistentHistoryRequest.Anchor {
    if let number = UInt64(text) { return .number(number) }
    if let date = CanonicalText.date(text) { return .date(date) }
    if let token = PersistentHistoryToken(text) { return .token(token) }
    throw Failure(
      .usage, code: "usage.wrong-value", "--after takes a token, a number or a date, not \"\(text)\"",
      remedy: "a token is printed by history --json; a date is 2020-12-10T00:00:00Z")
  }

  private static func json(_ transaction: PersistentHistoryTransaction) -> JSONValue {
    [
      "type": "transaction", "number": .integer(Int(clamping: transaction.number)),
      "token": .string(transaction.token.description), "timestamp": JSONValue(.date(transaction.timestamp)),
      "author": transaction.author.map(JSONValue.string) ?? .null,
      "contextName": transaction.contextName.map(JSONValue.string) ?? .null,
      "processName": .string(transaction.processName), "processID": .integer(Int(transaction.processID)),
      "changes": .array(transaction.changes.map(json)),
    ]
  }

  private static func json(_ change: PersistentHistoryChange) -> JSONValue {
    var members: [String: JSONValue] = [
      "object": .string(change.objectID.description), "kind": .string("\(change.kind)"),
    ]
    switch change.kind {
    case .insert: break
    case .update: members["properties"] = .array(change.updatedProperties.map(JSONValue.string))
    case .delete: members["tombstone"] = .object(change.tombstone.mapValues { JSONValue($0) })
    }
    return .object(members)
  }
}

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

  private static let follow = CommandOption(
    "follow", .text, "NAME",
    help: "Go on as the consumer NAME, and print each transaction when it is committed, by whatever process.")
  private static let limit = CommandOption(
    "limit", .number(atLeast: 1), "N", help: "End after N transactions.")

  static let command = Command(
    "history", "Print the transactions of a store with their changes, in commit order.",
    discussion: [
      "With --follow the store keeps how far the consumer has come: a transaction counts as seen once it is printed, and"
        + " the next run goes on behind it. It ends with --limit, or when it is interrupted."
    ],
    examples: [
      "bolide history --after 1 --where 'author != \"FireballWatch\"'",
      "bolide history --follow exporter --json",
    ],
    options: [.store, after, condition, follow, limit, .json], action: run)

  @Sendable private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitCode {
    if let name = arguments.text(follow) { return try await run(as: name, arguments, console) }
    return try OpenedStore.with(arguments) { store in
      let result = try store.container.history(
        PersistentHistoryRequest(
          after: try arguments.text(after).map(anchor) ?? .start,
          where: try arguments.text(condition).map { try HistoryFilter(parsing: $0) },
          limit: arguments.count(limit)))
      for transaction in result.transactions where !console.output.isClosed {
        print(transaction, arguments, console)
      }
      if arguments.has(.json) {
        console.print(json: ["type": "position", "token": .string(result.scannedThrough.description)])
      } else {
        console.print("\(result.transactions.count) transactions  \(result.changes.count) changes")
      }
      return .success
    }
  }

  /// Prints transactions as they come.
  private static func run(
    as name: String, _ arguments: Arguments, _ console: Console
  ) async throws -> ExitCode {
    if arguments.text(after) != nil {
      throw Failure(
        .usage, code: "usage.wrong-value", "--after and --follow do not go together",
        remedy: "a consumer begins where the store remembers it")
    }
    // Opening for writing would turn on the history of a store that keeps none.
    guard try OpenedStore.with(arguments, { $0.container.coordinator.keepsHistory }) else {
      throw BolideError(.historyOff, "the store keeps no history to follow")
    }
    let container = try PersistentContainer(at: try StoreLocation(parsing: arguments.text(.store) ?? ""))
    defer { try? container.close() }
    let filter = try arguments.text(condition).map { try HistoryFilter(parsing: $0) }
    var left = arguments.count(limit) ?? .max
    for try await transaction in container.history(as: name, matching: filter) {
      print(transaction, arguments, console)
      left -= 1
      // Asking for the next one says that this one was printed; after the last that is said here.
      if left == 0 { try container.advanceConsumer(name, to: transaction.token) }
      if left == 0 || console.output.isClosed { break }
    }
    return .success
  }

  private static func print(
    _ transaction: PersistentHistoryTransaction, _ arguments: Arguments, _ console: Console
  ) {
    if arguments.has(.json) {
      console.print(json: json(transaction))
    } else {
      console.print(CanonicalText.text(transaction))
      for change in transaction.changes { console.print("  \(CanonicalText.text(change))") }
    }
    // Whoever follows sees each at once.
    console.output.flush()
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

import Bolide
import BolideStorage
import CommandKit

/// `bolide inspect`: what a store holds, and how large it is.
enum InspectCommand {
  static let command = Command(
    "inspect", "Print a store's schema, counts, sizes and readers.", options: [.store, .json], action: run)

  @Sendable private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitCode {
    try OpenedStore.with(arguments) { store in
      let report = try StoreReport(store)
      if arguments.has(.json) {
        console.print(json: report.json)
      } else {
        for line in report.lines { console.print(line) }
      }
      return .success
    }
  }
}

/// A store's figures and schema.
struct StoreReport {
  private let store: OpenedStore
  private let token: PersistentHistoryToken
  private let statistics: Statistics
  private let counts: [(entity: String, count: Int)]

  init(_ store: OpenedStore) throws {
    self.store = store
    token = try store.container.currentToken()
    statistics = try store.container.statistics()
    counts = try store.container.counts().sorted { $0.entity < $1.entity }
  }

  var lines: [String] {
    var lines = [
      "store  \(store.name)", "id  \(store.container.storeID.uuidString.lowercased())",
      "history  through transaction \(token.number)", "token  \(token)",
      "size  \(statistics.storeBytes) bytes, log \(statistics.logBytes) bytes",
      "snapshots  \(statistics.snapshots)\(statistics.oldestSnapshotAge.map { ", oldest \($0) s" } ?? "")",
    ]
    for (name, value) in statistics.details.sorted(by: { $0.key < $1.key }) {
      lines.append("\(name)  \(value)")
    }
    for (entity, count) in counts { lines.append("\(entity)  \(count) rows") }
    lines += store.container.schema.outline.split(separator: "\n").map(String.init)
    return lines
  }

  var json: JSONValue {
    var members: [String: JSONValue] = [
      "store": .string(store.name), "id": .string(store.container.storeID.uuidString.lowercased()),
      "transaction": .integer(Int(clamping: token.number)), "token": .string(token.description),
      "storeBytes": .integer(statistics.storeBytes), "logBytes": .integer(statistics.logBytes),
      "snapshots": .integer(statistics.snapshots),
      "details": .object(statistics.details.mapValues(JSONValue.integer)),
      "entities": .object(
        Dictionary(counts.map { ($0.entity, .object(["count": .integer($0.count)])) }) { $1 }),
    ]
    members["oldestSnapshotAge"] = statistics.oldestSnapshotAge.map(JSONValue.double)
    return .object(members)
  }
}

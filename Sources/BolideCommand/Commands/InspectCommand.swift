import Bolide
import BolideStorage
import CommandKit

/// `bolide inspect`: what a store holds, and how large it is.
enum InspectCommand {
  static let command = Command(
    "inspect", "Print a store's figures, history, consumers, counts and schema.", options: [.store, .json],
    action: run)

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
  private let history: (first: UInt64, last: UInt64)
  private let consumers: [HistoryConsumer]
  private let statistics: Statistics
  private let counts: [(entity: EntityMap, count: Int)]

  init(_ store: OpenedStore) throws {
    let container = store.container
    self.store = store
    token = try container.currentToken()
    history = try container.historyExtent()
    consumers = try container.consumers()
    statistics = try container.statistics()
    counts = try container.counts().map { (try container.map.entity($0.entity), $0.count) }
      .sorted { $0.0.name < $1.0.name }
  }

  var lines: [String] {
    var lines = [
      "store  \(store.name)", "id  \(store.container.storeID.uuidString.lowercased())",
      history.first > history.last
        ? "history  empty after transaction \(history.last)"
        : "history  transactions \(history.first) to \(history.last)",
      "token  \(token)",
      "size  \(statistics.storeBytes) bytes, log \(statistics.logBytes) bytes",
      "snapshots  \(statistics.snapshots)\(statistics.oldestSnapshotAge.map { ", oldest \($0) s" } ?? "")",
    ]
    lines += statistics.details.sorted { $0.key < $1.key }.map { "\($0.key)  \($0.value)" }
    lines += consumers.map { "consumer \(CanonicalText.quoted($0.name))  position \($0.position.number)" }
    lines += counts.map { "\($0.entity.name)  \($0.count) rows" }
    return lines + store.container.schema.outline.split(separator: "\n").map(String.init)
  }

  var json: JSONValue {
    var members: [String: JSONValue] = [
      "store": .string(store.name), "id": .string(store.container.storeID.uuidString.lowercased()),
      "token": .string(token.description),
      "history": ["first": .unsigned(history.first), "last": .unsigned(history.last)],
      "storeBytes": .integer(statistics.storeBytes), "logBytes": .integer(statistics.logBytes),
      "snapshots": .integer(statistics.snapshots),
      "details": .object(statistics.details.mapValues(JSONValue.integer)),
      "consumers": .array(
        consumers.map { ["name": .string($0.name), "position": .unsigned($0.position.number)] }),
      "entities": .object(
        Dictionary(counts.map { ($0.entity.name, Self.json($0.entity, count: $0.count)) }) { $1 }),
    ]
    members["oldestSnapshotAge"] = statistics.oldestSnapshotAge.map(JSONValue.double)
    return .object(members)
  }

  private static func json(_ entity: EntityMap, count: Int) -> JSONValue {
    var attributes: [String: JSONValue] = [:]
    var relationships: [String: JSONValue] = [:]
    for property in entity.properties {
      if let attribute = property.attribute { attributes[property.name] = .string(attribute.type.rawValue) }
      if let relationship = property.relationship {
        relationships[property.name] = [
          "destination": .string(relationship.destination), "toMany": .boolean(relationship.isToMany),
        ]
      }
    }
    return [
      "count": .integer(count), "attributes": .object(attributes), "relationships": .object(relationships),
      "unique": .array(
        entity.description.uniquenessConstraints.map { .array($0.map(JSONValue.string)) }),
    ]
  }
}

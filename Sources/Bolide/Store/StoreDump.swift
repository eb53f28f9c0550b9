import BolideStorage

/// The canonical text of a store: equal for equal contents on every store.
///
/// Entities by name, their rows by number with attributes and to-ones by name, then links, then history without
/// what differs from run to run: timestamps, processes, ids and nonces.
package struct StoreDump {
  private let coordinator: StoreCoordinator
  private let reader: any Reader
  private let print: (String) throws -> Void
  private var map: SchemaMap { coordinator.map }

  package init(_ coordinator: StoreCoordinator, reader: any Reader, print: @escaping (String) throws -> Void)
  {
    self.coordinator = coordinator
    self.reader = reader
    self.print = print
  }

  /// Prints everything, or the rows and links of one entity.
  package func run(entity name: String?) throws {
    if let name {
      let entity = try map.entity(name)
      try rows(of: entity)
      try links(of: entity)
      return
    }
    let entities = map.entities.sorted { $0.name < $1.name }
    for entity in entities where !entity.isAbstract { try rows(of: entity) }
    for entity in entities { try links(of: entity) }
    try history()
  }

  private func rows(of entity: EntityMap) throws {
    try print("entity \(entity.name)")
    let properties = entity.properties.filter { $0.column != nil }
    var scan = EntityScan(map: map, reader: reader, entity: entity, condition: nil)
    scan.includesSubentities = false
    try scan.forEach(columns: .all(entity.format.columnCount)) { row, number in
      var line = "\(entity.name)#\(number)"
      for property in properties {
        guard let column = property.column else { continue }
        line += "  \(property.name) " + text(row.value(column), of: property)
      }
      try print(line)
    }
  }

  private func text(_ value: Value, of property: PropertyMap) -> String {
    if case .reference(let number) = value, let destination = property.destination {
      return "\(map.entities[destination].name)#\(number)"
    }
    return CanonicalText.text(value)
  }

  /// The pairs of each link table, from the side where it begins.
  private func links(of entity: EntityMap) throws {
    for property in entity.relationships {
      guard case .link(let link, .forward, _, let destination) = property.kind,
        entity.description.relationships.contains(where: { $0.name == property.name })
      else { continue }
      try print("links \(entity.name).\(property.name)")
      let scan = EntityScan(map: map, reader: reader, entity: entity, condition: nil)
      let members = RelationshipReader(map: map, reader: reader)
      try scan.forEachChunk(columns: ColumnSet()) { rows in
        for pair in try members.links(link, of: rows.numbers, side: .forward) {
          try print("\(entity.name)#\(pair.from)  \(map.entities[destination].name)#\(pair.to)")
        }
      }
    }
  }

  private func history() throws {
    try print("history")
    let history = HistoryReader(coordinator, reader: reader)
    var last = try reader.historyStart().transaction
    var records: [TransactionRecord] = []
    repeat {
      records.removeAll(keepingCapacity: true)
      try reader.transactions(after: last, limit: 64, into: &records)
      for record in records {
        try print(
          "transaction \(record.mark.transaction)  author \(name(record.author))  context \(name(record.contextName))"
        )
        for change in try history.changes(of: record) { try print("  " + CanonicalText.text(change)) }
      }
      last = records.last?.mark.transaction ?? last
    } while records.count == 64
  }

  private func name(_ text: String?) -> String { CanonicalText.text(text.map(Value.string) ?? .null) }
}

extension CanonicalText {
  /// A transaction as histories print it: `transaction N  DATE  author A  context C`.
  package static func text(_ transaction: PersistentHistoryTransaction) -> String {
    func name(_ text: String?) -> String { self.text(text.map { Value.string($0) } ?? .null) }
    return "transaction \(transaction.number)  \(text(transaction.timestamp))  "
      + "author \(name(transaction.author))  context \(name(transaction.contextName))"
  }

  /// A change as histories print it: `insert E#N`, `update E#N  properties`, `delete E#N  key value`.
  package static func text(_ change: PersistentHistoryChange) -> String {
    switch change.kind {
    case .insert: "insert \(change.objectID)"
    case .update: "update \(change.objectID)  \(change.updatedProperties.joined(separator: ","))"
    case .delete:
      "delete \(change.objectID)"
        + change.tombstone.sorted { $0.key < $1.key }.map { "  \($0.key) \(text($0.value))" }.joined()
    }
  }
}

import BolideStorage

/// Store-wide consistency: what the rules promise, counted again from the rows (rules U-1, U-2, R-1 to R-3, H-1, S-1).
package struct StoreCheck {
  private let coordinator: StoreCoordinator
  private let reader: any Reader
  private var map: SchemaMap { coordinator.map }
  /// The most problems listed.
  private static let limit = 1000

  package init(_ coordinator: StoreCoordinator, reader: any Reader) {
    self.coordinator = coordinator
    self.reader = reader
  }

  /// Every problem found, a line each; empty when the store is consistent.
  package func run() throws -> [String] {
    var problems: [String] = []
    var present: [TableID: NumberSet] = [:]
    for table in map.layout.tables.indices {
      present[table] = try checkRows(of: table, &problems)
    }
    for table in map.layout.tables.indices { try checkReferences(of: table, present, &problems) }
    for entity in map.entities { try checkPartners(of: entity, &problems) }
    for link in map.layout.links.indices { try checkLinks(link, present, &problems) }
    for attribute in coordinator.derived.attributes { try checkDerived(attribute, &problems) }
    try checkHistory(present, &problems)
    return Array(problems.prefix(Self.limit))
  }

  // MARK: Rows and keys

  private func checkRows(of table: TableID, _ problems: inout [String]) throws -> NumberSet {
    let layout = map.layout.tables[table]
    let format = layout.format
    var numbers = NumberSet()
    var place: Place?
    var rows = RowBatch(format)
    var counted = 0
    repeat {
      rows.removeAll()
      try reader.scan(
        .all, of: table, backwards: false, from: &place, limit: 1024, columns: .all(format.columnCount),
        into: &rows)
      counted += rows.count
      for number in rows.numbers { numbers.insert(number) }
      rows.withRows { views in
        for index in 0..<views.count {
          let entity = map.entity(of: views[index], in: table)
          for column in entity.required where views[index].isNil(column) {
            problems.append(
              "\(entity.name)#\(rows.numbers[index]).\(layout.columns[column].name) has no value")
          }
        }
      }
      for (id, index) in layout.indexes.enumerated() where index.isUnique {
        try checkKeys(rows, of: table, index: id, &problems)
      }
    } while place != nil
    let count = try reader.count(of: table)
    if count != counted { problems.append("\(layout.name) counts \(count) rows and has \(counted)") }
    for (id, index) in layout.indexes.enumerated() {
      let indexed = try numbersInIndex(id, of: table)
      if indexed.count != counted || indexed != numbers {
        problems.append(
          "the index \(layout.name).\(index.name) names \(indexed.count) rows and the table has \(counted)")
      }
    }
    if let last = numbers.ranges.last?.upperBound {
      let next = try reader.metadata("next.\(layout.name)").flatMap(Number.init(littleEndianBytes:)) ?? 1
      if next <= last { problems.append("the next number of \(layout.name) is \(next) and \(last) is taken") }
    }
    return numbers
  }

  private func checkKeys(
    _ rows: RowBatch, of table: TableID, index: IndexID, _ problems: inout [String]
  ) throws {
    let layout = map.layout.tables[table]
    var found = RowBatch(layout.format)
    try reader.find(rows, of: table, by: index, columns: ColumnSet(), into: &found)
    rows.withRows { views in
      for row in 0..<views.count {
        let hasNil = layout.indexes[index].columns.contains { views[row].isNil($0) }
        if !hasNil, found.numbers[row] != rows.numbers[row] {
          problems.append(
            "\(layout.name)#\(rows.numbers[row]) is not found by \(layout.indexes[index].name): "
              + (found.numbers[row] == 0 ? "nothing is" : "#\(found.numbers[row]) is"))
        }
      }
    }
  }

  private func numbersInIndex(_ index: IndexID, of table: TableID) throws -> NumberSet {
    var numbers = NumberSet()
    var place: Place?
    var rows = RowBatch(map.layout.tables[table].format)
    repeat {
      rows.removeAll()
      try reader.scan(
        .index(index, lower: nil, upper: nil), of: table, backwards: false, from: &place, limit: 1024,
        columns: ColumnSet(map.layout.tables[table].indexes[index].columns), into: &rows)
      for number in rows.numbers { numbers.insert(number) }
    } while place != nil
    return numbers
  }

  // MARK: Relationships and derived values

  private func checkReferences(
    of table: TableID, _ present: [TableID: NumberSet], _ problems: inout [String]
  ) throws {
    for entity in map.entities where entity.table == table {
      let references = entity.relationships.compactMap { property -> (PropertyMap, Int, TableID)? in
        guard case .toOne(let column, _, _, let destination) = property.kind else { return nil }
        return (property, column, map.entities[destination].table)
      }
      if references.isEmpty { continue }
      var scan = EntityScan(map: map, reader: reader, entity: entity, condition: nil)
      scan.includesSubentities = false
      try scan.forEach(columns: ColumnSet(references.map(\.1))) { row, number in
        for (property, column, target) in references where !row.isNil(column) {
          if present[target]?.contains(row.int(column)) != true {
            problems.append(
              "\(entity.name)#\(number).\(property.name) names #\(row.int(column)), which is gone")
          }
        }
      }
    }
  }

  /// One-to-ones, from the sides that other tables' columns keep: one partner at most, and one where it is needed.
  private func checkPartners(of entity: EntityMap, _ problems: inout [String]) throws {
    let relationships = RelationshipReader(map: map, reader: reader)
    for property in entity.relationships {
      guard case .inverse(toMany: false, let source, let column, let index, _, _) = property.kind else {
        continue
      }
      for number in try objects(of: entity) {
        let partners = try relationships.referring(to: number, from: source, column: column, index: index)
        if partners.count > 1 {
          let names = partners.map { "#\($0)" }.joined(separator: ", ")
          problems.append("\(entity.name)#\(number).\(property.name) is one object and is set by \(names)")
        } else if partners.isEmpty, property.needsPartner {
          problems.append("\(entity.name)#\(number).\(property.name) has no value")
        }
      }
    }
  }

  /// The objects of an entity itself.
  private func objects(of entity: EntityMap) throws -> [Number] {
    var scan = EntityScan(map: map, reader: reader, entity: entity, condition: nil)
    scan.includesSubentities = false
    var numbers: [Number] = []
    try scan.forEach(columns: ColumnSet()) { _, number in numbers.append(number) }
    return numbers
  }

  private func checkLinks(
    _ link: LinkID, _ present: [TableID: NumberSet], _ problems: inout [String]
  ) throws {
    let layout = map.layout.links[link]
    let links = RelationshipReader(map: map, reader: reader)
    var forward: Set<Link> = []
    for chunk in chunks(present[layout.source]) {
      for pair in try links.links(link, of: chunk, side: .forward) {
        forward.insert(Link(from: pair.from, to: pair.to))
      }
    }
    var inverse: Set<Link> = []
    for chunk in chunks(present[layout.target]) {
      for pair in try links.links(link, of: chunk, side: .inverse) {
        inverse.insert(Link(from: pair.from, to: pair.to))
      }
    }
    for pair in forward.symmetricDifference(inverse).sorted(by: { ($0.from, $0.to) < ($1.from, $1.to) }) {
      problems.append("\(layout.name) has the link \(pair.from) to \(pair.to) on one side alone")
    }
    for pair in forward.union(inverse) {
      if present[layout.source]?.contains(pair.from) != true
        || present[layout.target]?.contains(pair.to) != true
      {
        problems.append("\(layout.name) links \(pair.from) to \(pair.to), one of which is gone")
      }
    }
  }

  private func chunks(_ numbers: NumberSet?) -> [[Number]] {
    let all = numbers?.numbers ?? []
    return stride(from: 0, to: all.count, by: 1024).map { Array(all[$0..<min($0 + 1024, all.count)]) }
  }

  /// Every derived value, computed again; times of changes are not told by what is stored.
  private func checkDerived(_ attribute: DerivedAttribute, _ problems: inout [String]) throws {
    var scan = EntityScan(map: map, reader: reader, entity: attribute.entity, condition: nil)
    scan.includesSubentities = false
    try scan.forEach(columns: .all(attribute.entity.format.columnCount)) { row, number in
      guard let value = try attribute.value(row, number: number, map: map, reader: reader),
        row.value(attribute.column) != value.normalized
      else { return }
      problems.append(
        "\(attribute.entity.name)#\(number).\(attribute.property.name) is "
          + "\(CanonicalText.text(row.value(attribute.column))) and should be \(CanonicalText.text(value))")
    }
  }

  // MARK: History

  private func checkHistory(_ present: [TableID: NumberSet], _ problems: inout [String]) throws {
    let start = try reader.historyStart()
    let head = try reader.head()
    var last = start.transaction
    var live: [TableID: NumberSet] = [:]
    var records: [TransactionRecord] = []
    repeat {
      records.removeAll(keepingCapacity: true)
      try reader.transactions(after: last, limit: 256, into: &records)
      for record in records {
        if record.mark.transaction != last + 1 {
          problems.append("history goes from transaction \(last) to \(record.mark.transaction)")
        }
        last = record.mark.transaction
        try replay(record.mark.transaction, &live, &problems)
      }
    } while !records.isEmpty
    if last != head.transaction {
      problems.append("history ends at \(last) and the head is \(head.transaction)")
    }
    let option = try reader.metadata(MetadataKey.history)
    guard option == Array("on".utf8), start == .start else { return }
    for (table, numbers) in present where numbers != live[table, default: NumberSet()] {
      problems.append(
        "\(map.layout.tables[table].name) has \(numbers.count) rows and history leaves \(live[table, default: NumberSet()].count)"
      )
    }
  }

  private func replay(
    _ transaction: UInt64, _ live: inout [TableID: NumberSet], _ problems: inout [String]
  ) throws {
    var runs: [ChangeRun] = []
    try reader.runs(of: transaction, into: &runs)
    let isMigrated = transaction <= coordinator.historyNames.through
    if runs.isEmpty, !isMigrated { problems.append("transaction \(transaction) changed nothing") }
    for run in runs {
      guard let entity = coordinator.historyNames.entity(run) else {
        if !isMigrated { problems.append("transaction \(transaction) names an entity that the schema lacks") }
        continue
      }
      let table = map.entities[entity].table
      for number in run.numbers.joined() {
        switch run.kind {
        case .insert: live[table, default: NumberSet()].insert(number)
        case .delete: live[table, default: NumberSet()].remove(number)
        case .update: break
        }
      }
    }
  }
}

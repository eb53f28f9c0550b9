import BolideStorage

/// What brings a store from its schema to a later one, as far as the two schemas tell (rule U-11).
///
/// What only the data can tell, such as duplicates under a new constraint, shows while it runs.
struct MigrationPlan: Sendable {
  let match: SchemaMatch
  /// What is to be done with each table of the new layout.
  private(set) var tables: [TablePlan] = []
  /// What is to be done with each link table of the new layout.
  private(set) var links: [LinkPlan] = []
  /// Why the new schema is no version of the stored one, a line each; empty where it is.
  private(set) var refusals: [String] = []

  /// A table of the new layout.
  struct TablePlan: Sendable {
    /// The stored table that the rows come from.
    var source: TableID?
    /// Whether that is the same table, which stays in place; else its rows are inserted anew.
    var isKept = false
    /// The columns whose values are written.
    var written = ColumnSet()
    /// Whether rows have to be looked at even where nothing is written: a value is required that was not.
    var isChecked = false
    /// Whether rows of the source are not rows of this table any more.
    var losesRows = false

    /// Whether the rows are walked over.
    var isWalked: Bool { source != nil && (!isKept || !written.isEmpty || isChecked || losesRows) }
  }

  /// A link table of the new layout.
  struct LinkPlan: Sendable {
    /// The relationship at the side where the link table begins, and its entity.
    var relationship: PropertyMap
    var entity: EntityID
    /// What the links come from; `nil` for a new relationship.
    var source: PropertyMap?
    /// Whether that is the same link table, which stays in place.
    var isKept = false
  }

  private var old: SchemaMap { match.old }
  private var new: SchemaMap { match.new }

  init(from old: SchemaMap, to new: SchemaMap) {
    match = SchemaMatch(old: old, new: new)
    guard match.isRelated else {
      refusals = new.schema.differences(from: old.schema)
      return
    }
    tables = new.layout.tables.indices.map { table in planTable(table) }
    for entity in new.entities { checkProperties(of: entity) }
    planLinks()
    planColumns()
  }

  /// The stored tables some of whose rows go while others stay: their entity is removed.
  func removesRows(of table: TableID) -> Bool {
    old.entities.contains { $0.table == table && match.successors[$0.id] == nil && !$0.isAbstract }
  }

  // MARK: Tables

  private mutating func planTable(_ table: TableID) -> TablePlan {
    var plan = TablePlan()
    let members = new.entities.filter { $0.table == table }
    let sources = members.compactMap { member in match.entities[member.id].map { old.entities[$0] } }
    plan.source = sources.first?.table
    if let other = sources.first(where: { $0.table != plan.source }), let first = sources.first {
      refusals.append(
        "\(first.name) and \(other.name) number their objects each for itself and cannot become one family")
    }
    guard let source = plan.source else { return plan }
    plan.isKept = new.layout.tables[table].name == old.layout.tables[source].name
    let kept = Set(sources.map(\.id))
    plan.losesRows = old.entities.contains {
      $0.table == source && !$0.isAbstract && !kept.contains($0.id)
    }
    return plan
  }

  // MARK: Properties

  private mutating func checkProperties(of entity: EntityMap) {
    guard match.entities[entity.id] != nil else { return }
    for property in entity.properties {
      guard let stored = match.stored(property, of: entity.id) else { continue }
      if let now = property.attribute, let before = stored.attribute {
        if now.derivation == nil, !now.type.takes(before.type) {
          refusals.append(
            "\(entity.name).\(property.name) is \(now.type.rawValue) and was \(before.type.rawValue)")
        }
      }
      if let destination = property.destination, let before = stored.destination,
        tables[new.entities[destination].table].source != old.entities[before].table
      {
        refusals.append(
          "\(entity.name).\(property.name) names objects of \(new.entities[destination].name) and named those of "
            + old.entities[before].name)
      }
      if let inverse = new.inverse(property), let storedInverse = old.inverse(stored),
        let destination = property.destination,
        match.stored(inverse, of: destination)?.name != storedInverse.name
      {
        refusals.append("\(entity.name).\(property.name) has another inverse")
      }
    }
  }

  // MARK: Links

  private mutating func planLinks() {
    links = new.layout.links.indices.compactMap { link in
      for entity in new.entities {
        for property in entity.relationships {
          guard case .link(link, side: .forward, _, _) = property.kind,
            entity.description.relationships.contains(where: { $0.name == property.name })
          else { continue }
          return LinkPlan(
            relationship: property, entity: entity.id, source: match.stored(property, of: entity.id))
        }
      }
      return nil
    }
    for (link, plan) in links.enumerated() {
      guard case .link(let stored, side: .forward, _, _)? = plan.source?.kind else { continue }
      let (now, before) = (new.layout.links[link], old.layout.links[stored])
      links[link].isKept =
        now.name == before.name && isKept(now.source, from: before.source)
        && isKept(now.target, from: before.target)
    }
  }

  /// Whether a new table is a stored one, in place.
  private func isKept(_ table: TableID, from source: TableID) -> Bool {
    tables[table].isKept && tables[table].source == source
  }

  // MARK: Columns

  private mutating func planColumns() {
    for table in new.layout.tables.indices {
      guard let source = tables[table].source else { continue }
      for column in new.layout.tables[table].columns.indices
      where isWritten(column, of: table, from: source) {
        tables[table].written.insert(column)
      }
      for entity in new.entities where entity.table == table {
        guard let stored = match.entities[entity.id] else { continue }
        for column in entity.required {
          let property = entity.properties.first { $0.column == column }
          let before = property.flatMap { match.stored($0, of: entity.id) }
          let wasRequired = before?.column.map { old.entities[stored].required.contains($0) } == true
          if !wasRequired { tables[table].isChecked = true }
        }
      }
    }
  }

  /// Whether rows get a value in a column that the store does not leave there by itself.
  private func isWritten(_ column: Int, of table: TableID, from source: TableID) -> Bool {
    let layout = new.layout.tables[table]
    let stored = old.layout.tables[source].columns.firstIndex { $0.name == layout.columns[column].name }
    for entity in new.entities where entity.table == table {
      guard let before = match.entities[entity.id] else { continue }
      if column == entity.entityColumn {
        if stored == nil || old.entities[before].entityColumn != stored || before != entity.id { return true }
        continue
      }
      guard let property = entity.properties.first(where: { $0.column == column }) else {
        // A column of another member of the family, whose values this one's rows may have had.
        if let stored, old.entities[before].properties.contains(where: { $0.column == stored }) {
          return true
        }
        continue
      }
      guard let kept = match.stored(property, of: entity.id) else {
        if stored != nil || property.attribute.map({ !$0.initialValue.isNull }) == true { return true }
        continue
      }
      if kept.column != stored || stored == nil { return true }
      if let stored, old.layout.tables[source].columns[stored].type != layout.columns[column].type {
        return true
      }
      if !property.isOptional, kept.isOptional, property.attribute?.defaultValue.isNull == false {
        return true
      }
      if let destination = kept.destination, removesRows(of: old.entities[destination].table) { return true }
    }
    return false
  }
}

extension SchemaMap {
  /// The other side of a relationship.
  func inverse(_ relationship: PropertyMap) -> PropertyMap? {
    relationship.destination.flatMap { inverse(of: relationship, destination: $0) }
  }
}

extension ValueType {
  /// Whether every value of another type has one of this type that says the same.
  func takes(_ other: ValueType) -> Bool {
    if self == other { return true }
    switch (other, self) {
    case (.int16, .int32), (.int16, .int64), (.int32, .int64): return true
    case (.int16, .decimal), (.int32, .decimal), (.int64, .decimal): return true
    case (.int16, .double), (.int32, .double), (.int16, .float), (.float, .double): return true
    default: return false
    }
  }
}

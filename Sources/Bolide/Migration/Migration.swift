import BolideStorage

/// Brings a store to a later schema in one write transaction (rules U-7, U-11): what is refused leaves it as it was.
final class Migration {
  let plan: MigrationPlan
  let transaction: any WriteTransaction
  /// The state before, which stays readable while tables change.
  let before: any Snapshot
  let environment: StoreEnvironment
  var old: SchemaMap { plan.match.old }
  var new: SchemaMap { plan.match.new }

  /// What the data say against the new schema, a line each.
  var problems: [String] = []
  /// How many problems are listed.
  static let problemLimit = 100

  init(
    _ plan: MigrationPlan, in transaction: any WriteTransaction, before: any Snapshot,
    environment: StoreEnvironment
  ) {
    self.plan = plan
    self.transaction = transaction
    self.before = before
    self.environment = environment
  }

  /// Does everything but the commit.
  ///
  /// - Throws: `migration.duplicates`, `migration.data`, and what the store throws; the transaction may only be
  ///   rolled back then.
  func run(stored layout: Layout) throws(BolideError) {
    try checkMembers()
    let names = try StoredNames(before)
    let renamed = plan.renamed(names)
    if renamed == nil { try forgetHistory() }
    let properties = plan.properties(stored: layout, names)
    var next = renamed ?? StoredNames()
    next.through = try before.head().transaction
    next.properties = [:]
    for (table, entry) in zip(new.layout.tables, properties) where entry.ids != Array(entry.ids.indices) {
      next.properties[table.name] = entry.ids
    }
    if plan.changesLayout || layout.tables.map(\.properties) != properties.map(\.names) {
      try changeLayout(from: layout, entities: plan.entityLayouts(next), properties: properties.map(\.names))
    } else {
      for table in new.layout.tables.indices where plan.tables[table].isWalked { try fill(table) }
      try throwProblems()
    }
    try checkPartners()
    try throwProblems()
    try deriveAnew()
    try moveCounters()
    try next.write(to: transaction)
    try transaction.setMetadata(MetadataKey.schema, [UInt8](try new.schema.json()))
  }

  // MARK: Tables

  private func changeLayout(
    from layout: Layout, entities: [EntityLayout], properties: [[String]]
  ) throws(BolideError) {
    var epoch = layout.epoch
    func change(_ layout: Layout) throws(BolideError) {
      epoch += 1
      var layout = layout
      layout.epoch = epoch
      try transaction.change(layout)
    }
    if let clearing = plan.layoutForClearing(entities: entities, properties: properties) {
      try change(clearing)
    }
    var current = plan.layoutForFilling(entities: entities, properties: properties)
    try change(current)
    for table in new.layout.tables.indices where plan.tables[table].isWalked { try fill(table) }
    try fillLinks()
    try throwProblems()
    let final = plan.final(entities: entities, properties: properties)
    for table in final.tables.indices where current.tables[table].indexes != final.tables[table].indexes {
      current.tables[table].indexes = final.tables[table].indexes
      do throws(BolideError) {
        try change(current)
      } catch {
        guard let taken = error.payload as? [Taken], !taken.isEmpty else { throw error }
        throw try duplicates(taken, in: table)
      }
    }
  }

  /// The numbers that go on: a table that has another name takes its counter along, and none is given twice (rule U-1).
  private func moveCounters() throws(BolideError) {
    for (id, table) in new.layout.tables.enumerated() {
      guard let source = plan.tables[id].source, !plan.tables[id].isKept else { continue }
      let next = try before.metadata(WriteSession.counterKey(old.layout.tables[source].name))
      let known = try before.metadata(WriteSession.counterKey(table.name))
      let numbers = [next, known].compactMap { $0.flatMap(Number.init(littleEndianBytes:)) }
      if let highest = numbers.max() {
        try transaction.setMetadata(WriteSession.counterKey(table.name), highest.littleEndianBytes)
      }
    }
  }

  private func forgetHistory() throws(BolideError) {
    let head = try before.head().transaction
    while head > 0, try transaction.dropHistory(through: head, limit: 256) {}
  }

  // MARK: Problems

  func report(_ problem: @autoclosure () -> String) {
    if problems.count <= Self.problemLimit { problems.append(problem()) }
  }

  private func throwProblems() throws(BolideError) {
    guard let first = problems.first else { return }
    var details = Array(problems.prefix(Self.problemLimit))
    if problems.count > Self.problemLimit { details.append("and more") }
    let more = problems.count > 1 ? " (and \(details.count - 1) more)" : ""
    throw BolideError(.migrationData, first + more, details: details)
  }

  /// The error for rows that break a new constraint, with their names and keys (rule U-7).
  private func duplicates(_ taken: [Taken], in table: TableID) throws(BolideError) -> BolideError {
    let index = new.layout.tables[table].indexes[taken[0].index]
    var lines: [String] = []
    for entry in taken.prefix(Self.problemLimit) where entry.index == taken[0].index {
      let row = try newRow(Number(entry.row), of: table)
      let holder = try newRow(entry.holder, of: table)
      let key = index.columns.map { column in
        "\(new.layout.tables[table].columns[column].name) "
          + CanonicalText.text(row.rows.withRow(at: 0) { $0.value(column) } ?? .null)
      }
      lines.append("\(row.name)  \(key.joined(separator: "  "))  as \(holder.name)")
    }
    let columns = index.columns.map { new.layout.tables[table].columns[$0].name }.joined(separator: ", ")
    let root = new.rootEntity(of: table).name
    return BolideError(
      .migrationDuplicates,
      "\(root): the new constraint on \(columns) finds \(taken.count)\(taken.count >= 100 ? " or more" : "") objects "
        + "with a key of another, such as \(lines.first.map { String($0.prefix { $0 != " " }) } ?? root)",
      details: lines, payload: taken)
  }
}

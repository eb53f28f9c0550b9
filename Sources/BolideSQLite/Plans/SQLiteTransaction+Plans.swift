import BolideStorage
import CSQLite

extension SQLiteTransaction {
  func accepts(_ plan: Plan) -> Acceptance { session?.accepts(plan) ?? .none }

  func run(_ plan: Plan, into batch: inout RowBatch) throws(BolideError) {
    try reading().run(plan, into: &batch)
  }

  func explain(_ plan: Plan) throws(BolideError) -> [String] { try reading().explain(plan) }

  func accepts(_ change: PlanChange) -> Bool {
    // Rows that wait for their new keys are in no table now.
    guard let session, !hasReleasedRows else { return false }
    return PlanLimits(session.schema).accepts(change)
  }

  func write(
    _ change: PlanChange, into rows: inout RowBatch, changed: inout [ColumnSet]
  ) throws(BolideError) {
    guard accepts(change) else { throw .misuse("A change was made that the store does not take") }
    try writing { (session) throws(BolideError) in
      guard rows.format == change.format(in: session.schema.layout) else {
        throw .misuse("The rows do not have the format of what a change wants to know")
      }
      let first = changed.count
      try session.look(change, into: &rows, changed: &changed)
      let isDelete: Bool
      let count: Int
      switch change.action {
      case .delete:
        isDelete = true
        count = changed.count - first
      case .set:
        isDelete = false
        count = changed[first...].count { !$0.isEmpty }
      }
      if count == 0 { return }
      var sql = PlanSQL(session.schema)
      let text = try sql.write(change)
      let statement = try session.connection.kept(.plan(text)) {
        () throws(BolideError) -> (String, RowDecoder?, RowBinder?) in (text, nil, nil)
      }.statement
      try session.run(statement, sql.parameters) { _ in }
      let written = Int(sqlite3_changes64(session.connection.handle))
      guard written == count else {
        throw .damaged("\(count) rows were to be \(isDelete ? "deleted" : "changed"), and \(written) were")
      }
    }
  }
}

extension Session {
  /// Looks at the rows of a change before it is made.
  fileprivate func look(
    _ change: PlanChange, into rows: inout RowBatch, changed: inout [ColumnSet]
  ) throws(BolideError) {
    var settings: [Int] = []
    if case .set(let values) = change.action { settings = values.map(\.column) }
    var sql = PlanSQL(schema)
    let text = try sql.selectChanged(change)
    let layout = schema.layout
    let format = change.format(in: layout)
    let prepared = try connection.kept(.plan(text, format.types, from: 2)) {
      () throws(BolideError) -> (String, RowDecoder?, RowBinder?) in
      let name = layout.tables[change.table].name
      return (text, RowDecoder(ofValuesIn: format, after: 2, of: name), nil)
    }
    guard let decoder = prepared.decoder else { return }
    // Most rows differ in the same columns.
    var known: (bits: Int64, columns: ColumnSet) = (0, ColumnSet())
    try run(prepared.statement, sql.parameters) { (statement) throws(BolideError) in
      let bits = statement.int(1)
      if bits != known.bits {
        let differing = settings.indices.filter { bits & (1 << Int64($0)) != 0 }
        known = (bits, ColumnSet(differing.map { settings[$0] }))
      }
      changed.append(known.columns)
      try decoder.append(statement, using: connection.scratch, to: &rows)
    }
  }
}

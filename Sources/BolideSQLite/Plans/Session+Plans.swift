import BolideStorage
import CSQLite

extension Session {
  func accepts(_ plan: Plan) -> Acceptance { PlanLimits(schema).accepts(plan) }

  func run(_ plan: Plan, into batch: inout RowBatch) throws(BolideError) {
    guard accepts(plan) == .whole else { throw .misuse("A plan was run that the store does not take") }
    let isOfTable = if case .rows = plan.result { true } else { false }
    guard batch.format == (isOfTable ? try schema.table(plan.table).format : plan.format(in: schema.layout))
    else { throw .misuse("The rows do not have the format of the plan's answer") }
    var sql = PlanSQL(schema)
    let text = try sql.select(plan)
    let prepared = try connection.kept(.plan(text, batch.format.types)) {
      () throws(BolideError) -> (String, RowDecoder?, RowBinder?) in
      (text, try decoder(of: plan), nil)
    }
    guard let decoder = prepared.decoder else { return }
    try run(prepared.statement, sql.parameters) { (statement) throws(BolideError) in
      try decoder.append(statement, using: connection.scratch, to: &batch)
    }
  }

  /// Runs a statement with parameters, row by row.
  func run(
    _ statement: Statement, _ parameters: [PlanSQL.Parameter],
    _ body: (Statement) throws(BolideError) -> Void
  ) throws(BolideError) {
    statement.reset()
    defer {
      statement.reset()
      // No pointer stays behind in a statement that is kept.
      if parameters.contains(where: \.isPointer) { statement.clearBindings() }
    }
    for (place, parameter) in parameters.enumerated() {
      try connection.check(statement.bind(Int32(place + 1), parameter), while: "binding a request")
    }
    try withExtendedLifetime(parameters) { () throws(BolideError) in
      while try connection.step(statement, while: "answering a request") { try body(statement) }
    }
  }

  func explain(_ plan: Plan) throws(BolideError) -> [String] {
    guard accepts(plan) == .whole else { return [] }
    var sql = PlanSQL(schema)
    let text = try sql.select(plan)
    return [text] + (try explain(text))
  }

  /// What SQLite says of how it would run a statement, one line a loop.
  func explain(_ text: String) throws(BolideError) -> [String] {
    let statement = try connection.prepare("EXPLAIN QUERY PLAN \(text)", while: "explaining a request")
    defer { sqlite3_finalize(statement.handle) }
    var lines: [String] = []
    while try connection.step(statement, while: "explaining a request") { lines.append(statement.text(3)) }
    return lines
  }

  private func decoder(of plan: Plan) throws(BolideError) -> RowDecoder {
    let table = try schema.table(plan.table)
    if case .rows(let columns) = plan.result {
      return RowDecoder(table.members(columns), of: table.layout, format: table.format)
    }
    return RowDecoder(ofValuesIn: plan.format(in: schema.layout), of: table.layout.name)
  }
}

extension RowDecoder {
  /// Decodes values that are not the columns of a table, from the result column after `count` others.
  convenience init(ofValuesIn format: RowFormat, after count: Int32 = 1, of name: String) {
    let columns = format.types.enumerated().map { ColumnLayout(name: "value \($0 + 1)", type: $1) }
    let table = TableLayout(name: name, columns: columns, indexes: [], properties: [], preserved: [])
    self.init(Array(columns.indices), of: table, format: format, from: count)
  }
}

extension PlanSQL.Parameter {
  /// Whether the parameter is an object that SQLite gets a pointer to.
  fileprivate var isPointer: Bool {
    switch self {
    case .list, .test, .key, .fold: true
    case .value, .order, .bytes, .count: false
    }
  }
}

extension Statement {
  /// Binds what a parameter of a plan stands for.
  fileprivate func bind(_ place: Int32, _ parameter: PlanSQL.Parameter) -> Int32 {
    switch parameter {
    case .value(let value): bind(place, value: value)
    case .order(let value): bind(place, order: value)
    case .bytes(let bytes): bind(place, text: bytes)
    case .count(let count): bind(place, Int64(count))
    case .list(let list): bind(place, pointer: list, ValueTable.pointer)
    case .test(let test): bind(place, pointer: test, PlanFunction.testPointer)
    case .key(let key): bind(place, pointer: key, PlanFunction.keyPointer)
    case .fold(let fold): bind(place, pointer: fold, PlanFunction.foldPointer)
    }
  }

  /// Binds bytes as text, which they need not be: SQLite compares them byte by byte.
  private func bind(_ place: Int32, text bytes: [UInt8]) -> Int32 {
    bytes.withUnsafeBytes { bytes in
      Self.withAddress(of: bytes) { address, count in
        sqlite3_bind_text64(
          handle, place, address.assumingMemoryBound(to: CChar.self), UInt64(count), Self.copied,
          UInt8(SQLITE_UTF8))
      }
    }
  }
}

import BolideStorage
import CSQLite

/// Writing rows, one at a time, by statements that were fetched for the whole call.
extension Session {
  func insertion(into id: TableID) throws(BolideError) -> Connection.Prepared {
    try connection.kept(.insert(id)) { () throws(BolideError) -> (String, RowDecoder?, RowBinder?) in
      let table = try schema.table(id)
      let written = table.written(Array(table.columns.indices))
      let names = [SQLNames.number] + written.map(\.name)
      let parameters = (1...names.count).map { "?\($0)" }
      return (
        "INSERT INTO \(table.name) (\(names.joined(separator: ", "))) "
          + "VALUES (\(parameters.joined(separator: ", "))) ON CONFLICT DO NOTHING",
        nil, RowBinder(written.map(\.source), of: table.format, from: 2)
      )
    }
  }

  /// The statement that rewrites some columns; with none it only looks whether the row is there.
  func change(of columns: ColumnSet, in id: TableID) throws(BolideError) -> Connection.Prepared {
    try connection.kept(.update(id, columns)) { () throws(BolideError) -> (String, RowDecoder?, RowBinder?) in
      let table = try schema.table(id)
      let written = table.written(table.members(columns))
      if written.isEmpty {
        return ("SELECT 1 FROM \(table.name) WHERE \(SQLNames.number) = ?1", nil, nil)
      }
      let settings = written.enumerated().map { "\($1.name) = ?\($0 + 2)" }
      return (
        "UPDATE OR IGNORE \(table.name) SET \(settings.joined(separator: ", ")) "
          + "WHERE \(SQLNames.number) = ?1",
        nil, RowBinder(written.map(\.source), of: table.format, from: 2)
      )
    }
  }

  /// Inserts a row; false when its number or a unique key is taken.
  @inline(__always)
  func insert(
    _ row: UnsafeRawBufferPointer, number: Number, by prepared: Connection.Prepared, table: StoredTable
  ) throws(BolideError) -> Bool {
    try write(row, number: number, by: prepared, while: "inserting rows of \(table.layout.name)")
  }

  /// Updates a row; false when it is not there or a unique key is taken.
  @inline(__always)
  func update(
    _ row: UnsafeRawBufferPointer, number: Number, by prepared: Connection.Prepared, table: StoredTable
  ) throws(BolideError) -> Bool {
    try write(row, number: number, by: prepared, while: "updating rows of \(table.layout.name)")
  }

  @inline(__always)
  private func write(
    _ row: UnsafeRawBufferPointer, number: Number, by prepared: Connection.Prepared,
    while action: @autoclosure () -> String
  ) throws(BolideError) -> Bool {
    let statement = prepared.statement
    statement.reset()
    try connection.check(statement.bind(1, number), while: action())
    guard let binder = prepared.binder else { return try connection.step(statement, while: action()) }
    try connection.check(binder.bind(row, to: statement), while: action())
    _ = try connection.step(statement, while: action())
    return sqlite3_changes(connection.handle) > 0
  }

  /// Deletes a row; false when there is none.
  func delete(_ number: Number, from id: TableID) throws(BolideError) -> Bool {
    let table = try schema.table(id)
    let statement = try connection.kept(.delete(id)) {
      () throws(BolideError) -> (String, RowDecoder?, RowBinder?) in
      ("DELETE FROM \(table.name) WHERE \(SQLNames.number) = ?1", nil, nil)
    }.statement
    defer { statement.reset() }
    try connection.check(statement.bind(1, number), while: "deleting rows of \(table.layout.name)")
    _ = try connection.step(statement, while: "deleting rows of \(table.layout.name)")
    return sqlite3_changes(connection.handle) > 0
  }

  /// Deletes rows, many of them by one statement.
  func delete(_ numbers: [Number], from id: TableID) throws(BolideError) {
    if numbers.count < 8 {
      for number in numbers { _ = try delete(number, from: id) }
      return
    }
    let table = try schema.table(id)
    let statement = try connection.kept(.deleteSeveral(id)) {
      () throws(BolideError) -> (String, RowDecoder?, RowBinder?) in
      let list = "SELECT value FROM \(ValueTable.name)(?1)"
      return ("DELETE FROM \(table.name) WHERE \(SQLNames.number) IN (\(list))", nil, nil)
    }.statement
    let list = ValueList(numbers.map { .reference($0) })
    defer {
      statement.reset()
      // No pointer stays behind in a statement that is kept.
      statement.clearBindings()
    }
    try connection.check(
      statement.bind(1, pointer: list, ValueTable.pointer), while: "deleting rows of \(table.layout.name)")
    try withExtendedLifetime(list) { () throws(BolideError) in
      _ = try connection.step(statement, while: "deleting rows of \(table.layout.name)")
    }
  }

  /// The first unique index in which another row has the key of `row`, and that row's number.
  func holder(
    of row: UnsafeRawBufferPointer, in id: TableID, besides own: Number?
  ) throws(BolideError) -> (index: IndexID, number: Number)? {
    let table = try schema.table(id)
    for index in table.uniqueIndexes {
      let columns = table.layout.indexes[index].columns
      let prepared = try connection.kept(.holder(id, index)) {
        () throws(BolideError) -> (String, RowDecoder?, RowBinder?) in
        (
          "SELECT \(SQLNames.number) FROM \(table.name) INDEXED BY \(table.indexes[index]) WHERE "
            + table.equality(columns, from: 1),
          nil, RowBinder(columns.map(table.orderingSource), of: table.format, from: 1)
        )
      }
      let statement = prepared.statement
      defer { statement.reset() }
      let action = "looking for the holder of a key of \(table.layout.name)"
      if let binder = prepared.binder { try connection.check(binder.bind(row, to: statement), while: action) }
      if try connection.step(statement, while: action), statement.int(0) != own {
        return (index, statement.int(0))
      }
    }
    return nil
  }
}

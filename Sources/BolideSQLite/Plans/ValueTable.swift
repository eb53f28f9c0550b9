import BolideStorage
import CSQLite
import Foundation

/// Values as a table of one column: `SELECT value FROM bolide_values(?1)`.
///
/// So IN takes as many values as there are, by one parameter, and SQLite looks each up in an index where there is
/// one.
enum ValueTable {
  static let name = "bolide_values"
  /// The kind of the pointer that stands for a list.
  static let pointer: StaticString = "bolide-values"

  /// Makes the table known to a connection.
  ///
  /// - Returns: SQLite's code.
  static func register(on handle: OpaquePointer) -> Int32 {
    sqlite3_create_module_v2(handle, name, module, nil, nil)
  }

  /// A cursor; SQLite knows it by its first field.
  fileprivate struct Cursor {
    var base = sqlite3_vtab_cursor()
    var list: Unmanaged<ValueList>?
    var place = 0
  }

  /// The functions of the table; made once, and SQLite keeps its address.
  nonisolated(unsafe) private static let module: UnsafePointer<sqlite3_module> = {
    let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    var functions = sqlite3_module()
    functions.iVersion = 1
    functions.xConnect = connect
    functions.xBestIndex = bestIndex
    functions.xDisconnect = disconnect
    functions.xOpen = openCursor
    functions.xClose = closeCursor
    functions.xFilter = filter
    functions.xNext = next
    functions.xEof = isAtEnd
    functions.xColumn = column
    functions.xRowid = number
    module.initialize(to: functions)
    return UnsafePointer(module)
  }()
}

/// Values made ready to be handed to SQLite one by one.
final class ValueList {
  fileprivate let values: [Value]

  init(_ values: [Value]) { self.values = values }
}

// A table without a schema of its own: eponymous, since `xCreate` is missing.

private func connect(
  _ handle: OpaquePointer?, _ context: UnsafeMutableRawPointer?, _ count: Int32,
  _ arguments: UnsafePointer<UnsafePointer<CChar>?>?,
  _ table: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
  _ message: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 {
  let code = sqlite3_declare_vtab(handle, "CREATE TABLE \(ValueTable.name)(value, list HIDDEN)")
  if code != SQLITE_OK { return code }
  let made = UnsafeMutablePointer<sqlite3_vtab>.allocate(capacity: 1)
  made.initialize(to: sqlite3_vtab())
  table?.pointee = made
  return SQLITE_OK
}

private func disconnect(_ table: UnsafeMutablePointer<sqlite3_vtab>?) -> Int32 {
  table?.deallocate()
  return SQLITE_OK
}

private func bestIndex(
  _ table: UnsafeMutablePointer<sqlite3_vtab>?, _ info: UnsafeMutablePointer<sqlite3_index_info>?
) -> Int32 {
  guard let info else { return SQLITE_ERROR }
  for place in 0..<Int(info.pointee.nConstraint) {
    guard let constraint = info.pointee.aConstraint?[place], constraint.iColumn == 1,
      constraint.op == UInt8(SQLITE_INDEX_CONSTRAINT_EQ), constraint.usable != 0
    else { continue }
    info.pointee.aConstraintUsage?[place].argvIndex = 1
    info.pointee.aConstraintUsage?[place].omit = 1
    info.pointee.estimatedCost = 10
    info.pointee.estimatedRows = 100
    return SQLITE_OK
  }
  return SQLITE_CONSTRAINT
}

private func openCursor(
  _ table: UnsafeMutablePointer<sqlite3_vtab>?,
  _ cursor: UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab_cursor>?>?
) -> Int32 {
  let made = UnsafeMutablePointer<ValueTable.Cursor>.allocate(capacity: 1)
  made.initialize(to: ValueTable.Cursor())
  cursor?.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
  return SQLITE_OK
}

/// The whole of a cursor, which begins with what SQLite knows of it.
private func whole(
  _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?
) -> UnsafeMutablePointer<ValueTable.Cursor>? {
  UnsafeMutableRawPointer(cursor)?.assumingMemoryBound(to: ValueTable.Cursor.self)
}

private func closeCursor(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> Int32 {
  whole(cursor)?.deallocate()
  return SQLITE_OK
}

private func filter(
  _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ number: Int32, _ text: UnsafePointer<CChar>?,
  _ count: Int32, _ arguments: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
  guard count == 1, let arguments, let list = pointed(arguments[0], ValueTable.pointer, ValueList.self) else {
    return SQLITE_MISUSE
  }
  // The list is the parameter's: it lives as long as the statement runs.
  whole(cursor)?.pointee.list = Unmanaged.passUnretained(list)
  whole(cursor)?.pointee.place = 0
  return SQLITE_OK
}

private func next(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> Int32 {
  whole(cursor)?.pointee.place += 1
  return SQLITE_OK
}

private func isAtEnd(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> Int32 {
  guard let cursor = whole(cursor), let list = cursor.pointee.list else { return 1 }
  return list._withUnsafeGuaranteedRef { cursor.pointee.place >= $0.values.count } ? 1 : 0
}

private func column(
  _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ context: OpaquePointer?, _ column: Int32
) -> Int32 {
  guard let cursor = whole(cursor), let list = cursor.pointee.list, column == 0 else {
    sqlite3_result_null(context)
    return SQLITE_OK
  }
  list._withUnsafeGuaranteedRef { $0.values[cursor.pointee.place].give(to: context) }
  return SQLITE_OK
}

private func number(
  _ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ number: UnsafeMutablePointer<sqlite3_int64>?
) -> Int32 {
  number?.pointee = Int64(whole(cursor)?.pointee.place ?? 0)
  return SQLITE_OK
}

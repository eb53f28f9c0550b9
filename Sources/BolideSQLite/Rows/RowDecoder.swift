import BolideStorage
import CSQLite

/// Puts canonical rows together from the result columns of a statement, without a value in between.
///
/// The first result column is the row's number; the others are the selected columns, ascending.
final class RowDecoder: Sendable {
  private let steps: [Step]
  private let format: RowFormat
  private let headerLength: Int
  private let table: TableLayout

  private struct Step {
    var kind: Kind
    /// The result column; -1 for a variable column that was not selected, whose end is written all the same.
    var source: Int32
    var column: Int32
    var position: Int32
    var smallest: Int64 = 0
    var largest: Int64 = 0
  }

  private enum Kind: UInt8 { case integer, real, text, blob, uuid }

  /// Decodes `columns` of a table.
  ///
  /// - Parameter first: the result column of the first of them.
  init(_ columns: [Int], of table: TableLayout, format: RowFormat, from first: Int32 = 1) {
    self.format = format
    self.table = table
    headerLength = format.headerLength
    var steps: [Step] = []
    var source = first
    for (column, type) in format.types.enumerated() {
      let isSelected = columns.contains(column)
      guard isSelected || !type.isFixed else { continue }
      let kind: Kind =
        switch type {
        case .int16, .int32, .int64, .boolean, .reference: .integer
        case .double, .float, .date: .real
        case .string, .uri, .decimal: .text
        case .binary: .blob
        case .uuid: .uuid
        }
      let range = type.integerRange ?? 0...0
      steps.append(
        Step(
          kind: kind, source: isSelected ? source : -1, column: Int32(column),
          position: Int32(format.positions[column]), smallest: range.lowerBound, largest: range.upperBound))
      if isSelected { source += 1 }
    }
    self.steps = steps
  }

  /// Appends the statement's current row to a batch.
  ///
  /// - Throws: `store.damaged` for a value of a type that its column does not hold.
  func append(
    _ statement: Statement, using scratch: RowScratch, to batch: inout RowBatch
  ) throws(BolideError) {
    let handle = statement.handle
    scratch.reserve(headerLength, used: 0)
    UnsafeMutableRawBufferPointer(start: scratch.bytes, count: headerLength).initializeMemory(
      as: UInt8.self, repeating: 0)
    var length = headerLength
    for step in steps {
      // One call fetches the column; asking the value itself is cheaper than asking the statement each time.
      let value = step.source < 0 ? nil : sqlite3_column_value(handle, step.source)
      let type = value == nil ? SQLITE_NULL : sqlite3_value_type(value)
      if type != SQLITE_NULL {
        let column = Int(step.column)
        let byte = scratch.bytes.load(fromByteOffset: column >> 3, as: UInt8.self)
        scratch.bytes.storeBytes(
          of: byte | 1 << UInt8(column & 7), toByteOffset: column >> 3, as: UInt8.self)
      }
      switch step.kind {
      case .integer:
        if type == SQLITE_NULL { continue }
        let integer = sqlite3_value_int64(value)
        guard type == SQLITE_INTEGER, integer >= step.smallest, integer <= step.largest else {
          throw mismatch(step.column, statement)
        }
        scratch.bytes.storeBytes(of: integer.littleEndian, toByteOffset: Int(step.position), as: Int64.self)
      case .real:
        if type == SQLITE_NULL { continue }
        guard type == SQLITE_FLOAT else { throw mismatch(step.column, statement) }
        scratch.bytes.storeBytes(
          of: sqlite3_value_double(value).bitPattern.littleEndian, toByteOffset: Int(step.position),
          as: UInt64.self)
      case .text, .blob, .uuid:
        if type != SQLITE_NULL {
          let wanted = step.kind == .text ? SQLITE_TEXT : SQLITE_BLOB
          let bytes = sqlite3_value_blob(value)
          let count = Int(sqlite3_value_bytes(value))
          guard type == wanted, step.kind != .uuid || count == 16 else {
            throw mismatch(step.column, statement)
          }
          if let bytes {
            scratch.reserve(length + count, used: length)
            (scratch.bytes + length).copyMemory(from: bytes, byteCount: count)
            length += count
          }
        }
        guard let end = UInt32(exactly: length - headerLength) else {
          throw BolideError(.storeLimit, "A row of \(table.name) is longer than 4 GiB")
        }
        scratch.bytes.storeBytes(of: end.littleEndian, toByteOffset: Int(step.position), as: UInt32.self)
      }
    }
    batch.append(UnsafeRawBufferPointer(start: scratch.bytes, count: length), number: statement.int(0))
  }

  private func mismatch(_ column: Int32, _ statement: Statement) -> BolideError {
    .damaged(
      "Row \(statement.int(0)) of \(table.name) holds in \(table.columns[Int(column)].name) what is no "
        + format.types[Int(column)].rawValue)
  }
}

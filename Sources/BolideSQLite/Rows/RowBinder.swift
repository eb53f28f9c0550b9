import BolideStorage
import CSQLite

/// Binds columns of canonical rows to the parameters of a statement, without a value in between.
final class RowBinder: Sendable {
  private let steps: [Step]
  private let format: RowFormat

  /// What is done for one parameter.
  private struct Step {
    var kind: Kind
    var parameter: Int32
    var column: Int32
    var position: Int32
    var previousEnd: Int32
  }

  private enum Kind: UInt8 { case integer, real, text, blob, order }

  /// What a parameter takes of a row.
  enum Source {
    /// The column's value.
    case value(Int)
    /// The bytes whose order is the order of a decimal column.
    case order(Int)
  }

  /// Binds the sources to the parameters `first`, `first + 1` …
  init(_ sources: [Source], of format: RowFormat, from first: Int32) {
    self.format = format
    steps = sources.enumerated().map { offset, source in
      let column: Int
      var kind: Kind
      switch source {
      case .value(let place):
        column = place
        kind =
          switch format.types[place] {
          case .int16, .int32, .int64, .boolean, .reference: .integer
          case .double, .float, .date: .real
          case .string, .uri, .decimal: .text
          case .uuid, .binary: .blob
          }
      case .order(let place):
        column = place
        kind = .order
      }
      return Step(
        kind: kind, parameter: first + Int32(offset), column: Int32(column),
        position: Int32(format.positions[column]), previousEnd: Int32(format.previousEnds[column]))
    }
  }

  /// Binds a row; text and blobs are borrowed from it until the statement is stepped.
  ///
  /// - Returns: SQLite's code, the first that is no success.
  func bind(_ row: UnsafeRawBufferPointer, to statement: Statement) -> Int32 {
    guard let base = row.baseAddress else { return SQLITE_MISUSE }
    let handle = statement.handle
    let header = base + format.headerLength
    return steps.withUnsafeBufferPointer { steps in
      for step in steps {
        let column = Int(step.column)
        let present = base.load(fromByteOffset: column >> 3, as: UInt8.self) & (1 << UInt8(column & 7)) != 0
        let code: Int32
        if !present {
          code = sqlite3_bind_null(handle, step.parameter)
        } else {
          let position = Int(step.position)
          switch step.kind {
          case .integer:
            let bits = base.loadUnaligned(fromByteOffset: position, as: Int64.self)
            code = sqlite3_bind_int64(handle, step.parameter, Int64(littleEndian: bits))
          case .real:
            let bits = base.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            code = sqlite3_bind_double(
              handle, step.parameter, Double(bitPattern: UInt64(littleEndian: bits)))
          case .text, .blob:
            let end = Self.end(base, position)
            let start = step.previousEnd < 0 ? 0 : Self.end(base, Int(step.previousEnd))
            let length = end - start
            if length > Int(Int32.max) {
              code = SQLITE_TOOBIG
            } else if step.kind == .text {
              code = sqlite3_bind_text(
                handle, step.parameter, (header + start).assumingMemoryBound(to: CChar.self),
                Int32(length), Statement.borrowed)
            } else {
              code = sqlite3_bind_blob(
                handle, step.parameter, header + start, Int32(length), Statement.borrowed)
            }
          case .order:
            var key: [UInt8] = []
            IndexKey.append(RowView(row, format: format), columns: [column], to: &key)
            code = statement.bind(step.parameter, bytes: key)
          }
        }
        if code != SQLITE_OK { return code }
      }
      return SQLITE_OK
    }
  }

  @inline(__always)
  private static func end(_ base: UnsafeRawPointer, _ position: Int) -> Int {
    Int(UInt32(littleEndian: base.loadUnaligned(fromByteOffset: position, as: UInt32.self)))
  }
}

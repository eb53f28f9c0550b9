import BolideStorage

/// A row of values that a fetch gives instead of an object.
///
/// The rows of a fetch share one buffer; a value is made when it is asked for.
public struct FetchedRow: Sendable {
  private let answer: FetchedRows
  private let place: Int

  init(_ answer: FetchedRows, at place: Int) {
    self.answer = answer
    self.place = place
  }

  /// The names of the columns, in the order asked for.
  public var columns: [String] { answer.columns }

  /// Their values; a to-one relationship is the number of its object.
  public var values: [Value] { answer.values(at: place) }

  /// The value of a column; `nil` where the row has no such column.
  public subscript(_ name: String) -> Value? {
    answer.columns.firstIndex(of: name).map { answer.value(at: place, column: $0) }
  }
}

extension FetchedRow: Hashable {
  public static func == (left: FetchedRow, right: FetchedRow) -> Bool {
    left.columns == right.columns && left.values == right.values
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(columns)
    hasher.combine(values)
  }
}

/// What a fetch of rows found: packed rows, or values that were worked out.
final class FetchedRows: Sendable {
  private enum Content {
    /// Each column of the answer is one of the rows'.
    case packed(RowBatch, columns: [Int])
    case values([[Value]])
  }

  let columns: [String]
  private let content: Content

  init(_ columns: [String], _ values: [[Value]]) {
    self.columns = columns
    content = .values(values)
  }

  /// Takes over packed rows.
  ///
  /// - Parameter sources: the column of the rows that each column of the answer is.
  init(_ columns: [String], _ rows: RowBatch, sources: [Int]) {
    self.columns = columns
    content = .packed(rows, columns: sources)
  }

  func values(at place: Int) -> [Value] {
    switch content {
    case .values(let values): values[place]
    case .packed(let rows, let columns):
      rows.withRow(at: place) { row in
        [Value](unsafeUninitializedCapacity: columns.count) { values, count in
          for column in columns {
            values.initializeElement(at: count, to: row.value(column).asFetched)
            count += 1
          }
        }
      } ?? []
    }
  }

  func value(at place: Int, column: Int) -> Value {
    switch content {
    case .values(let values): values[place][column]
    case .packed(let rows, let columns):
      rows.withRow(at: place) { $0.value(columns[column]).asFetched } ?? .null
    }
  }
}

extension Value {
  /// The value as rows show it: an unsaved object by its temporary number.
  var asFetched: Value {
    guard case .reference(let number) = self, let temporary = ManagedObjectID.temporaryNumber(number) else {
      return self
    }
    return .reference(temporary)
  }
}

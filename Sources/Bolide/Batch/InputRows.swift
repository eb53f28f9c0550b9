import BolideStorage

/// Records on their way into an entity: packed rows, and which columns each of them mentions (rule U-3).
package struct InputRows: Sendable {
  /// The rows; unmentioned columns hold the entity's defaults.
  package private(set) var rows: RowBatch
  /// The columns each row mentions; an explicit nil is mentioned.
  package private(set) var given: [ColumnSet] = []
  /// Builds the next row; columns as in ``EntityMap``.
  package var builder: RowBuilder
  private let defaults: RowBuilder

  package init(_ entity: EntityMap) {
    rows = RowBatch(entity.format)
    defaults = entity.defaults
    builder = entity.defaults
  }

  /// How many rows there are.
  package var count: Int { given.count }

  /// Takes the row that was built, and begins the next.
  package mutating func commitRow() {
    builder.append(to: &rows)
    given.append(builder.given)
    builder.restart(from: defaults)
  }

  /// Forgets the row that was being built.
  package mutating func dropRow() { builder.restart(from: defaults) }

  /// Removes the rows and keeps the memory.
  package mutating func removeAll() {
    rows.removeAll()
    given.removeAll(keepingCapacity: true)
    builder.restart(from: defaults)
  }
}

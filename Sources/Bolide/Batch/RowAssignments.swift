import BolideStorage

/// What a batch update sets, checked against the model: constants, and expressions over the row (rules ).
struct RowAssignments: Sendable {
  /// The columns that are set.
  private(set) var columns = ColumnSet()

  private let entity: EntityMap
  private var constants: [(column: Int, value: Value)] = []
  private var expressions: [BoundExpression] = []
  private let now: Value

  /// Checks and binds everything.
  ///
  /// - Parameter now: what `now()` is, for all rows.
  /// - Throws: `schema.unknown-property`, `batch.…`, `expression.…`, `validation.…`.
  init(
    values: [String: Value], expressions: [String: RowExpression], entity: EntityMap, map: SchemaMap,
    now: Value
  ) throws(BolideError) {
    self.entity = entity
    self.now = now
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      let column = try entity.settableColumn(name, of: value)
      if value.isNull, entity.required.contains(column) {
        throw BolideError(.validationRequired, "\(entity.name).\(name) may not be nil")
      }
      constants.append((column, value))
      columns.insert(column)
    }
    for (name, expression) in expressions.sorted(by: { $0.key < $1.key }) {
      let bound = try BoundExpression(expression, for: name, of: entity, map: map)
      if values[name] != nil {
        throw BolideError(
          .expressionSyntax, "\(entity.name).\(name) is set to a constant and to an expression")
      }
      self.expressions.append(bound)
      columns.insert(bound.column)
    }
  }

  /// The constants, if nothing else is set.
  var constantsOnly: [(column: Int, value: Value)]? { expressions.isEmpty ? constants : nil }

  /// A row that has the constants, if nothing else is set and all are of fixed size: they can be put over other rows.
  func overlay(_ format: RowFormat) -> RowBatch? {
    guard expressions.isEmpty, constants.allSatisfy({ format.types[$0.column].isFixed }) else { return nil }
    var builder = RowBuilder(format)
    for (column, value) in constants { builder.set(column, value) }
    var overlay = RowBatch(format)
    builder.append(to: &overlay)
    return overlay
  }

  /// Sets everything in a builder that holds `row`.
  ///
  /// - Parameters:
  ///   - row: the row before the request: expressions see none of the new values.
  ///   - reader: the state before the request.
  func apply(
    to builder: inout RowBuilder, row: RowView, number: Number, of member: EntityMap, reader: any Reader
  ) throws(BolideError) {
    for (column, value) in constants { builder.set(column, value) }
    for expression in expressions {
      let value = try expression.value(row, number: number, entity: member, reader: reader, now: now)
      if value.isNull, entity.required.contains(expression.column) {
        throw BolideError(
          .validationRequired, "\(member.name)#\(number).\(expression.property.name) may not be nil",
          remedy: "write coalesce(…, VALUE) for what is to be there instead")
      }
      builder.set(expression.column, value)
    }
  }
}

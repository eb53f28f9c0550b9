import BolideStorage
import Foundation

/// A derived attribute made ready: what it reads, and what makes it stale (rule R-3).
package struct DerivedAttribute: Sendable {
  /// The ways to derive a value.
  package enum Source: Sendable {
    /// How many members a to-many side has.
    case count(PropertyMap)
    /// The sum of a column over the members of a to-many side.
    case sum(PropertyMap, column: Int)
    /// A column at the end of to-one steps.
    case path([PropertyMap], column: Int)
    /// An own text in another form.
    case text(column: Int, Derivation)
    /// The time of the transaction that last changed the object.
    case now
  }

  /// The entity that has the attribute, itself or by inheritance.
  package let entity: EntityMap
  /// The attribute.
  package let property: PropertyMap
  /// Its column.
  package let column: Int
  /// Its type.
  package let type: ValueType
  /// What it is derived from.
  package let source: Source

  /// The value for an object, from its row and from what its relationships name in the same state.
  ///
  /// `nil` for ``Source/now``, which no state tells.
  /// - Throws: `aggregate.overflow` where the attribute cannot hold the value (rule V-7), and what reading throws.
  package func value(
    _ row: RowView, number: Number, map: SchemaMap, reader: any Reader
  ) throws(BolideError) -> Value? {
    try derive(row, number: number, map: map, reader: reader).map { (value) throws(BolideError) in
      try checked(value, of: number)
    }
  }

  /// A derived value, unless the attribute's type is too narrow for it.
  func checked(_ value: Value, of number: Number) throws(BolideError) -> Value {
    guard value.fits(type) else {
      throw BolideError(
        .aggregateOverflow,
        "the derived value of \(entity.name)#\(number).\(property.name) is beyond the range of \(type.rawValue)",
        remedy: "declare the attribute with a wider type")
    }
    return value
  }

  private func derive(
    _ row: RowView, number: Number, map: SchemaMap, reader: any Reader
  ) throws(BolideError) -> Value? {
    let relationships = RelationshipReader(map: map, reader: reader)
    switch source {
    case .now:
      return nil
    case .count(let side):
      return .int(Int64(try relationships.counts(side, of: [number]).first ?? 0))
    case .text(let column, let derivation):
      return row.isNil(column) ? .null : .string(derivation.apply(to: row.text(column)))
    case .sum(let side, let column):
      let members = try relationships.members(side, of: number, table: entity.table)
      return try sum(of: column, over: members, in: map.table(of: side), map: map, reader: reader)
    case .path(let steps, let column):
      var owner = number
      var table = entity.table
      for step in steps {
        guard let next = try relationships.members(step, of: owner, table: table).first else { return .null }
        owner = next
        table = map.table(of: step)
      }
      var rows = RowBatch(map.layout.tables[table].format)
      try reader.rows([owner], of: table, columns: ColumnSet([column]), into: &rows)
      return rows.withRow(at: 0) { $0.value(column) } ?? .null
    }
  }

  private func sum(
    of column: Int, over members: [Number], in table: TableID, map: SchemaMap, reader: any Reader
  ) throws(BolideError) -> Value {
    let format = map.layout.tables[table].format
    var sum = AggregateAccumulator(.sum, of: format.types[column])
    var rows = RowBatch(format)
    for start in stride(from: 0, to: members.count, by: WriteSession.chunk) {
      rows.removeAll()
      let chunk = Array(members[start..<min(start + WriteSession.chunk, members.count)])
      try reader.rows(chunk, of: table, columns: ColumnSet([column]), into: &rows)
      for index in chunk.indices {
        if let value = rows.withRow(at: index, { $0.value(column) }) { sum.add(value) }
      }
    }
    let result = try sum.result()
    return result.isNull ? entity.defaultValue(of: self.column) : result
  }
}

extension Derivation {
  /// The text that a derivation of a text makes of it.
  fileprivate func apply(to text: String) -> String {
    switch self {
    case .lowercase: NormalizedText.normalized(text.lowercased())
    case .uppercase: NormalizedText.normalized(text.uppercased())
    case .canonical:
      String(
        decoding: FoldedText.bytes(of: text, [.caseInsensitive, .diacriticInsensitive]), as: UTF8.self)
    case .count, .sum, .value, .now: text
    }
  }
}

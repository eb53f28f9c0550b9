/// Packed rows on their way into an entity: the fastest form of a batch insert, which feeds use.
package struct RowImport {
  /// The name of the entity.
  package var entityName: String
  /// What becomes of attributes that a record does not mention.
  package var absent: AbsentRule
  /// Appends some rows and returns whether there may be more. What it throws rolls the import back.
  package var nextChunk: (inout InputRows) throws -> Bool

  package init(
    entityName: String, absent: AbsentRule = .keep, nextChunk: @escaping (inout InputRows) throws -> Bool
  ) {
    self.entityName = entityName
    self.absent = absent
    self.nextChunk = nextChunk
  }
}

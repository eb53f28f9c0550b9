import BolideStorage

/// One save: a context's edits written through a session, in the order that lets keys change hands (rule U-6):
/// deletes, released keys, updates, inserts, links.
final class Save {
  let context: ManagedObjectContext
  let session: WriteSession
  let policy: MergePolicy
  var map: SchemaMap { context.map }

  let inserts: [ManagedObject]
  let updates: [ManagedObject]
  let deletes: [ManagedObject]
  /// The ids of new objects that have permanent ones already.
  let reserved: Set<ManagedObjectID>
  /// The permanent ids of new objects: of their own, or of the stored object they were merged into.
  var numbers: [ManagedObjectID: Number] = [:]
  /// New objects that a policy dropped, and objects whose edits it dropped.
  var dropped: Set<ManagedObject> = []
  /// New objects that a cascade of this very save takes along: they are among the dropped ones.
  var cascaded: Set<ManagedObject> = []
  /// New objects that met a stored one which the policy leaves as it is.
  var kept: Set<ManagedObject> = []
  /// New objects that became stored ones which the context held already: those go on.
  var replaced: [(new: ManagedObject, stored: ManagedObject)] = []
  /// Edits that the policy decided against, by the columns they are of.
  var withheld: [ManagedObject: ColumnSet] = [:]
  /// Edited objects that another writer deleted, or a cascade of this very save.
  var vanished: Set<ManagedObject> = []
  /// New objects whose values went to a stored object of a sub-entity.
  var absorbed: Set<ManagedObject> = []
  /// Objects that to-ones are set to and that another writer deleted, by the entity that the to-one leads to.
  var gone: [EntityID: Set<Number>] = [:]
  /// Version conflicts: a line for each property, and an account of each object.
  var conflicts: [String] = []
  var conflictAccounts: [MergeConflict] = []
  var uniqueConflicts: [String] = []
  var uniqueConflictAccounts: [MergeConflict] = []
  var deletionConflicts: [MergeConflict] = []

  init(_ context: ManagedObjectContext, session: WriteSession) {
    self.context = context
    self.session = session
    policy = context.mergePolicy ?? .error
    inserts = context.insertedObjects
    updates = context.updatedObjects
    deletes = context.deletedObjects
    reserved = Set(inserts.lazy.map(\.objectID).filter { !$0.isTemporary })
  }

  /// Writes everything; throws before the transaction ends where something is refused.
  func run() throws(BolideError) {
    try validate()
    try delete()
    cascaded = dropped.filter(\.isInserted)
    try refuseGoneReferences()
    var images = try updateImages()
    try yieldTakenKeys(of: &images)
    try write(images)
    try insert()
    try writeLateReferences()
    try settlePartners()
    try writeLinks()
    try refuseStaleReferences()
    try refuseMissingReferences()
    try validateMembers()
  }

  // MARK: Reading and printing

  /// Stored rows in the order of their numbers, all columns of them or some.
  func rows(
    _ numbers: [Number], of table: TableID, columns: ColumnSet? = nil
  ) throws(BolideError) -> RowBatch {
    let format = map.layout.tables[table].format
    var rows = RowBatch(format)
    for start in stride(from: 0, to: numbers.count, by: WriteSession.chunk) {
      let chunk = Array(numbers[start..<min(start + WriteSession.chunk, numbers.count)])
      try session.transaction.rows(
        chunk, of: table, columns: columns ?? .all(format.columnCount), into: &rows)
    }
    return rows
  }

  /// The id of a stored object.
  func id(of number: Number, in table: TableID) throws(BolideError) -> ManagedObjectID {
    let row = try rows([number], of: table)
    let entity = row.withRow(at: 0) { session.entity(of: $0, in: table) } ?? map.rootEntity(of: table)
    return ManagedObjectID(
      storeID: context.coordinator.storeID, entityName: entity.name, number: number)
  }

  func text(_ edit: ManagedObject.Edit?) -> String? {
    switch edit {
    case nil: nil
    case .value(let value)?: text(value)
    case .object(let id)?: id?.description ?? "null"
    }
  }

  func text(_ value: Value) -> String { CanonicalText.text(value) }

  /// The value of a column; a reference with the entity of the object that it names.
  func text(_ value: Value, in column: Int, of entity: EntityMap) throws(BolideError) -> String {
    guard case .reference(let number) = value,
      let destination = entity.relationships.first(where: { $0.column == column })?.destination
    else { return text(value) }
    let named = map.entities[destination]
    guard let entityColumn = named.entityColumn else { return "\(named.name)#\(number)" }
    let row = try rows([number], of: named.table, columns: ColumnSet([entityColumn]))
    let name = row.withRow(at: 0) { map.entity(of: $0, in: named.table).name } ?? named.name
    return "\(name)#\(number)"
  }
}

extension EntityMap {
  /// The columns of derived attributes: they follow from others and are never compared (rule U-10).
  var derivedColumns: ColumnSet {
    ColumnSet(attributes.compactMap { $0.attribute?.derivation == nil ? nil : $0.column })
  }
}

import BolideStorage
import Foundation

/// An object of an entity, owned by one context.
///
/// Its values are read when they are first looked at; getters never throw (rule M-4): a row that is gone or cannot be
/// read gives the last value known here, else the default, and the object says ``isInaccessible``.
open class ManagedObject {
  /// The name of the entity: the class's own name unless a subclass says otherwise.
  open class var entityName: String { ClassName.of(self) }
  /// Lists of properties that must differ from object to object (rule U-2), beside those marked `.unique`.
  open class var uniquenessConstraints: [[String]] { [] }
  /// The name that the entity had in an earlier version of the schema.
  open class var renamedFrom: String? { nil }

  /// Refuses a new object that breaks a rule of its class, by throwing a ``ValidationProblem`` or any error (rule V-9).
  ///
  /// Saves ask within their transaction; nothing should be changed here.
  open func validateForInsert() throws {}
  /// Refuses a changed object, as ``validateForInsert()`` does a new one.
  open func validateForUpdate() throws {}
  /// Refuses the deletion of an object, as ``validateForInsert()`` does a new one.
  open func validateForDelete() throws {}
  /// Refuses a new value of an attribute, as ``validateForInsert()`` does a new object.
  open func validateValue(_ value: Value, forKey key: String) throws {}

  /// A new object has its defaults and its context: the place for values that no default can give (rule O-1).
  ///
  /// Called once. Records of batch requests and feeds are no objects and call nothing.
  open func awakeFromInsert() {}
  /// The row of a fault was read by a getter, ``load()``, a fetch or a list: the place for what a class keeps beside its
  /// properties.
  ///
  /// What saves, merges and refreshes read anew calls nothing. Properties that are set here are edits like any other.
  open func awakeFromFetch() {}
  /// The object is about to be saved: it is new, edited, or ``isDeleted`` (rule O-1).
  ///
  /// Called once a save, before anything is checked. Edits made here, of any object of the context, are checked and saved
  /// with the rest; objects that are inserted, edited or deleted here for the first time are asked, too.
  open func willSave() {}
  /// The object was saved, and what its context shows is what is stored. What is set here is for the next save.
  ///
  /// Not called where nothing was written, nor for objects that the merge policy dropped.
  open func didSave() {}
  /// The object is about to be deleted by ``ManagedObjectContext/delete(_:)``; its values and links are still there.
  ///
  /// What delete rules take along, and batch requests delete, is not asked.
  open func prepareForDeletion() {}

  // Getters and fetches look at these for every value and object. An object belongs to one context, and no access to
  // them lasts longer than a load or a store, or calls what could look at them: there is nothing to check.

  /// The identity; temporary until the object is saved.
  @exclusivity(unchecked) public internal(set) var objectID: ManagedObjectID
  /// What the object shares with others of its entity and context.
  @exclusivity(unchecked) private(set) var home: ObjectHome
  @exclusivity(unchecked) var state: State
  /// The stored row as the context read it; none for a fault and for an object that was not saved yet.
  @exclusivity(unchecked) var held = HeldRow()
  /// New values of columns, to-one references included, that are not saved yet.
  @exclusivity(unchecked) var edits: [Int: Edit] = [:]
  /// Edits of to-many sides, by property id.
  var sides: [Int: RelationshipEdits] = [:]
  /// Whether the edits of to-many sides were made on members that may have changed since.
  var readsSidesAnew = false
  /// Members of to-many sides as read from the store, by property id.
  var members: [Int: Set<ManagedObjectID>] = [:]
  /// Whether the row was gone or could not be read when it was last looked at: what getters give may be old.
  @exclusivity(unchecked) public internal(set) var isInaccessible = false
  /// Whether a relationship was edited in a record of a batch insert, where there are none (rule U-8).
  var hasRelationshipEdit = false
  /// Whether ``prepareForDeletion()`` is being called.
  var isPreparingForDeletion = false
  /// Whether ``willSave()`` was called for the save that is under way.
  var isToldOfSave = false
  /// Whether this is a record of a batch insert: an object of no context.
  var isRecord: Bool { state == .inserted && context == nil }

  enum State { case inserted, live, deleted, gone }

  /// A value that is not saved yet: of an attribute, or the object that a to-one names.
  enum Edit: Equatable {
    case value(Value)
    case object(ManagedObjectID?)
  }

  /// Adopts what a context prepared. Called by Bolide alone.
  public required init(seed: ObjectSeed) {
    objectID = seed.id
    home = seed.home
    state = seed.state
    isInaccessible = seed.state == .gone
    // A new object has most of its attributes set: room for them at once spares growing a few times.
    if seed.state == .inserted { edits.reserveCapacity(seed.home.entity.format.columnCount) }
  }

  deinit { home.registry?.remove(self) }

  /// Inserts a new object into a context.
  ///
  /// The class must be one of the container's schema.
  public convenience init(context: ManagedObjectContext) {
    self.init(seed: context.seed(for: Self.self))
    if self.context != nil { context.adopt(inserted: self) }
  }

  /// What an object is made from; only contexts make it.
  public struct ObjectSeed {
    let id: ManagedObjectID
    let home: ObjectHome
    let state: State
  }

  /// The context the object belongs to; `nil` once the context is gone or the object was dropped from it.
  public var context: ManagedObjectContext? { home.context }
  package var entity: EntityMap { home.entity }
  var isProbe: Bool { home.isProbe }

  /// Makes the object one of no context.
  func leaveContext() { home = home.withoutContext }

  // MARK: State

  /// The stored row as the context read it; `nil` for a fault and for an object that was not saved yet.
  var base: HeldRow? {
    get { held.isPresent ? held : nil }
    set { held = newValue ?? HeldRow() }
  }
  /// The name of the object's entity.
  public var entityName: String { entity.name }
  /// Whether the object was inserted and not saved yet.
  public var isInserted: Bool { state == .inserted }
  /// Whether the object is stored and has edits.
  public var isUpdated: Bool { state == .live && hasEdits }
  /// Whether the object is to be deleted by the next save, or was deleted.
  public var isDeleted: Bool { state == .deleted || state == .gone }
  /// Whether the object's values were not read yet.
  public var isFault: Bool { state == .live && !held.isPresent }
  /// Whether the object has anything to save.
  public var hasChanges: Bool { state == .inserted || state == .deleted || hasEdits }

  var hasEdits: Bool { !edits.isEmpty || sides.contains { !$0.value.isEmpty } }

  // MARK: Attributes

  /// The value of an attribute.
  ///
  /// - Throws: `schema.unknown-property`, `object.kind`, `object.missing` where the row is gone, `object.deleted` once the
  ///   delete was saved or merged.
  public func value(_ key: String) throws(BolideError) -> Value {
    let (column, _) = try attribute(key)
    try load()
    return current(column)
  }

  /// Sets an attribute; `.null` clears it. Setting the value it has is no edit.
  ///
  /// - Throws: `schema.unknown-property`, `object.kind`, `batch.derived`, `validation.type`, `validation.nan`,
  ///   `object.deleted`.
  public func setValue(_ value: Value, for key: String) throws(BolideError) {
    let (column, description) = try attribute(key)
    guard description.derivation == nil else {
      throw BolideError(.batchDerived, "\(entity.name).\(key) is derived")
    }
    guard !isDeleted else { throw BolideError(.objectDeleted, "\(objectID) was deleted") }
    try entity.check(value, of: try entity.property(key), type: description.type)
    set(value, in: column)
  }

  /// Reads the object's row if it is a fault.
  ///
  /// - Throws: `object.missing` where the row is gone, `object.deleted`, and what reading throws.
  public func load() throws(BolideError) {
    if isProbe || state == .inserted { return }
    if state == .gone { throw BolideError(.objectDeleted, "\(objectID) was deleted") }
    if held.isPresent { return }
    guard let context else { throw BolideError(.objectMissing, "\(objectID) belongs to no context any more") }
    try context.fire(self)
    awakeFromFetch()
  }

  private func attribute(_ key: String) throws(BolideError) -> (Int, AttributeDescription) {
    guard case .attribute(let column, let description) = try entity.property(key).kind else {
      throw BolideError(.objectKind, "\(entity.name).\(key) is a relationship")
    }
    return (column, description)
  }

  /// The value of a column now, without reading the store: an edit, else the row, else the default.
  func current(_ column: Int) -> Value {
    if !edits.isEmpty, case .value(let value)? = edits[column] { return value }
    return stored(column)
  }

  /// The value of a column before edits.
  func stored(_ column: Int) -> Value {
    if let base {
      return base.withUnsafeBytes { RowView($0, format: entity.format).value(column) }
    }
    return entity.defaultValue(of: column)
  }

  /// Sets a column; an edit back to the stored value is none.
  func set(_ value: Value, in column: Int) {
    if state == .live, base != nil, stored(column) == value.normalized {
      edits[column] = nil
    } else {
      edits[column] = .value(value.normalized)
    }
    context?.note(self)
  }

  /// Reads for a getter, which cannot throw: the error goes to the context's fault handler (rule M-4).
  func loadForGetter() {
    if isProbe || state != .live || held.isPresent || isInaccessible { return }
    do {
      try load()
    } catch {
      isInaccessible = true
      context?.faultHandler?(error, objectID)
    }
  }

  /// Writes the row as it would be saved now, without references to unsaved objects.
  func image(into builder: inout RowBuilder) {
    if let base {
      base.withUnsafeBytes { builder.load(RowView($0, format: entity.format)) }
    } else {
      builder.restart(from: entity.defaults)
    }
    for (column, edit) in edits {
      switch edit {
      case .value(let value): builder.set(column, value)
      case .object(let id):
        builder.set(column, id.map { $0.isTemporary ? .null : .reference($0.number) } ?? .null)
      }
    }
  }
}

extension ManagedObject: Hashable, CustomStringConvertible, CustomDebugStringConvertible {
  public static func == (left: ManagedObject, right: ManagedObject) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// The id, and whether the object is a fault; never reads the store.
  public var description: String {
    "\(objectID)" + (isFault ? " (fault)" : "") + (isDeleted ? " (deleted)" : "")
  }

  /// The description with the values that are held; never reads the store.
  public var debugDescription: String {
    let values = heldValues.map { "\($0.name) \($0.text)" }.joined(separator: "  ")
    return values.isEmpty ? description : "\(description)  \(values)"
  }

  /// Attributes and to-ones as the object has them: edits alone where it is a fault.
  private var heldValues: [(name: String, text: String)] {
    entity.properties.compactMap { property in
      guard let column = property.column else { return nil }
      switch edits[column] {
      case .value(let value)?: return (property.name, CanonicalText.text(value))
      case .object(let id)?: return (property.name, id?.description ?? "null")
      case nil:
        if base == nil, state != .inserted { return nil }
        let value = CanonicalText.text(stored(column))
        // A reference is printed with the entity that the relationship names: its object's own is not read for this.
        let isReference = property.relationship != nil && value != "null"
        return (property.name, (isReference ? property.relationship?.destination ?? "" : "") + value)
      }
    }
  }
}

extension EntityMap {
  /// What a new object has in a column.
  func defaultValue(of column: Int) -> Value {
    var batch = RowBatch(format)
    defaults.append(to: &batch)
    return batch.withRow(at: 0) { $0.value(column) } ?? .null
  }
}

extension Value {
  /// The value as a row would give it back: NFC text, no negative zero.
  var normalized: Value {
    switch self {
    case .string(let text): .string(NormalizedText.normalized(text))
    case .double(let number): .double(number == 0 ? 0 : number)
    case .float(let number): .float(number == 0 ? 0 : number)
    case .date(let date):
      .date(date.timeIntervalSinceReferenceDate == 0 ? Date(timeIntervalSinceReferenceDate: 0) : date)
    default: self
    }
  }
}

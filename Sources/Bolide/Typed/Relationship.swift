import BolideStorage

/// A relationship of a typed class: `@Relationship(inverse: \Fireball.groups) var fireballs: ToMany<Fireball>`, or
/// `@Relationship var owner: Person?` for one. The inverse is named on one side only (rule R-1).
@propertyWrapper
public struct Relationship<Content: RelationshipValue> {
  let ordinal: Int32

  /// Declares a relationship whose other side names this one; deleting the owner nullifies it.
  public init() {
    ordinal = ClassProbe.declare {
      .relationship(
        destination: Content.Member.self, isToMany: Content.isToMany, inverse: nil, deleteRule: .nullify,
        renamedFrom: nil)
    }
  }

  /// Declares a relationship.
  ///
  /// - Parameters:
  ///   - inverse: the property of the other class that leads back; left out where that one names this.
  ///   - deleteRule: what deleting the owner does to the members.
  ///   - renamedFrom: the name that the relationship had in an earlier version of the schema.
  public init(
    inverse: AnyKeyPath? = nil, deleteRule: DeleteRule = .nullify, renamedFrom: String? = nil
  ) {
    ordinal = ClassProbe.declare {
      .relationship(
        destination: Content.Member.self, isToMany: Content.isToMany, inverse: inverse,
        deleteRule: deleteRule,
        renamedFrom: renamedFrom)
    }
  }

  /// Only through an object.
  @available(*, unavailable, message: "@Relationship belongs in a subclass of ManagedObject")
  public var wrappedValue: Content {
    get { Content.probe() }
    set { _ = newValue }
  }

  /// Reads and edits the object's relationship.
  public static subscript<Owner: ManagedObject>(
    _enclosingInstance owner: Owner, wrapped _: ReferenceWritableKeyPath<Owner, Content>,
    storage storage: ReferenceWritableKeyPath<Owner, Relationship<Content>>
  ) -> Content {
    get {
      if owner.isProbe {
        ClassProbe.visit(owner[keyPath: storage].ordinal, of: type(of: owner), to: Content.self)
        return Content.probe()
      }
      return Content.read(owner, owner.property(at: storage))
    }
    set {
      guard !owner.isProbe, let property = owner.property(at: storage) else { return }
      newValue.write(owner, property)
    }
  }
}

/// What a relationship of a typed class may be: ``ToMany`` or an optional object.
public protocol RelationshipValue {
  /// The class of the members.
  associatedtype Member: ManagedObject
  /// Whether there may be several.
  static var isToMany: Bool { get }
  /// What a key path is traced through.
  static func probe() -> Self
  /// Reads an owner's relationship.
  static func read(_ owner: ManagedObject, _ property: RelationshipSlot?) -> Self
  /// Replaces an owner's relationship.
  func write(_ owner: ManagedObject, _ property: RelationshipSlot)
}

/// Which relationship of an object is meant; made by Bolide alone.
public struct RelationshipSlot {
  let property: PropertyMap
}

extension RelationshipValue {
  static func read(_ owner: ManagedObject, _ property: PropertyMap?) -> Self {
    read(owner, property.map(RelationshipSlot.init))
  }
  func write(_ owner: ManagedObject, _ property: PropertyMap) {
    write(owner, RelationshipSlot(property: property))
  }
}

extension Optional: RelationshipValue where Wrapped: ManagedObject {
  public typealias Member = Wrapped
  public static var isToMany: Bool { false }
  public static func probe() -> Wrapped? { ClassProbe.of(Wrapped.self).object as? Wrapped }

  public static func read(_ owner: ManagedObject, _ slot: RelationshipSlot?) -> Wrapped? {
    guard let slot else { return nil }
    return owner.attempt { () throws(BolideError) in
      try owner.memberIDs(slot.property).min().flatMap { owner.context?.object(with: $0) }
    }.flatMap { $0 as? Wrapped }
  }

  public func write(_ owner: ManagedObject, _ slot: RelationshipSlot) {
    owner.editRelationship { () throws(BolideError) in
      try owner.replace(slot.property, by: map { [$0] } ?? [])
    }
  }
}

extension ManagedObject {
  /// Runs what a getter or setter cannot throw; the error goes to the context's fault handler (rule M-4).
  func attempt<Result>(_ body: () throws(BolideError) -> Result) -> Result? {
    do {
      return try body()
    } catch {
      if error.code == .objectMissing { isInaccessible = true }
      context?.faultHandler?(error, objectID)
      return nil
    }
  }

  /// Runs an edit of a relationship for a setter, which cannot throw; a record of a batch insert has none (rule U-8).
  func editRelationship(_ body: () throws(BolideError) -> Void) {
    if isRecord {
      hasRelationshipEdit = true
      return
    }
    do {
      try body()
    } catch {
      // An edit that was not made must not be lost in silence: the next save throws why.
      context?.note(mistake: error)
      context?.faultHandler?(error, objectID)
    }
  }
}

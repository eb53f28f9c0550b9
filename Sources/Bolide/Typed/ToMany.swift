import BolideStorage

/// The members of a to-many relationship, by id: a look at them that stays as it is, and edits that go to the owner.
public struct ToMany<Member: ManagedObject>: RandomAccessCollection, RelationshipValue,
  CustomStringConvertible
{
  private let owner: ManagedObject?
  private let property: PropertyMap?
  private let look: RelationshipLook
  private var ids: [ManagedObjectID] { look.ids }

  private init(owner: ManagedObject?, property: PropertyMap?, look: RelationshipLook) {
    self.owner = owner
    self.property = property
    self.look = look
  }

  /// The ids of the members; reads no member.
  public var description: String { "\(ids)" }

  // MARK: Members

  /// Always zero.
  public var startIndex: Int { 0 }
  /// How many members there are.
  public var endIndex: Int { ids.count }

  /// A member.
  public subscript(position: Int) -> Member {
    if let object = owner?.context?.object(with: ids[position]) as? Member { return object }
    // The context is gone, or the members are of another class than this one: no getter traps (rule M-4).
    return Member(seed: .detached(ids[position]))
  }

  /// Whether an object is a member; looks at ids alone.
  public func contains(_ object: Member) -> Bool { ids.contains(object.objectID) }

  // MARK: Edits

  /// Adds a member; one that is there already changes nothing.
  public nonmutating func insert(_ object: Member) {
    edit { owner, property throws(BolideError) in _ = try owner.add([object], to: property) }
  }

  /// Adds members.
  public nonmutating func formUnion(_ objects: some Sequence<Member>) {
    edit { owner, property throws(BolideError) in _ = try owner.add(objects.map { $0 }, to: property) }
  }

  /// Removes a member.
  public nonmutating func remove(_ object: Member) {
    edit { owner, property throws(BolideError) in _ = try owner.remove([object], from: property) }
  }

  /// Removes every member.
  public nonmutating func removeAll() {
    edit { owner, property throws(BolideError) in try owner.replace(property, by: []) }
  }

  /// Makes these the members.
  public nonmutating func replace(with objects: some Sequence<Member>) {
    edit { owner, property throws(BolideError) in try owner.replace(property, by: objects.map { $0 }) }
  }

  private func edit(_ body: (ManagedObject, PropertyMap) throws(BolideError) -> Void) {
    guard let owner, let property else { return }
    owner.editRelationship { () throws(BolideError) in try body(owner, property) }
  }

  // MARK: RelationshipValue

  public static var isToMany: Bool { true }
  public static func probe() -> ToMany { ToMany(owner: nil, property: nil, look: RelationshipLook([])) }

  public static func read(_ owner: ManagedObject, _ slot: RelationshipSlot?) -> ToMany {
    guard let slot else { return probe() }
    let look = owner.attempt { () throws(BolideError) in try owner.look(at: slot.property) }
    return ToMany(owner: owner, property: slot.property, look: look ?? RelationshipLook([]))
  }

  public func write(_ owner: ManagedObject, _ slot: RelationshipSlot) {
    owner.editRelationship { () throws(BolideError) in
      try owner.replace(slot.property, by: ids.compactMap { self.owner?.context?.object(with: $0) })
    }
  }
}

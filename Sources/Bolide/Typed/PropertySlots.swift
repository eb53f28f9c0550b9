import BolideStorage

/// The properties behind the key paths of typed classes, each looked up once.
///
/// A getter's key path is the same object whenever it runs, so that its identity finds the property in a fraction of
/// the time its hash would take. Shared by the objects of a context, or by the records of a batch insert.
final class PropertySlots {
  /// What a key path leads to.
  final class Slot {
    /// Keeps the key path alive: its identity must not become another's.
    private let path: AnyKeyPath
    /// The property; `nil` where the path is none of the entity.
    let property: PropertyMap?
    /// The property's column, if it has one.
    let column: Int?

    init(_ path: AnyKeyPath, _ property: PropertyMap?) {
      self.path = path
      self.property = property
      column = property?.column
    }
  }

  /// How many identities are kept: generic code may make key paths anew each time.
  private static let limit = 4096

  private var byIdentity: [ObjectIdentifier: Slot] = [:]
  private var byPath: [AnyKeyPath: Slot] = [:]

  /// The slot of the key path to a wrapper of an object.
  func slot(_ path: AnyKeyPath, of object: ManagedObject) -> Slot {
    let identity = ObjectIdentifier(path)
    if let known = byIdentity[identity] { return known }
    if byIdentity.count >= Self.limit { byIdentity.removeAll() }
    // Of two equal key paths each keeps itself alive.
    let property =
      byPath[path].map(\.property)
      ?? ClassProbe.name(ofStorage: path, in: type(of: object)).flatMap(object.entity.find)
    let slot = Slot(path, property)
    byIdentity[identity] = slot
    if byPath[path] == nil { byPath[path] = slot }
    return slot
  }
}

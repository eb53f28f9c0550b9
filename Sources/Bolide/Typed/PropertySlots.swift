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
    /// Where the column is in a row.
    let place: Place

    init(_ path: AnyKeyPath, _ property: PropertyMap?, in format: RowFormat) {
      self.path = path
      self.property = property
      column = property?.column
      place = Place(property?.column, in: format)
    }
  }

  /// Where a column is in a row; copied without counting references.
  struct Place {
    /// The column; negative where there is none.
    let column: Int
    let type: ValueType
    let position: Int
    let previousEnd: Int
    let headerLength: Int

    fileprivate init(_ column: Int?, in format: RowFormat) {
      self.column = column ?? -1
      type = column.map { format.types[$0] } ?? .reference
      position = column.map { format.positions[$0] } ?? 0
      previousEnd = column.map { format.previousEnds[$0] } ?? -1
      headerLength = format.headerLength
    }
  }

  /// An identity and its place: of a table that is searched from where the identity's bits say.
  private struct Entry {
    var identity: ObjectIdentifier
    var place: Place
  }

  /// How many identities are kept: generic code may make key paths anew each time.
  private static let limit = 4096

  private var entries: [Entry?] = []
  private var byIdentity: [ObjectIdentifier: Slot] = [:]
  private var byPath: [AnyKeyPath: Slot] = [:]

  /// The slot of the key path to a wrapper of an object.
  func slot(_ path: AnyKeyPath, of object: ManagedObject) -> Slot {
    let identity = ObjectIdentifier(path)
    if let known = byIdentity[identity] { return known }
    if byIdentity.count >= Self.limit {
      byIdentity.removeAll()
      entries.removeAll()
    }
    // Of two equal key paths each keeps itself alive.
    let property =
      byPath[path].map(\.property)
      ?? ClassProbe.name(ofStorage: path, in: type(of: object)).flatMap(object.entity.find)
    let slot = Slot(path, property, in: object.entity.format)
    byIdentity[identity] = slot
    if byPath[path] == nil { byPath[path] = slot }
    remember(Entry(identity: identity, place: slot.place))
    return slot
  }

  /// Where the column of a wrapper of an object is.
  @inline(__always)
  func place(_ path: AnyKeyPath, of object: ManagedObject) -> Place {
    let identity = ObjectIdentifier(path)
    if entries.isEmpty { return slot(path, of: object).place }
    var index = Self.start(identity) & (entries.count - 1)
    while let entry = entries[index] {
      if entry.identity == identity { return entry.place }
      index = (index + 1) & (entries.count - 1)
    }
    return slot(path, of: object).place
  }

  @inline(__always)
  private static func start(_ identity: ObjectIdentifier) -> Int {
    let bits = UInt(bitPattern: identity)
    return Int(truncatingIfNeeded: (bits >> 4) ^ (bits >> 10))
  }

  /// Adds an entry; the table is never more than half full, so that searches are short and end.
  private func remember(_ entry: Entry) {
    if byIdentity.count * 2 > entries.count {
      let known = entries.compactMap { $0 }
      entries = Array(repeating: nil, count: max(32, entries.count * 2))
      for entry in known { put(entry) }
    }
    put(entry)
  }

  private func put(_ entry: Entry) {
    var index = Self.start(entry.identity) & (entries.count - 1)
    while entries[index] != nil { index = (index + 1) & (entries.count - 1) }
    entries[index] = entry
  }
}

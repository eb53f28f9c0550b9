import BolideStorage
import Synchronization

/// The properties behind the key paths of typed classes, each looked up once.
///
/// A getter's key path is the same object whenever it runs, so that its identity finds the property in a fraction of
/// the time its hash would take. Shared by the objects of a context, or by the records of a batch insert.
final class PropertySlots {
  /// What a key path leads to; nothing of it ever changes.
  final class Slot: @unchecked Sendable {
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
    let column: Int32
    let type: ValueType
    let isFixed: Bool
    let position: Int32
    let previousEnd: Int32
    let headerLength: Int32

    fileprivate init(_ column: Int?, in format: RowFormat) {
      self.column = Int32(column ?? -1)
      type = column.map { format.types[$0] } ?? .reference
      isFixed = type.isFixed
      position = Int32(column.map { format.positions[$0] } ?? 0)
      previousEnd = Int32(column.map { format.previousEnds[$0] } ?? -1)
      headerLength = Int32(format.headerLength)
    }
  }

  /// An identity and its place: of a table that is searched from where the identity's bits say.
  private struct Entry {
    /// Zero in a free entry.
    var identity: UInt
    var place: Place
  }

  /// How many identities are kept: generic code may make key paths anew each time.
  private static let limit = 4096

  /// What all contexts of a store look up once.
  private let known: KnownSlots
  /// The table, of a size that is a power of two: read for every value, so without the checks of an array.
  private var entries: UnsafeMutableBufferPointer<Entry>
  private var byIdentity: [ObjectIdentifier: Slot] = [:]

  init(_ known: KnownSlots = KnownSlots()) {
    self.known = known
    entries = Self.table(of: 32)
  }

  deinit { entries.deallocate() }

  /// The slot of the key path to a wrapper of an object.
  func slot(_ path: AnyKeyPath, of object: ManagedObject) -> Slot {
    let identity = ObjectIdentifier(path)
    if let known = byIdentity[identity] { return known }
    if byIdentity.count >= Self.limit {
      byIdentity.removeAll()
      entries.deallocate()
      entries = Self.table(of: 32)
    }
    let slot = known.slot(path, of: object)
    byIdentity[identity] = slot
    remember(Entry(identity: UInt(bitPattern: identity), place: slot.place))
    return slot
  }

  /// Where the column of a wrapper of an object is.
  @inline(__always)
  func place(_ path: AnyKeyPath, of object: ManagedObject) -> Place {
    let identity = UInt(bitPattern: ObjectIdentifier(path))
    let entries = entries
    var index = Self.start(identity) & (entries.count - 1)
    while entries[index].identity != 0 {
      if entries[index].identity == identity { return entries[index].place }
      index = (index + 1) & (entries.count - 1)
    }
    return slot(path, of: object).place
  }

  @inline(__always)
  private static func start(_ identity: UInt) -> Int {
    Int(truncatingIfNeeded: (identity >> 4) ^ (identity >> 10))
  }

  private static func table(of size: Int) -> UnsafeMutableBufferPointer<Entry> {
    let table = UnsafeMutableBufferPointer<Entry>.allocate(capacity: size)
    table.initialize(repeating: Entry(identity: 0, place: Place(nil, in: RowFormat([]))))
    return table
  }

  /// Adds an entry; the table is never more than half full, so that searches are short and end.
  private func remember(_ entry: Entry) {
    if byIdentity.count * 2 > entries.count {
      let old = entries
      entries = Self.table(of: old.count * 2)
      for known in old where known.identity != 0 { put(known) }
      old.deallocate()
    }
    put(entry)
  }

  private func put(_ entry: Entry) {
    var index = Self.start(entry.identity) & (entries.count - 1)
    while entries[index].identity != 0 { index = (index + 1) & (entries.count - 1) }
    entries[index] = entry
  }
}

/// The slots that some context of a store looked up, for the contexts to come: asking a class for the property behind a
/// key path costs a hundred times as much as finding it here.
final class KnownSlots: @unchecked Sendable {
  private static let limit = 4096

  private let lock = Mutex(())
  // Under the lock.
  private var byIdentity: [ObjectIdentifier: PropertySlots.Slot] = [:]
  private var byPath: [AnyKeyPath: PropertySlots.Slot] = [:]

  /// The slot of the key path to a wrapper of an object, by the path's identity.
  func slot(_ path: AnyKeyPath, of object: ManagedObject) -> PropertySlots.Slot {
    let identity = ObjectIdentifier(path)
    let (known, equal) = lock.withLock { _ in (byIdentity[identity], byPath[path]) }
    if let known { return known }
    // Of two equal key paths each keeps itself alive. A class is asked without the lock: that runs its initializer.
    let property =
      if let equal { equal.property } else {
        ClassProbe.name(ofStorage: path, in: type(of: object)).flatMap(object.entity.find)
      }
    let slot = PropertySlots.Slot(path, property, in: object.entity.format)
    lock.withLock { _ in
      if byIdentity.count >= Self.limit { byIdentity.removeAll() }
      byIdentity[identity] = slot
      if byPath[path] == nil { byPath[path] = slot }
    }
    return slot
  }
}

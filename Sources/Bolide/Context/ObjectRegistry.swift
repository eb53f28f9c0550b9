import BolideStorage
internal import CSwiftRuntime
import Synchronization

/// The objects that a context handed out and that are alive, by table and number.
///
/// It keeps no object alive, and an object takes itself out when it ends: weak references would cost each object an
/// allocation and make every count of its references slower. Objects may end on any thread, a look-up may come upon one
/// that is ending: whoever looks holds the lock that the ending object needs before its memory goes, and asks the
/// runtime for a reference, which an ending object does not give.
final class ObjectRegistry: Sendable {
  private let tables: Mutex<[Table]>

  init(tables count: Int) { tables = Mutex(Array(repeating: Table(), count: count)) }

  /// The object with a number in a table.
  func object(_ number: Number, in table: TableID) -> ManagedObject? {
    let address = tables.withLock { tables in
      let address = tables[table].address(of: number)
      return Self.retain(address) ? address : 0
    }
    return Self.object(retained: address)
  }

  /// Enters an object under its number, in place of another.
  func insert(_ object: ManagedObject) {
    let table = object.entity.table
    let number = object.objectID.number
    let address = Self.address(of: object)
    tables.withLock { $0[table].insert(address, number) }
  }

  /// Enters objects of one table under their numbers, in place of others.
  func insert(_ objects: [ManagedObject], in table: TableID) {
    tables.withLock { tables in
      tables[table].reserve(objects.count)
      for object in objects { tables[table].insert(Self.address(of: object), object.objectID.number) }
    }
  }

  /// Whether there is no object of a table.
  func isEmpty(of table: TableID) -> Bool { usage(of: table).taken == 0 }

  /// The objects with some numbers in a table, one entry each.
  func objects(_ numbers: [Number], in table: TableID) -> [ManagedObject?] {
    let addresses = tables.withLock { tables in
      numbers.map { number in
        let address = tables[table].address(of: number)
        return Self.retain(address) ? address : 0
      }
    }
    return addresses.map(Self.object(retained:))
  }

  /// Takes an object out, if it is the one under its number.
  func remove(_ object: ManagedObject) {
    let table = object.entity.table
    let number = object.objectID.number
    let address = Self.address(of: object)
    tables.withLock { $0[table].remove(address, number) }
  }

  func removeAll() {
    tables.withLock { tables in
      for table in tables.indices { tables[table] = Table() }
    }
  }

  /// Every object, in no order.
  var objects: [ManagedObject] {
    let addresses = tables.withLock { tables in tables.flatMap { $0.addresses.filter(Self.retain) } }
    return addresses.compactMap(Self.object(retained:))
  }

  /// How much room the table of a table of rows has, and how much of it is taken.
  func usage(of table: TableID) -> (slots: Int, taken: Int) { tables.withLock { $0[table].usage } }

  // MARK: Addresses

  private static func address(of object: ManagedObject) -> UInt {
    UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
  }

  /// Takes a reference to the object at an address, unless there is none or it is ending; the lock must be held.
  private static func retain(_ address: UInt) -> Bool {
    guard let object = UnsafeMutableRawPointer(bitPattern: address) else { return false }
    return swift_tryRetain(object) != nil
  }

  /// The object whose reference was taken.
  private static func object(retained address: UInt) -> ManagedObject? {
    UnsafeRawPointer(bitPattern: address).map {
      Unmanaged<ManagedObject>.fromOpaque($0).takeRetainedValue()
    }
  }
}

extension ObjectRegistry {
  /// The objects of a table, in a row of slots that is searched from where a number's hash says.
  private struct Table {
    private struct Slot {
      var number: Number
      /// The object's address; zero in a free slot.
      var address: UInt
    }

    private var slots: [Slot] = []
    private var count = 0

    var usage: (slots: Int, taken: Int) { (slots.count, count) }
    var addresses: [UInt] { slots.lazy.map(\.address).filter { $0 != 0 } }

    func address(of number: Number) -> UInt { count == 0 ? 0 : slots[place(number)].address }

    /// Makes room for more objects.
    mutating func reserve(_ more: Int) {
      var size = max(16, slots.count)
      while (count + more) * 3 >= size * 2 { size *= 2 }
      if size > slots.count { resize(to: size) }
    }

    mutating func insert(_ address: UInt, _ number: Number) {
      // At most two thirds full: searches are short, and end.
      if count * 3 >= slots.count * 2 { resize(to: max(16, slots.count * 2)) }
      let place = place(number)
      if slots[place].address == 0 { count += 1 }
      slots[place] = Slot(number: number, address: address)
    }

    mutating func remove(_ address: UInt, _ number: Number) {
      guard count > 0 else { return }
      let place = place(number)
      guard slots[place].address == address else { return }
      clear(place)
      if slots.count > 1024, count * 8 < slots.count { resize(to: slots.count / 2) }
    }

    @inline(__always)
    private func home(_ number: Number) -> Int {
      let hash = UInt64(bitPattern: number) &* 0x9E37_79B9_7F4A_7C15
      return Int(truncatingIfNeeded: hash >> 32) & (slots.count - 1)
    }

    /// The slot of a number, or the free one where it would go.
    @inline(__always)
    private func place(_ number: Number) -> Int {
      var index = home(number)
      while slots[index].address != 0, slots[index].number != number {
        index = (index + 1) & (slots.count - 1)
      }
      return index
    }

    /// Moves to another number of slots, a power of two.
    private mutating func resize(to size: Int) {
      let old = slots
      slots = Array(repeating: Slot(number: 0, address: 0), count: size)
      for slot in old where slot.address != 0 { slots[place(slot.number)] = slot }
    }

    /// Frees a slot and moves up those that would not be found behind the gap.
    private mutating func clear(_ index: Int) {
      var gap = index
      var next = gap
      while true {
        next = (next + 1) & (slots.count - 1)
        if slots[next].address == 0 { break }
        let distance = (next - home(slots[next].number)) & (slots.count - 1)
        if distance >= (next - gap) & (slots.count - 1) {
          slots[gap] = slots[next]
          gap = next
        }
      }
      slots[gap].address = 0
      count -= 1
    }
  }
}

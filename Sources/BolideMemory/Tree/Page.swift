/// One page of a tree, 4 KiB of sorted entries: a leaf's keys with values, a branch's keys with pages below.
///
/// ```
/// header   owner count, epoch of the transaction that may write here, count, start of the cells,
///          garbage, references to blocks, level (0 for leaves)
/// slots    16 bytes an entry, in key order: the key's head, where its cell is, lengths
/// cells    from the end downwards: the rest of the key, then the value
/// ```
/// A key's rest or a value that is too long stands in a ``Block``; the cell then holds its address. A
/// page with the epoch of the running transaction is reachable by that transaction alone and is written
/// in place; any other page is copied first. So pages that several threads see never change.
struct Page: Equatable, @unchecked Sendable {
  static let size = 4096
  static let headerLength = 32
  static let capacity = size - headerLength
  /// Longer rests of keys, and longer values, go to blocks: so at least four entries fit a page.
  static let inlineRest = 400
  static let inlineValue = 580

  let base: UnsafeMutableRawPointer

  init(base: UnsafeMutableRawPointer) { self.base = base }

  struct Slot {
    var head: UInt64
    var offset: UInt16
    var restLength: UInt16
    var valueLength: UInt16
    var headLength: UInt8
    var flags: UInt8

    static let restInBlock: UInt8 = 1
    static let valueInBlock: UInt8 = 2

    /// The bytes the entry takes, the slot included.
    var cost: Int { 16 + cellLength }
    var cellLength: Int { Int(restLength) + Int(valueLength) }
  }

  /// A new empty page with one owner.
  init(level: UInt8, epoch: UInt64, in pool: PagePool) {
    base = pool.allocate(byteCount: Self.size)
    OwnerCount(at: base).start()
    self.epoch = epoch
    count = 0
    cellStart = Self.size
    garbage = 0
    blockCount = 0
    self.level = level
  }

  // Header

  var epoch: UInt64 {
    @inline(__always) get { base.load(fromByteOffset: 8, as: UInt64.self) }
    nonmutating set { base.storeBytes(of: newValue, toByteOffset: 8, as: UInt64.self) }
  }
  var count: Int {
    @inline(__always) get { field(16) }
    nonmutating set { setField(16, newValue) }
  }
  /// Where the lowest cell begins.
  var cellStart: Int {
    @inline(__always) get { field(18) }
    nonmutating set { setField(18, newValue) }
  }
  /// Bytes of cells that no slot points to.
  var garbage: Int {
    @inline(__always) get { field(20) }
    nonmutating set { setField(20, newValue) }
  }
  /// How many blocks the cells point to.
  var blockCount: Int {
    @inline(__always) get { field(22) }
    nonmutating set { setField(22, newValue) }
  }
  var level: UInt8 {
    @inline(__always) get { base.load(fromByteOffset: 24, as: UInt8.self) }
    nonmutating set { base.storeBytes(of: newValue, toByteOffset: 24, as: UInt8.self) }
  }

  var isLeaf: Bool { level == 0 }
  /// The bytes that entries take.
  var used: Int { count * 16 + Self.size - cellStart - garbage }

  @inline(__always)
  private func field(_ offset: Int) -> Int { Int(base.load(fromByteOffset: offset, as: UInt16.self)) }
  @inline(__always)
  private func setField(_ offset: Int, _ value: Int) {
    base.storeBytes(of: UInt16(truncatingIfNeeded: value), toByteOffset: offset, as: UInt16.self)
  }

  // Entries

  @inline(__always)
  var slots: UnsafeMutablePointer<Slot> {
    (base + Self.headerLength).assumingMemoryBound(to: Slot.self)
  }

  /// The key at `index`.
  @inline(__always)
  func key(_ index: Int) -> Key {
    let slot = slots[index]
    return Key(head: slot.head, headLength: slot.headLength, rest: rest(slot))
  }

  /// The value at `index`.
  @inline(__always)
  func value(_ index: Int) -> UnsafeRawBufferPointer {
    let slot = slots[index]
    let start = base + Int(slot.offset) + Int(slot.restLength)
    if slot.flags & Slot.valueInBlock != 0 { return Self.block(at: start).bytes }
    return UnsafeRawBufferPointer(start: start, count: Int(slot.valueLength))
  }

  /// The page below the entry at `index` of a branch.
  @inline(__always)
  func child(_ index: Int) -> Page {
    let slot = slots[index]
    let address = (base + Int(slot.offset) + Int(slot.restLength))
      .loadUnaligned(as: UnsafeMutableRawPointer.self)
    return Page(base: address)
  }

  /// Points the entry at `index` of a branch to another page; owners are the caller's affair.
  func setChild(_ index: Int, _ page: Page) {
    let slot = slots[index]
    (base + Int(slot.offset) + Int(slot.restLength))
      .storeBytes(of: page.base, as: UnsafeMutableRawPointer.self)
  }

  @inline(__always)
  private func rest(_ slot: Slot) -> UnsafeRawBufferPointer {
    let start = base + Int(slot.offset)
    if slot.flags & Slot.restInBlock != 0 { return Self.block(at: start).bytes }
    return UnsafeRawBufferPointer(start: start, count: Int(slot.restLength))
  }

  @inline(__always)
  private static func block(at location: UnsafeMutableRawPointer) -> Block {
    Block(base: location.loadUnaligned(as: UnsafeMutableRawPointer.self))
  }

  // Searching

  /// The first entry not before `key`, and whether it is at `key`.
  @inline(__always)
  func search(_ key: Key) -> (index: Int, isFound: Bool) {
    var low = 0
    var high = count
    let slots = slots
    while low < high {
      let middle = (low + high) / 2
      let head = slots[middle].head
      if head < key.head {
        low = middle + 1
      } else if head > key.head {
        high = middle
      } else {
        let order = self.key(middle).compare(to: key)
        if order == 0 { return (middle, true) }
        if order < 0 { low = middle + 1 } else { high = middle }
      }
    }
    return (low, false)
  }

  /// The entry of a branch below which `key` belongs; keys before the first belong to the first.
  @inline(__always)
  func childIndex(for key: Key) -> Int {
    let (index, isFound) = search(key)
    return isFound ? index : max(index - 1, 0)
  }

  /// The last entry whose key is not above a number, or the first: where the keys are numbers, which mostly
  /// stand as far from each other as all others, so that a guess is near.
  @inline(__always)
  func place(ofNumber number: UInt64) -> Int {
    let slots = slots
    let last = count - 1
    if last <= 0 || number <= slots[0].head { return 0 }
    let first = slots[0].head
    if number >= slots[last].head { return last }
    let distance = (slots[last].head - first) / UInt64(last)
    var index = min(last - 1, Int((number - first) / max(1, distance)))
    for _ in 0..<4 {
      if slots[index].head > number {
        index -= 1
      } else if slots[index + 1].head <= number {
        index += 1
      } else {
        return index
      }
    }
    let (place, isFound) = search(Key(number))
    return isFound ? place : max(place - 1, 0)
  }

  // Owners

  func retain() { OwnerCount(at: base).increment() }

  /// Gives up one owner; the last one frees the page and gives up what it points to.
  func release(in pool: PagePool) {
    guard OwnerCount(at: base).decrement() else { return }
    forEachReference(page: { $0.release(in: pool) }, block: { $0.release(in: pool) })
    pool.free(base, byteCount: Self.size)
  }

  /// A copy that the transaction with this epoch may write.
  func copy(epoch: UInt64, in pool: PagePool) -> Page {
    let copy = Page(base: pool.allocate(byteCount: Self.size))
    copy.base.copyMemory(from: base, byteCount: Self.size)
    OwnerCount(at: copy.base).start()
    copy.epoch = epoch
    forEachReference(page: { $0.retain() }, block: { $0.retain() })
    return copy
  }

  private func forEachReference(page: (Page) -> Void, block: (Block) -> Void) {
    if !isLeaf {
      for index in 0..<count { page(child(index)) }
    }
    guard blockCount > 0 else { return }
    for index in 0..<count { forEachBlock(of: slots[index], block) }
  }

  /// Hands out the blocks that an entry points to.
  func forEachBlock(of slot: Slot, _ body: (Block) -> Void) {
    let start = base + Int(slot.offset)
    if slot.flags & Slot.restInBlock != 0 { body(Self.block(at: start)) }
    if slot.flags & Slot.valueInBlock != 0 { body(Self.block(at: start + Int(slot.restLength))) }
  }
}

/// Changing a page that the running transaction owns.
extension Page {
  /// The bytes an entry with this key and value takes, the slot included.
  @inline(__always)
  static func cost(_ key: Key, valueLength: Int) -> Int {
    16 + (key.rest.count > inlineRest ? 8 : key.rest.count) + (valueLength > inlineValue ? 8 : valueLength)
  }

  /// Whether an entry that takes `cost` bytes fits.
  @inline(__always)
  func hasRoom(_ cost: Int) -> Bool { used + cost <= Self.capacity }

  /// Puts an entry at `index`; it fits.
  func insert(_ key: Key, _ value: UnsafeRawBufferPointer, at index: Int, in pool: PagePool) {
    let cell = openCell(at: index, cost: Self.cost(key, valueLength: value.count))
    var slot = Slot(
      head: key.head, offset: UInt16(truncatingIfNeeded: cellStart), restLength: 0, valueLength: 0,
      headLength: key.headLength, flags: 0)
    if key.rest.count > Self.inlineRest {
      cell.storeBytes(of: Block(key.rest, in: pool).base, as: UnsafeMutableRawPointer.self)
      slot.restLength = 8
      slot.flags |= Slot.restInBlock
      blockCount += 1
    } else if let source = key.rest.baseAddress {
      cell.copyMemory(from: source, byteCount: key.rest.count)
      slot.restLength = UInt16(truncatingIfNeeded: key.rest.count)
    }
    let target = cell + Int(slot.restLength)
    if value.count > Self.inlineValue {
      target.storeBytes(of: Block(value, in: pool).base, as: UnsafeMutableRawPointer.self)
      slot.valueLength = 8
      slot.flags |= Slot.valueInBlock
      blockCount += 1
    } else if let source = value.baseAddress {
      target.copyMemory(from: source, byteCount: value.count)
      slot.valueLength = UInt16(truncatingIfNeeded: value.count)
    }
    slots[index] = slot
  }

  /// Puts a page below a branch at `index`; it fits, and its owner is the branch from now on.
  func insert(_ key: Key, child: Page, at index: Int, in pool: PagePool) {
    withUnsafeBytes(of: child.base) { insert(key, $0, at: index, in: pool) }
  }

  /// Overwrites the value at `index` if it has the same length and stands in the page.
  func overwrite(_ value: UnsafeRawBufferPointer, at index: Int) -> Bool {
    let slot = slots[index]
    guard slot.flags & Slot.valueInBlock == 0, Int(slot.valueLength) == value.count else { return false }
    if let source = value.baseAddress {
      (base + Int(slot.offset) + Int(slot.restLength)).copyMemory(from: source, byteCount: value.count)
    }
    return true
  }

  /// Takes out the entry at `index` and gives up its blocks; a child's owner is the caller from now on.
  func remove(at index: Int, in pool: PagePool) {
    let slot = slots[index]
    forEachBlock(of: slot) { block in
      block.release(in: pool)
      blockCount -= 1
    }
    closeSlot(at: index, slot)
  }

  /// Moves the entries from `start` on, and what they point to, to the end of another owned page with room.
  func moveEntries(from start: Int, to other: Page) {
    for index in start..<count {
      let slot = slots[index]
      let cell = other.openCell(at: other.count, cost: slot.cost)
      cell.copyMemory(from: base + Int(slot.offset), byteCount: slot.cellLength)
      var moved = slot
      moved.offset = UInt16(truncatingIfNeeded: other.cellStart)
      other.slots[other.count - 1] = moved
      let blocks =
        (slot.flags & Slot.restInBlock != 0 ? 1 : 0) + (slot.flags & Slot.valueInBlock != 0 ? 1 : 0)
      other.blockCount += blocks
      blockCount -= blocks
      garbage += slot.cellLength
    }
    count = start
  }

  /// Where to cut a full page in two: the first entry of the right half.
  func middle() -> Int {
    var sum = 0
    for index in 0..<count {
      sum += slots[index].cost
      if sum * 2 >= used { return min(index + 1, count - 1) }
    }
    return count - 1
  }

  /// Opens a slot at `index` and a cell at ``cellStart``.
  private func openCell(at index: Int, cost: Int) -> UnsafeMutableRawPointer {
    if cellStart - Self.headerLength - count * 16 < cost { compact() }
    if index < count {
      (slots + index + 1).update(from: slots + index, count: count - index)
    }
    count += 1
    cellStart -= cost - 16
    return base + cellStart
  }

  private func closeSlot(at index: Int, _ slot: Slot) {
    if Int(slot.offset) == cellStart {
      cellStart += slot.cellLength
    } else {
      garbage += slot.cellLength
    }
    count -= 1
    if index < count {
      (slots + index).update(from: slots + index + 1, count: count - index)
    }
    if count == 0 {
      cellStart = Self.size
      garbage = 0
    }
  }

  /// Moves the cells together so that no garbage is left.
  private func compact() {
    withUnsafeTemporaryAllocation(byteCount: Self.size, alignment: 16) { old in
      old.copyMemory(from: UnsafeRawBufferPointer(start: base, count: Self.size))
      var end = Self.size
      for index in 0..<count {
        let slot = slots[index]
        end -= slot.cellLength
        UnsafeMutableRawBufferPointer(start: base + end, count: slot.cellLength)
          .copyMemory(
            from: UnsafeRawBufferPointer(
              rebasing: old[Int(slot.offset)..<(Int(slot.offset) + slot.cellLength)]))
        slots[index].offset = UInt16(truncatingIfNeeded: end)
      }
      cellStart = end
      garbage = 0
    }
  }
}

/// Finds keys of bytes among those seen before: each new one gets the next place.
///
/// Nothing is allocated for a key that is known.
struct KeyTable {
  private var bytes: [UInt8] = []
  /// Where the key of each place ends in `bytes`.
  private var ends: [Int] = []
  private var hashes: [UInt64] = []
  /// The place in each slot, plus one; 0 in a free one. At most half of them are taken.
  private var slots: [Int] = Array(repeating: 0, count: 16)
  private let seed = UInt64.random(in: .min ... .max)

  /// How many keys there are.
  var count: Int { ends.count }

  /// The key at a place.
  subscript(_ place: Int) -> ArraySlice<UInt8> { bytes[start(of: place)..<ends[place]] }

  private func start(of place: Int) -> Int { place == 0 ? 0 : ends[place - 1] }

  /// The place of a key, which is put behind the others if it is new.
  mutating func place(of key: UnsafeRawBufferPointer) -> (place: Int, isNew: Bool) {
    let hash = hash(of: key)
    var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
    while slots[slot] != 0 {
      let place = slots[slot] - 1
      if hashes[place] == hash, isKey(key, at: place) { return (place, false) }
      slot = (slot + 1) & (slots.count - 1)
    }
    bytes.append(contentsOf: key)
    ends.append(bytes.count)
    hashes.append(hash)
    slots[slot] = ends.count
    if ends.count * 2 > slots.count { grow() }
    return (ends.count - 1, true)
  }

  private func isKey(_ key: UnsafeRawBufferPointer, at place: Int) -> Bool {
    let start = start(of: place)
    guard ends[place] - start == key.count else { return false }
    return bytes.withUnsafeBytes { $0[start..<(start + key.count)].elementsEqual(key) }
  }

  private mutating func grow() {
    slots = Array(repeating: 0, count: slots.count * 4)
    for (place, hash) in hashes.enumerated() {
      var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = place + 1
    }
  }

  /// Eight bytes at a time, by a product whose halves are laid over each other.
  private func hash(of key: UnsafeRawBufferPointer) -> UInt64 {
    var hash = seed ^ UInt64(truncatingIfNeeded: key.count)
    var offset = 0
    while offset + 8 <= key.count {
      hash = Self.fold(hash ^ key.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    var rest: UInt64 = 0
    while offset < key.count {
      rest = rest << 8 | UInt64(key[offset])
      offset += 1
    }
    return Self.fold(hash ^ rest)
  }

  private static func fold(_ word: UInt64) -> UInt64 {
    let product = word.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return product.high ^ product.low
  }
}

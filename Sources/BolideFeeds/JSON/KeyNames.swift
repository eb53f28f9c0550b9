/// The keys that a decoder looks for, compared sixteen bytes at a time.
struct KeyNames: Sendable {
  private struct Name: Sendable {
    var low: UInt64
    var high: UInt64
    var count: Int
  }

  private let names: [Name]

  /// - Parameter keys: the keys, each at most sixteen bytes long; a longer one is never found.
  init(_ keys: [StaticString]) {
    names = keys.map { key in
      key.withUTF8Buffer { bytes in
        var low: UInt64 = 0
        var high: UInt64 = 0
        for (index, byte) in bytes.prefix(16).enumerated() {
          if index < 8 {
            low |= UInt64(byte) << (8 * index)
          } else {
            high |= UInt64(byte) << (8 * (index - 8))
          }
        }
        return Name(low: low, high: high, count: bytes.count)
      }
    }
  }

  /// The place of a key, or −1. Sixteen bytes must be readable from the key's first one.
  @inline(__always)
  func index(of key: UnsafeBufferPointer<UInt8>) -> Int {
    guard let start = UnsafeRawPointer(key.baseAddress), key.count <= 16 else { return -1 }
    var low = UInt64(littleEndian: start.loadUnaligned(as: UInt64.self))
    var high: UInt64 = 0
    if key.count > 8 {
      high = UInt64(littleEndian: (start + 8).loadUnaligned(as: UInt64.self))
      if key.count < 16 { high &= (1 << (8 * UInt64(key.count - 8))) - 1 }
    } else if key.count < 8 {
      low &= (1 << (8 * UInt64(key.count))) - 1
    }
    for index in names.indices
    where names[index].low == low && names[index].high == high && names[index].count == key.count {
      return index
    }
    return -1
  }
}

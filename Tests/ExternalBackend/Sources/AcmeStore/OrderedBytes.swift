import BolideStorage
import Foundation

/// An ordered map of bytes: what a key-value engine offers. A copy is a snapshot.
struct OrderedBytes: Sendable {
  private(set) var keys: [[UInt8]] = []
  private(set) var values: [[UInt8]] = []

  /// The first place whose key is not before `key`.
  func place(_ key: [UInt8]) -> Int {
    var low = 0
    var high = keys.count
    while low < high {
      let middle = (low + high) / 2
      if keys[middle].lexicographicallyPrecedes(key) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The places of all keys that begin with `prefix`.
  func places(_ prefix: [UInt8]) -> Range<Int> {
    place(prefix)..<place(prefix + [UInt8](repeating: 0xFF, count: 9))
  }

  subscript(_ key: [UInt8]) -> [UInt8]? {
    get {
      let place = place(key)
      return place < keys.count && keys[place] == key ? values[place] : nil
    }
    set {
      let place = place(key)
      let isThere = place < keys.count && keys[place] == key
      switch (newValue, isThere) {
      case (let value?, true): values[place] = value
      case (let value?, false):
        keys.insert(key, at: place)
        values.insert(value, at: place)
      case (nil, true): remove(place..<(place + 1))
      case (nil, false): break
      }
    }
  }

  mutating func remove(_ places: Range<Int>) {
    keys.removeSubrange(places)
    values.removeSubrange(places)
  }

  // The file: a name, a checksum, then lengths and bytes.

  private static let magic = [UInt8]("AcmeStore file 1".utf8)

  init() {}

  init(file: [UInt8]) throws(BolideError) {
    guard file.starts(with: Self.magic) else { throw BolideError(.storeForeign, "the file is no Acme store") }
    let damaged = BolideError(.storeDamaged, "the Acme store's file is not whole")
    var rest = file.dropFirst(Self.magic.count)
    func take(_ count: Int) throws(BolideError) -> [UInt8] {
      guard count >= 0, rest.count >= count else { throw damaged }
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
    func word() throws(BolideError) -> UInt64 { try take(8).reduce(0) { $0 << 8 | UInt64($1) } }
    guard try word() == Self.checksum(rest) else { throw damaged }
    while !rest.isEmpty {
      keys.append(try take(Int(truncatingIfNeeded: try word())))
      values.append(try take(Int(truncatingIfNeeded: try word())))
    }
  }

  var file: [UInt8] {
    var body: [UInt8] = []
    for (key, value) in zip(keys, values) {
      for bytes in [key, value] {
        IndexKey.append(number: Number(bytes.count), to: &body)
        body += bytes
      }
    }
    var head = Self.magic
    IndexKey.append(number: Number(bitPattern: Self.checksum(body[...])), to: &head)
    return head + body
  }

  private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}

/// How the contract's things are named in the map. Tables go by name, so a new layout moves nothing.
enum Name {
  static let layout = text("layout")
  static let head = text("head")
  static let start = text("start")

  static func metadata(_ key: String) -> [UInt8] { text("metadata", key) }
  static func rows(_ table: TableLayout) -> [UInt8] { text("rows", table.name) }
  static func index(_ table: TableLayout, _ index: IndexLayout) -> [UInt8] {
    text("index", table.name, index.name)
  }
  static func links(_ link: LinkLayout, _ side: LinkSide) -> [UInt8] {
    text(side == .forward ? "links" : "inverse", link.name)
  }
  static let history = text("history")
  static let allRuns = text("runs")
  static func runs(_ transaction: UInt64) -> [UInt8] { allRuns + number(transaction) }
  static func tombstones(_ transaction: UInt64) -> [UInt8] { text("tombstones") + number(transaction) }

  static func number(_ number: UInt64) -> [UInt8] { self.number(Number(bitPattern: number)) }
  static func number(_ number: Number) -> [UInt8] {
    var key: [UInt8] = []
    IndexKey.append(number: number, to: &key)
    return key
  }
  static func number(endOf key: [UInt8]) -> Number {
    Number(bitPattern: key.suffix(8).reduce(0) { $0 << 8 | UInt64($1) })
  }

  static func text(_ parts: String...) -> [UInt8] {
    var key: [UInt8] = []
    for part in parts { IndexKey.append(.string(part), to: &key) }
    return key
  }
}

import BolideStorage
import CLMDB

/// The entries of one side of a link table (see the docs article LMDBFormat).
///
/// Every link has an entry that finds its pair. One with an order other than 0 has a second that stands
/// in its place; so the links of an object come in order by one walk, whether they are ordered or not.
enum LinkEntry {
  static let before: UInt8 = 0
  static let pair: UInt8 = 1
  static let after: UInt8 = 2
  static let pairLength = 17
  static let placeLength = 25

  /// The key that finds a pair.
  static func pairKey(_ own: Number, _ other: Number, into key: inout [UInt8]) {
    key.removeAll(keepingCapacity: true)
    key.appendBig(own)
    key.append(pair)
    key.appendBig(other)
  }

  /// The key that stands in the place of a link whose order is not 0.
  static func placeKey(_ own: Number, _ order: Int64, _ other: Number, into key: inout [UInt8]) {
    key.removeAll(keepingCapacity: true)
    key.appendBig(own)
    key.append(order < 0 ? before : after)
    key.appendOrdered(order)
    key.appendBig(other)
  }

  /// The value of a pair: both orders, or nothing when both are 0.
  static func pairValue(_ own: Int64, _ other: Int64) -> [UInt8] {
    if own == 0, other == 0 { return [] }
    var value: [UInt8] = []
    value.appendLittle(own)
    value.appendLittle(other)
    return value
  }

  static func orders(_ value: UnsafeRawBufferPointer) throws(BolideError) -> (own: Int64, other: Int64) {
    if value.isEmpty { return (0, 0) }
    guard value.count == 16 else { throw damaged }
    return (value.number(0, Int64.self), value.number(8, Int64.self))
  }

  static var damaged: BolideError { LMDBFailure.damaged("An entry of a link table is damaged") }
}

extension ReadView {
  func links(
    _ id: LinkID, of numbers: [Number], side: LinkSide, after last: Link?, limit: Int,
    into links: inout [Link]
  ) throws(BolideError) {
    let database = try schema.link(id).database(side)
    guard limit > 0 else { throw LMDBFailure.misuse("Links with the limit \(limit)") }
    var first = 0
    var key: [UInt8] = []
    if let last {
      let own = side == .forward ? last.from : last.to
      guard let place = numbers.firstIndex(of: own) else {
        throw LMDBFailure.misuse("The link to go on after is of none of the objects")
      }
      first = place
      let other = side == .forward ? last.to : last.from
      let order = side == .forward ? last.order : last.inverseOrder
      if order == 0 {
        LinkEntry.pairKey(own, other, into: &key)
      } else {
        LinkEntry.placeKey(own, order, other, into: &key)
      }
      // The first key above: the entry of the last link itself may be gone.
      key.append(0)
    }
    let cursor = try Cursor(transaction, database)
    var left = limit
    for own in numbers[first...] where left > 0 {
      if key.isEmpty { key.appendBig(own) }
      try appendLinks(of: own, side, from: key, with: cursor, &left, to: &links)
      key.removeAll(keepingCapacity: true)
    }
  }

  private func appendLinks(
    of own: Number, _ side: LinkSide, from start: [UInt8], with cursor: borrowing Cursor,
    _ left: inout Int, to links: inout [Link]
  ) throws(BolideError) {
    var key = MDB_val()
    var data = MDB_val()
    var isOn = try start.withBytes { (bytes) throws(BolideError) in
      key = MDB_val(bytes)
      return try cursor.move(MDB_SET_RANGE, &key, &data)
    }
    while isOn, left > 0, key.mv_size >= LinkEntry.pairLength, key.bytes.big(0, Number.self) == own {
      if let link = try link(key.bytes, data.bytes, own, side) {
        links.append(link)
        left -= 1
      }
      isOn = try cursor.move(MDB_NEXT, &key, &data)
    }
  }

  /// The link that an entry stands for; `nil` for the pair of one that stands elsewhere by its order.
  @inline(__always)
  private func link(
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ own: Number, _ side: LinkSide
  ) throws(BolideError) -> Link? {
    var order: (own: Int64, other: Int64)
    let other: Number
    if key[8] == LinkEntry.pair {
      guard key.count == LinkEntry.pairLength else { throw LinkEntry.damaged }
      order = try LinkEntry.orders(value)
      if order.own != 0 { return nil }
      other = key.big(9, Number.self)
    } else {
      guard key.count == LinkEntry.placeLength, value.count == 8 else { throw LinkEntry.damaged }
      order = (Int64(bitPattern: key.big(9, UInt64.self) ^ (1 << 63)), value.number(0, Int64.self))
      other = key.big(17, Number.self)
    }
    switch side {
    case .forward: return Link(from: own, to: other, order: order.own, inverseOrder: order.other)
    case .inverse: return Link(from: other, to: own, order: order.other, inverseOrder: order.own)
    }
  }

  func linkCounts(
    _ id: LinkID, of numbers: [Number], side: LinkSide, into counts: inout [Int]
  ) throws(BolideError) {
    let cursor = try Cursor(transaction, try schema.link(id).database(side))
    var prefix: [UInt8] = []
    for own in numbers {
      prefix.removeAll(keepingCapacity: true)
      prefix.appendBig(own)
      prefix.append(LinkEntry.pair)
      var key = MDB_val()
      var data = MDB_val()
      var isOn = try prefix.withBytes { (bytes) throws(BolideError) in
        key = MDB_val(bytes)
        return try cursor.move(MDB_SET_RANGE, &key, &data)
      }
      var count = 0
      while isOn, key.mv_size == LinkEntry.pairLength, key.bytes[8] == LinkEntry.pair,
        key.bytes.big(0, Number.self) == own
      {
        count += 1
        isOn = try cursor.move(MDB_NEXT, &key, &data)
      }
      counts.append(count)
    }
  }
}

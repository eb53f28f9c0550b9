import BolideStorage

/// Link tables: two trees, keyed by the pair from either side.
///
/// A value holds both places, own side first; there is none where both are 0.
extension StoreContents {
  func links(
    _ link: LinkID, of numbers: [Number], side: LinkSide, after: Link?, limit: Int, into links: inout [Link]
  ) throws(BolideError) {
    let pair = try shape.link(link)
    let tree = trees[side == .forward ? pair.forward : pair.inverse]
    var rest = numbers[...]
    if let after {
      let own = side == .forward ? after.from : after.to
      rest = rest.drop { $0 != own }
    }
    var left = limit
    var resume = after
    for number in rest {
      if left <= 0 { return }
      if hasOrders[link] {
        left -= appendSorted(of: number, side, tree, after: resume, limit: left, to: &links)
      } else {
        left -= append(of: number, side, tree, after: resume, limit: left, to: &links)
      }
      resume = nil
    }
  }

  func linkCounts(
    _ link: LinkID, of numbers: [Number], side: LinkSide, into counts: inout [Int]
  ) throws(BolideError) {
    let pair = try shape.link(link)
    let tree = trees[side == .forward ? pair.forward : pair.inverse]
    for number in numbers { counts.append(tree.count(prefix: Key(UInt64(bitPattern: number)))) }
  }

  /// Links in the order of their pairs, which is theirs while none has a place.
  private func append(
    of number: Number, _ side: LinkSide, _ tree: Tree, after: Link?, limit: Int, to links: inout [Link]
  ) -> Int {
    var cursor = Cursor(tree)
    if let after {
      PairKey(own: number, other: side == .forward ? after.to : after.from).withKey { cursor.seek(after: $0) }
    } else {
      cursor.seek(Key(UInt64(bitPattern: number)))
    }
    var appended = 0
    while appended < limit, let (leaf, index) = cursor.position,
      let link = link(leaf, index, of: number, side)
    {
      links.append(link)
      appended += 1
      cursor.advance()
    }
    return appended
  }

  /// Links by their places: all of the object's are looked at.
  private func appendSorted(
    of number: Number, _ side: LinkSide, _ tree: Tree, after: Link?, limit: Int, to links: inout [Link]
  ) -> Int {
    var all: [Link] = []
    _ = append(of: number, side, tree, after: nil, limit: .max, to: &all)
    let precedes = { (left: Link, right: Link) in
      side == .forward
        ? (left.order, left.to) < (right.order, right.to)
        : (left.inverseOrder, left.from) < (right.inverseOrder, right.from)
    }
    all.sort(by: precedes)
    let rest = after.map { after in all.drop { !precedes(after, $0) } } ?? all[...]
    links += rest.prefix(limit)
    return min(rest.count, limit)
  }

  private func link(_ leaf: Page, _ index: Int, of number: Number, _ side: LinkSide) -> Link? {
    let key = leaf.key(index)
    guard key.head == UInt64(bitPattern: number), key.rest.count == 8 else { return nil }
    let other = Int64(bigEndian: key.rest.loadUnaligned(as: Int64.self))
    let value = leaf.value(index)
    let own = value.count == 16 ? value.loadUnaligned(as: Int64.self) : 0
    let far = value.count == 16 ? value.loadUnaligned(fromByteOffset: 8, as: Int64.self) : 0
    return side == .forward
      ? Link(from: number, to: other, order: own, inverseOrder: far)
      : Link(from: other, to: number, order: far, inverseOrder: own)
  }
}

/// The key of a pair of numbers.
struct PairKey {
  private let own: UInt64
  private let other: UInt64

  init(own: Number, other: Number) {
    self.own = UInt64(bitPattern: own)
    self.other = UInt64(bitPattern: other).bigEndian
  }

  /// Hands out the key, which looks at the pair's own memory.
  func withKey<Result>(_ body: (Key) -> Result) -> Result {
    withUnsafeBytes(of: other) { body(Key(head: own, headLength: 8, rest: $0)) }
  }
}

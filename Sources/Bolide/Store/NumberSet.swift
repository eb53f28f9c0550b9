import BolideStorage

/// A set of object numbers: one bit a number where they are dense, so that what a transaction touched
/// costs no memory a row (rule H-2).
package struct NumberSet: Sendable, Equatable {
  private var pages: [Number: SIMD8<UInt64>] = [:]
  package private(set) var count = 0

  package init() {}

  package init(_ numbers: some Sequence<Number>) {
    insert(contentsOf: numbers)
  }

  package var isEmpty: Bool { count == 0 }

  /// Adds a number; whether it was new.
  @discardableResult
  package mutating func insert(_ number: Number) -> Bool {
    let bit = UInt64(1) << UInt64(number & 63)
    let isNew = Self.add(bit, to: Int(number >> 6 & 7), of: &pages[number >> 9, default: .zero]) > 0
    if isNew { count += 1 }
    return isNew
  }

  /// Adds numbers; those that are close together are best given one after the other.
  package mutating func insert(contentsOf numbers: some Sequence<Number>) {
    var key = Number.min
    var page = SIMD8<UInt64>.zero
    for number in numbers {
      if number >> 9 != key {
        if key != .min { pages[key] = page }
        key = number >> 9
        page = pages[key, default: .zero]
      }
      count += Self.add(UInt64(1) << UInt64(number & 63), to: Int(number >> 6 & 7), of: &page)
    }
    if key != .min { pages[key] = page }
  }

  /// Adds successive numbers.
  package mutating func insert(_ numbers: Range<Number>) {
    var number = numbers.lowerBound
    while number < numbers.upperBound {
      let key = number >> 9
      let pageEnd = min(numbers.upperBound, (key + 1) << 9)
      var page = pages[key, default: .zero]
      while number < pageEnd {
        let wordEnd = min(pageEnd, (number | 63) + 1)
        let bits = (UInt64.max >> UInt64(64 - (wordEnd - number))) << UInt64(number & 63)
        count += Self.add(bits, to: Int(number >> 6 & 7), of: &page)
        number = wordEnd
      }
      pages[key] = page
    }
  }

  /// Sets bits of a word; how many of them were not set.
  private static func add(_ bits: UInt64, to word: Int, of page: inout SIMD8<UInt64>) -> Int {
    let new = bits & ~page[word]
    page[word] |= bits
    return new.nonzeroBitCount
  }

  /// Removes a number; whether it was there.
  @discardableResult
  package mutating func remove(_ number: Number) -> Bool {
    guard var page = pages[number >> 9] else { return false }
    let word = Int(number >> 6 & 7)
    let bit = UInt64(1) << UInt64(number & 63)
    guard page[word] & bit != 0 else { return false }
    page[word] &= ~bit
    pages[number >> 9] = page == .zero ? nil : page
    count -= 1
    return true
  }

  package func contains(_ number: Number) -> Bool {
    guard let page = pages[number >> 9] else { return false }
    return page[Int(number >> 6 & 7)] & (1 << UInt64(number & 63)) != 0
  }

  package mutating func formUnion(_ other: NumberSet) {
    for (key, page) in other.pages {
      let old = pages[key, default: .zero]
      pages[key] = old | page
      count += Self.bits(old | page) - Self.bits(old)
    }
  }

  package mutating func subtract(_ other: NumberSet) {
    for (key, page) in other.pages {
      guard let old = pages[key] else { continue }
      let rest = old & ~page
      pages[key] = rest == .zero ? nil : rest
      count -= Self.bits(old) - Self.bits(rest)
    }
  }

  /// The numbers as ascending ranges that neither overlap nor touch.
  package var ranges: [ClosedRange<Number>] {
    var result: [ClosedRange<Number>] = []
    for key in pages.keys.sorted() {
      guard let page = pages[key] else { continue }
      for word in 0..<8 {
        var rest = page[word]
        while rest != 0 {
          let start = rest.trailingZeroBitCount
          let length = (~(rest >> UInt64(start))).trailingZeroBitCount
          let first = key << 9 | Number(word << 6 | start)
          let last = first + Number(length) - 1
          if let previous = result.last, previous.upperBound == first - 1 {
            result[result.count - 1] = previous.lowerBound...last
          } else {
            result.append(first...last)
          }
          rest = start + length == 64 ? 0 : rest & (~0 << UInt64(start + length))
        }
      }
    }
    return result
  }

  /// The numbers, ascending.
  package var numbers: [Number] { ranges.flatMap { $0 } }

  private static func bits(_ page: SIMD8<UInt64>) -> Int {
    var total = 0
    for word in 0..<8 { total += page[word].nonzeroBitCount }
    return total
  }
}

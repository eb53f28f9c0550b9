import BolideStorage

/// Runs of numbers as text: `3,7-9`. Short, and people and SQL can read it.
enum RunText {
  static func text(of ranges: [ClosedRange<Number>]) -> String {
    ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
      .joined(separator: ",")
  }

  static func text(of set: ColumnSet) -> String { set.members.map(String.init).joined(separator: ",") }

  /// Ascending ranges of numbers that are not negative; `nil` for a text that is no such list.
  static func ranges(_ text: UnsafeRawBufferPointer) -> [ClosedRange<Number>]? {
    var result: [ClosedRange<Number>] = []
    var place = 0
    while place < text.count {
      guard let first = number(text, &place) else { return nil }
      var last = first
      if place < text.count, text[place] == UInt8(ascii: "-") {
        place += 1
        guard let end = number(text, &place), end >= first else { return nil }
        last = end
      }
      if let before = result.last, before.upperBound >= first { return nil }
      result.append(first...last)
      guard place < text.count else { return result }
      guard text[place] == UInt8(ascii: ","), place + 1 < text.count else { return nil }
      place += 1
    }
    return result
  }

  /// A list of column or property ids; `nil` for a text that is none.
  static func set(_ text: UnsafeRawBufferPointer) -> ColumnSet? {
    guard let ranges = ranges(text) else { return nil }
    var result = ColumnSet()
    for range in ranges {
      // No entity has so many properties; a damaged text must not cost memory without end.
      guard range.upperBound < 1 << 16 else { return nil }
      for member in range { result.insert(Int(member)) }
    }
    return result
  }

  private static func number(_ text: UnsafeRawBufferPointer, _ place: inout Int) -> Number? {
    var value: Number = 0
    let start = place
    while place < text.count, (48...57).contains(text[place]) {
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(Number(text[place] - 48))
      if overflow || carry { return nil }
      value = sum
      place += 1
    }
    return place > start ? value : nil
  }
}

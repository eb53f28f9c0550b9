import BolideStorage

extension AccessPath {
  /// The path, for people: the index, the ranges of it, the direction.
  func words(in table: TableLayout) -> String {
    switch way {
    case .table: return "by number"
    case .numbers(let numbers): return Self.counted(numbers.count, "object") + ", by number"
    case .keys(let index, let keys):
      return "by unique index \(Self.name(of: index, in: table)), " + Self.counted(keys.count, "key")
    case .ranges(let index, let ranges):
      var words = ["by index \(Self.name(of: index, in: table))"]
      if backwards { words.append("backwards") }
      if ranges.count > 1 {
        let shown = ranges.prefix(Self.shown).map(Self.words).joined(separator: "; ")
        words.append(
          "\(ranges.count) ranges: \(shown)" + (ranges.count > Self.shown ? "; …" : ""))
      } else if let range = ranges.first.map(Self.words), !range.isEmpty {
        words.append(range)
      }
      return words.joined(separator: ", ")
    }
  }

  /// How many ranges are shown.
  private static let shown = 4

  private static func counted(_ count: Int, _ word: String) -> String {
    count == 0 ? "no \(word)" : count == 1 ? "1 \(word)" : "\(count) \(word)s"
  }

  private static func name(of index: IndexID, in table: TableLayout) -> String {
    table.indexes[index].columns.map { table.columns[$0].name }.joined(separator: ", ")
  }

  private static func words(_ range: KeyRange) -> String {
    guard case .index(_, let lower, let upper) = range else { return "" }
    if let lower, lower == upper { return "at \(text(lower))" }
    let start = lower.map { "\($0.isInclusive ? "from" : "after") \(text($0))" }
    let end = upper.map { "\($0.isInclusive ? "through" : "before") \(text($0))" }
    return [start, end].compactMap { $0 }.joined(separator: ", ")
  }

  private static func text(_ bound: KeyRange.Bound) -> String {
    bound.values.map { ConditionLexer.shown(CanonicalText.text($0)) }.joined(separator: ", ")
  }
}

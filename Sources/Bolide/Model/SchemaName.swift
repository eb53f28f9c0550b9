/// What names of entities and properties look like, and which one was probably meant.
package enum SchemaName {
  /// Whether a name is a letter or underscore, then letters, digits and underscores.
  static func isWellFormed(_ name: String) -> Bool {
    guard let first = name.first, first.isLetter || first == "_" else { return false }
    return name.allSatisfy { $0.isLetter || $0 == "_" || $0.wholeNumberValue != nil }
  }

  /// Whether a name is kept for Bolide itself.
  static func isReserved(_ name: String) -> Bool {
    name.hasPrefix("_") || name.lowercased().hasPrefix("bolide_")
  }

  /// The candidate nearest to a name that does not exist; `nil` when none is near.
  package static func suggestion(for name: String, among candidates: some Sequence<String>) -> String? {
    var best: (name: String, distance: Int)?
    for candidate in candidates {
      let distance = distance(name, candidate, limit: max(1, min(name.count, 64) / 3))
      if let distance, distance < best?.distance ?? Int.max { best = (candidate, distance) }
    }
    return best?.name
  }

  /// A phrase to end a message with: `; did you mean X?`, or the names there are.
  package static func hint(for name: String, among candidates: [String]) -> String {
    if let near = suggestion(for: name, among: candidates) { return "; did you mean \(near)?" }
    if candidates.isEmpty { return "; it has none" }
    let shown = candidates.sorted().prefix(12).joined(separator: ", ")
    return candidates.count > 12 ? "; there are \(shown) and more" : "; there are \(shown)"
  }

  /// How many letters to add, remove, change or swap; letters of another case count nothing.
  private static func distance(_ left: String, _ right: String, limit: Int) -> Int? {
    let a = Array(left.lowercased().prefix(64))
    let b = Array(right.lowercased().prefix(64))
    if abs(a.count - b.count) > limit { return nil }
    var rows = [Array(0...b.count)]
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var best = min(rows[i][j] + (a[i] == b[j] ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, rows[i - 1][j - 1] + 1) }
        row.append(best)
      }
      rows.append(row)
    }
    let distance = rows[a.count][b.count]
    return distance <= limit ? distance : nil
  }
}

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

  /// How many letters to add, remove or change; letters of another case count nothing.
  private static func distance(_ left: String, _ right: String, limit: Int) -> Int? {
    let a = Array(left.lowercased().prefix(64))
    let b = Array(right.lowercased().prefix(64))
    if abs(a.count - b.count) > limit { return nil }
    var row = Array(0...b.count)
    for (i, letter) in a.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, other) in b.enumerated() {
        let changed = diagonal + (letter == other ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(changed, diagonal + 1, row[j] + 1)
      }
    }
    return row[b.count] <= limit ? row[b.count] : nil
  }
}

/// Finds the name a user may have meant.
package enum Suggestion {
  /// The name nearest to the word, or nil when none is near enough to be a slip of the hand.
  package static func nearest(to word: String, among names: [String]) -> String? {
    let lowered = word.lowercased()
    let ranked = names.map { (name: $0, distance: distance(lowered, $0.lowercased())) }
      .min { ($0.distance, $0.name) < ($1.distance, $1.name) }
    if let ranked, ranked.distance <= max(1, min(word.count, ranked.name.count) / 3) { return ranked.name }
    let longer = names.filter { lowered.count >= 2 && $0.lowercased().hasPrefix(lowered) }
    return longer.count == 1 ? longer.first : nil
  }

  /// The number of insertions, deletions, replacements and swaps of neighbors that turn one word into the other.
  package static func distance(_ left: String, _ right: String) -> Int {
    let (a, b) = (Array(left), Array(right))
    if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in 1...a.count {
      var row = [i] + Array(repeating: 0, count: b.count)
      for j in 1...b.count {
        row[j] = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          row[j] = min(row[j], beforeLast[j - 2] + 1)
        }
      }
      (beforeLast, last) = (last, row)
    }
    return last[b.count]
  }
}

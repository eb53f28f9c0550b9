extension BlockPattern {
  /// One line of a comparison.
  package enum Difference: Hashable, Sendable {
    /// Expected and printed; `expected` may hold wildcards.
    case same(expected: String, actual: [String])
    /// Expected, not printed.
    case missing(String)
    /// Printed, not expected.
    case unexpected(String)
  }

  /// The fewest changes that lead from the expected lines to the printed ones.
  package func difference(from actual: [String]) -> [Difference] {
    if isErrorCodeAlone, let first = actual.first {
      if Self.line(lines[0], matches: first) { return [.same(expected: lines[0], actual: [first])] }
      return [.missing(lines[0])] + actual.map { .unexpected($0) }
    }
    // Beyond some million cells the table costs more than a reader gains from it.
    guard (lines.count + 1) * (actual.count + 1) <= 4_000_000 else {
      return lines.map { .missing($0) } + actual.map { .unexpected($0) }
    }
    return walk(actual, costs(actual))
  }

  /// `costs[i][j]`: the changes needed from expected line i and printed line j on.
  private func costs(_ actual: [String]) -> [[Int32]] {
    let row = [Int32](repeating: 0, count: actual.count + 1)
    var table = [[Int32]](repeating: row, count: lines.count + 1)
    for place in stride(from: lines.count, through: 0, by: -1) {
      for line in stride(from: actual.count, through: 0, by: -1) {
        guard place < lines.count else {
          table[place][line] = Int32(actual.count - line)
          continue
        }
        if lines[place] == Self.anyLines {
          let skipped = table[place + 1][line]
          table[place][line] = line < actual.count ? min(skipped, table[place][line + 1]) : skipped
          continue
        }
        var best = table[place + 1][line] + 1
        if line < actual.count {
          best = min(best, table[place][line + 1] + 1)
          if Self.line(lines[place], matches: actual[line]) {
            best = min(best, table[place + 1][line + 1])
          }
        }
        table[place][line] = best
      }
    }
    return table
  }

  private func walk(_ actual: [String], _ costs: [[Int32]]) -> [Difference] {
    var result: [Difference] = []
    var (place, line) = (0, 0)
    while place < lines.count {
      let cost = costs[place][line]
      if lines[place] == Self.anyLines {
        let start = line
        while line < actual.count, costs[place + 1][line] != cost { line += 1 }
        result.append(.same(expected: lines[place], actual: Array(actual[start..<line])))
        place += 1
      } else if line < actual.count, costs[place + 1][line + 1] == cost,
        Self.line(lines[place], matches: actual[line])
      {
        result.append(.same(expected: lines[place], actual: [actual[line]]))
        place += 1
        line += 1
      } else if costs[place + 1][line] + 1 == cost {
        result.append(.missing(lines[place]))
        place += 1
      } else {
        result.append(.unexpected(actual[line]))
        line += 1
      }
    }
    return result + actual[line...].map { .unexpected($0) }
  }
}

import BolideScenario
import Testing

/// A small generator with a seed, so that a failure can be run again.
private struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

@Suite struct SyntaxFuzzTests {
  @Test func `whatever the bytes, problems lie inside the file`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(state: seed)
    let files = try Corpus.listed().map { try Corpus.bytes($0) }.filter { $0.count < 4000 && !$0.isEmpty }
    let pieces = [
      "\"", "`", "{", "}", "[", "]", "$", "#", "----", " where ", "\n", "  ", "-- x --", "é", "0x",
    ]
    for round in 0..<400 {
      var bytes = try #require(files.randomElement(using: &random))
      for _ in 0...Int.random(in: 0...4, using: &random) {
        let place = Int.random(in: 0...bytes.count, using: &random)
        let end = min(bytes.count, place + Int.random(in: 0...6, using: &random))
        let piece = pieces.randomElement(using: &random) ?? ""
        bytes.replaceSubrange(place..<end, with: Array(piece.utf8))
      }
      let outcome = ScenarioParser.parse(bytes, path: "fuzz")
      let lines = TextLines.ranges(of: bytes).count
      for problem in Corpus.problems(outcome) {
        let place = problem.position
        #expect(
          1...max(lines, 1) ~= place.line && place.column >= 1,
          "seed \(seed), round \(round): \(problem)")
      }
      guard outcome.problems.allSatisfy({ ScenarioFormat.mended.contains($0.code) }) else { continue }
      let formatted = ScenarioFormat.format(bytes)
      #expect(ScenarioFormat.format(formatted) == formatted, "seed \(seed), round \(round)")
      #expect(
        ScenarioParser.parse(formatted, path: "fuzz").problems == [], "seed \(seed), round \(round)")
    }
  }
}

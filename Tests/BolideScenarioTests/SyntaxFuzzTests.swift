import BolideScenario
import BolideStorage
import Testing

@Suite struct SyntaxFuzzTests {
  @Test func `whatever the bytes, problems lie inside the file`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix64(seed: seed)
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

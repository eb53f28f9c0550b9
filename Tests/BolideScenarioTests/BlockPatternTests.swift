import BolideScenario
import Testing

@Suite struct BlockPatternTests {
  @Test(arguments: [
    ("abc", "abc", true), ("abc", "abd", false), ("", "", true),
    ("<*>", "", true), ("<*>", "anything", true),
    ("a<*>", "a", true), ("a<*>", "ab", true), ("a<*>", "ba", false),
    ("<*>c", "abc", true), ("<*>c", "abcd", false),
    ("a<*>c", "ac", true), ("a<*>c", "abc", true), ("a<*>a", "a", false),
    ("a<*>b<*>c", "a-b-c", true), ("a<*>b<*>c", "a-c-b", false), ("<*>ab<*>ab", "xabab", true),
    ("<*>ab<*>ab", "xab", false), ("<*><*>", "x", true),
    (#"name "<\*>""#, #"name "<\*>""#, true), (#"name "<\*>""#, #"name "x""#, false),
    ("<**>x", "<**>x", true), ("<**>x", "abx", false),
    ("é", "e\u{301}", false), ("日<*>", "日本", true),
  ])
  func `a line matches or not`(_ expected: String, _ actual: String, _ matches: Bool) {
    #expect(BlockPattern.line(expected, matches: actual) == matches)
  }

  @Test(
    arguments: [
      (["a", "b"], ["a", "b"], true), (["a"], ["a", "b"], false), (["a", "b"], ["a"], false),
      (["<**>"], [], true), (["<**>"], ["a", "b"], true),
      (["a", "<**>", "b"], ["a", "b"], true), (["a", "<**>", "b"], ["a", "x", "b", "y", "b"], true),
      (["a", "<**>", "b"], ["a", "x", "b", "y"], false),
      (["<**>", "a", "<**>", "b", "<**>"], ["x", "a", "y", "b", "z"], true),
      (["<**>", "a", "<**>", "b", "<**>"], ["x", "b", "y", "a", "z"], false),
      (["<**>", "b 1", "b <*>"], ["b 1", "b 1", "b 2"], true),
    ] as [([String], [String], Bool)])
  func `lines match or not`(_ expected: [String], _ actual: [String], _ matches: Bool) {
    #expect(BlockPattern(expected).matches(actual) == matches)
  }

  @Test func `an error code alone compares the code`() {
    let actual = ["error conflict.version", "  Group#1.name  base \"a\""]
    #expect(BlockPattern(["error conflict.version"]).matches(actual))
    #expect(BlockPattern(["error conflict.<*>"]).matches(actual))
    #expect(!BlockPattern(["error conflict"]).matches(actual))
    #expect(!BlockPattern(["error conflict.version", "  other"]).matches(actual))
    #expect(BlockPattern(["error conflict.version", "<**>"]).matches(actual))
    #expect(BlockPattern(actual).matches(actual))
    #expect(!BlockPattern(["error conflict.version"]).matches(["ok"]))
  }

  @Test func `data never look like a wildcard`() {
    let printed = BlockPattern.escaped("<*> and <*>")
    #expect(printed == #"<\*> and <\*>"#)
    #expect(BlockPattern([printed]).matches([printed]))
    #expect(!BlockPattern([printed]).matches(["x and y"]))
  }

  @Test func `a difference shows what is missing and what is new`() {
    let pattern = BlockPattern(["a <*>", "b", "<**>", "c", "d"])
    #expect(
      pattern.difference(from: ["a 1", "x", "y", "c", "e"]) == [
        .same(expected: "a <*>", actual: ["a 1"]), .missing("b"),
        .same(expected: "<**>", actual: ["x", "y"]), .same(expected: "c", actual: ["c"]),
        .missing("d"), .unexpected("e"),
      ])
  }

  @Test func `a difference of nothing is all missing or all new`() {
    #expect(BlockPattern(["a"]).difference(from: []) == [.missing("a")])
    #expect(BlockPattern([]).difference(from: ["a"]) == [.unexpected("a")])
    #expect(
      BlockPattern(["error a.b"]).difference(from: ["error a.c", "  x"])
        == [.missing("error a.b"), .unexpected("error a.c"), .unexpected("  x")])
  }

  @Test func `a very long difference is still one`() {
    let lines = (0..<3000).map { "\($0)" }
    let difference = BlockPattern(lines).difference(from: lines.reversed())
    #expect(difference.count == 6000)
  }
}

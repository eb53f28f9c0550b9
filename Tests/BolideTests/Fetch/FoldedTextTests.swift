import BolideStorage
import Foundation
import Testing

@testable import Bolide

@Suite struct FoldedTextTests {
  private func folded(_ text: String, _ options: TextOptions) -> String {
    String(decoding: FoldedText.bytes(of: text, options), as: UTF8.self)
  }

  private static let both: TextOptions = [.caseInsensitive, .diacriticInsensitive]

  @Test(
    arguments: [
      ("ABC xyz 09[]", .caseInsensitive, "abc xyz 09[]"), ("ÉÈ", .caseInsensitive, "éè"),
      ("e\u{301}", .caseInsensitive, "é"), ("STRASSE Straße ẞ", .caseInsensitive, "strasse strasse ss"),
      ("ΟΔΟΣ οδος", .caseInsensitive, "οδοσ οδοσ"), ("ﬁ", .caseInsensitive, "fi"),
      ("İ", .caseInsensitive, "i\u{307}"), ("ı", .caseInsensitive, "ı"), ("K", .caseInsensitive, "k"),
      ("µ", .caseInsensitive, "μ"), ("Ǆǅǆ", .caseInsensitive, "ǆǆǆ"), ("ᾼ", .caseInsensitive, "αι"),
      ("𐐀", .caseInsensitive, "𐐨"), ("Zoë", .diacriticInsensitive, "Zoe"),
      ("ÅÇñø", .diacriticInsensitive, "ACnø"),
      ("각가", .diacriticInsensitive, "각가"), ("Việt Nam", .diacriticInsensitive, "Viet Nam"),
      ("ÉCOLE İ", both, "ecole i"), ("a\0É", both, "a\0e"), ("", both, ""),
    ] as [(String, TextOptions, String)])
  func `texts are folded as Unicode says`(_ text: String, _ options: TextOptions, _ result: String) {
    #expect(Array(folded(text, options).unicodeScalars) == Array(result.unicodeScalars))
  }

  @Test func `folding twice is folding once, and joins the cases of every scalar`() {
    for value in UInt32(0)..<0x1_1000 {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let text = String(scalar)
      if scalar.isASCII || scalar.properties.changesWhenCaseMapped || scalar.properties.changesWhenCaseFolded
      {
        for options in [TextOptions.caseInsensitive, Self.both] {
          let once = folded(text, options)
          #expect(folded(once, options) == once, "U+\(String(value, radix: 16))")
          if scalar != "ı" {
            #expect(folded(text.uppercased(), options) == once, "U+\(String(value, radix: 16))")
            #expect(folded(text.lowercased(), options) == once, "U+\(String(value, radix: 16))")
          }
        }
      }
    }
  }

  @Test(
    arguments: [
      (.contains, "", "abc", true), (.contains, "bc", "abc", true), (.contains, "bd", "abc", false),
      (.contains, "b\0c", "ab\0cd", true), (.contains, "b\0x", "ab\0cd", false),
      (.contains, "abcd", "abc", false),
      (.beginsWith, "a\0", "a\0b", true), (.beginsWith, "b", "a\0b", false), (.endsWith, "\0b", "a\0b", true),
      (.endsWith, "aab", "ab", false), (.endsWith, "", "ab", true), (.contains, "e", "é", false),
      (.contains, "\u{301}", "é", false), (.contains, "e\u{301}", "né", true),
      (.like, "*", "", true), (.like, "", "", true), (.like, "", "a", false), (.like, "?", "é", true),
      (.like, "?", "e\u{301}", true), (.like, "??", "😀", false), (.like, "a*b*c", "aXbYbZc", true),
      (.like, "a*b*c", "aXbYbZ", false), (.like, "*ab", "aab", true), (.like, "*é?", "xéé", true),
      (.like, #"a\*"#, "a*", true), (.like, #"a\*"#, "ab", false), (.like, #"a\"#, #"a\"#, true),
      (.like, "**a", "ba", true), (.like, "a?", "a", false), (.like, "*\0?", "x\0y", true),
    ] as [(Comparison, String, String, Bool)])
  func `texts are searched scalar by scalar`(
    _ comparison: Comparison, _ pattern: String, _ text: String, _ holds: Bool
  ) {
    let text = NormalizedText.normalized(text)
    let pattern = NormalizedText.normalized(pattern)
    #expect(TextPattern(comparison, pattern, []).matches(text) == holds)
    #expect(TextPattern(comparison, pattern, .caseInsensitive).matches(text.uppercased()) == holds)
  }

  @Test func `a pattern with many stars ends soon`() {
    let text = String(repeating: "a", count: 20_000)
    #expect(!TextPattern(.like, String(repeating: "*a", count: 40) + "b", []).matches(text))
  }

  @Test func `natural order goes by the numbers in texts`() {
    let sorted = [
      "", "a", "a!", "a0", "a1", "a01b", "a2", "a09", "a10", "a10b", "a" + String(repeating: "9", count: 254),
      "a" + String(repeating: "9", count: 255), "a1" + String(repeating: "0", count: 255), "ab", "b1",
    ]
    func key(_ text: String) -> [UInt8] {
      var text = text
      return text.withUTF8 { FoldedText.sortKey(of: UnsafeRawBufferPointer($0), .natural) }
    }
    for (left, right) in zip(sorted, sorted.dropFirst()) {
      #expect(key(left).lexicographicallyPrecedes(key(right)), "\(left.prefix(9)) \(right.prefix(9))")
    }
    #expect(key("a007") == key("a7"))
  }
}

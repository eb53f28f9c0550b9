import Foundation
import Testing

/// Misuse across isolation, and of types, does not compile: the snippets are given to the compiler of this toolchain.
@Suite struct SnippetTests {
  @Test(arguments: ["Sound", "Types", "Isolation"])
  func `the compiler says what a snippet expects, and nothing else`(_ name: String) throws {
    let snippet = try Snippet(name)
    let found = try snippet.compile()
    #expect(found == snippet.expected)
    // "Sound" alone is without an error, so that a compiler which says nothing fails here.
    #expect(snippet.expected.isEmpty == (name == "Sound"))
  }

  @Test func `an expected error that does not come is noticed`() throws {
    let marker = "// error: risks causing data races\n"
    let sound = try Snippet("Sound").text.replacing("  let context", with: marker + "  let context")
    let snippet = Snippet(text: sound)
    #expect(snippet.expected.count == 1)
    #expect(try snippet.compile() == [])
  }

  @Test func `an error that is not expected is noticed`() throws {
    let snippet = Snippet(text: try Snippet("Isolation").text.replacing("// error:", with: "//"))
    #expect(snippet.expected == [])
    #expect(try !snippet.compile().isEmpty)
  }
}

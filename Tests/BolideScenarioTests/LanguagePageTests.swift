import BolideScenario
import Foundation
import Testing

/// The language's page is written by hand; its table of verbs is made from the verbs.
@Suite struct LanguagePageTests {
  private static let file = Stores.repository.appending(path: "Scenarios/LANGUAGE.md")
  private static let start = "<!-- verbs -->\n"
  private static let end = "<!-- end of verbs -->\n"

  private static var table: String {
    var text = "| subject | verb and arguments | what it does | prints |\n| --- | --- | --- | --- |\n"
    for subject in [VerbUsage.Subject.context, .store, .process] {
      for usage in VerbTable.usages where usage.subject == subject {
        let line = usage.line.replacing("|", with: "\\|")
        let prints = usage.prints.replacing("|", with: "\\|")
        text += "| \(subject.rawValue) | `\(line)` | \(usage.summary) | \(prints) |\n"
      }
    }
    return text
  }

  @Test func `the table of verbs is what the verbs say`() throws {
    var page = try String(contentsOf: Self.file, encoding: .utf8)
    let from = try #require(page.range(of: Self.start)).upperBound
    let to = try #require(page.range(of: Self.end)).lowerBound
    if ProcessInfo.processInfo.environment["BOLIDE_UPDATE"] != nil {
      page.replaceSubrange(from..<to, with: Self.table)
      try Data(page.utf8).write(to: Self.file, options: .atomic)
      return
    }
    #expect(String(page[from..<to]) == Self.table)
  }

  @Test func `the examples of the page are scenarios`() throws {
    let page = try String(contentsOf: Self.file, encoding: .utf8)
    let examples = page.components(separatedBy: "```scenario\n").dropFirst()
    #expect(!examples.isEmpty)
    for example in examples {
      let text = try #require(example.components(separatedBy: "```").first)
      let result = try Stores.replay(text)
      #expect(result.hasPassed, "\(result.outcome)")
    }
  }
}

import Bolide
import BolideFeeds
import BolideScenario
import BolideStorage
import Foundation
import Testing

/// Rule E-1: every code stands in the catalogue, which is made from the codes themselves.
@Suite struct ErrorCatalogueTests {
  /// Every list of codes, by the heading it has in the catalogue.
  static let sections: [(String, [ErrorCode])] = [
    ("Stores", ErrorCode.storeCodes),
    ("Schemas", ErrorCode.schemaCodes),
    ("Model files", ErrorCode.modelCodes),
    ("Migrations", ErrorCode.migrationCodes),
    ("Conditions", ErrorCode.predicateCodes),
    ("Expressions", ErrorCode.expressionCodes),
    ("Writes, objects and history", ErrorCode.semanticCodes),
    ("Feeds", ErrorCode.feedCodes),
    ("Scenarios", ErrorCode.scenarioCodes),
    ("Scenario files", ErrorCode.scenarioFileCodes),
  ]

  static var root: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
  }

  static var page: String {
    var text = """
      # Error catalogue

      Every error code, what it means and what to do now.

      ## Overview

      Errors are `BolideError`s: a stable code, a message with names, a remedy and, where an engine or the system is the
      cause, its own number. Values of users are in `details` alone. This page is made from the codes by a test; run it with
      `BOLIDE_UPDATE=1` after adding one.


      """
    for (title, codes) in sections {
      text += "### \(title)\n\n| Code | Meaning | What to do |\n| --- | --- | --- |\n"
      for code in codes.sorted(by: { $0.name < $1.name }) {
        text += "| `\(code.name)` | \(code.meaning) | \(code.remedy) |\n"
      }
      text += "\n"
    }
    return String(text.dropLast())
  }

  @Test func `the catalogue is what the codes say`() throws {
    let file = Self.root.appendingPathComponent("Sources/Bolide/Bolide.docc/ErrorCatalogue.md")
    if ProcessInfo.processInfo.environment["BOLIDE_UPDATE"] != nil {
      try Data(Self.page.utf8).write(to: file, options: .atomic)
    }
    #expect(try String(contentsOf: file, encoding: .utf8) == Self.page)
  }

  @Test func `codes are unique, of the form area.name, and say what to do`() {
    let codes = Self.sections.flatMap(\.1)
    #expect(Set(codes.map(\.name)).count == codes.count)
    for code in codes {
      let parts = code.name.split(separator: ".")
      #expect(parts.count == 2, "\(code)")
      #expect(!code.meaning.isEmpty && !code.remedy.isEmpty, "\(code)")
    }
  }

  @Test func `every code that the sources declare is listed`() throws {
    let listed = Set(Self.sections.flatMap(\.1).map(\.name))
    let sources = Self.root.appendingPathComponent("Sources")
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    var declared: Set<String> = []
    while let url = files?.nextObject() as? URL {
      guard url.pathExtension == "swift" else { continue }
      let text = try String(contentsOf: url, encoding: .utf8)
      for match in text.matches(of: /ErrorCode\(\s*"([a-z.-]+)"/) { declared.insert(String(match.1)) }
    }
    #expect(!declared.isEmpty)
    #expect(declared.subtracting(listed).sorted() == [])
  }
}

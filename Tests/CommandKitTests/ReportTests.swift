import Foundation
import Testing

@testable import CommandKit

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Reads a document the way a strict reader does, and keeps elements with their attributes.
private final class Elements: NSObject, XMLParserDelegate {
  var found: [(name: String, attributes: [String: String])] = []
  var texts: [String: String] = [:]
  private var open: [String] = []

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    found.append((name, attributes))
    open.append(name)
  }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) { open.removeLast() }

  func parser(_ parser: XMLParser, foundCharacters text: String) {
    texts[open.last ?? "", default: ""] += text
  }

  static func of(_ text: String) throws -> Elements {
    let elements = Elements()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = elements
    try #require(parser.parse(), "\(String(describing: parser.parserError))")
    return elements
  }

  func attributes(of name: String) -> [[String: String]] {
    found.filter { $0.name == name }.map(\.attributes)
  }
}

@Suite struct ReportTests {
  private static let record: RunRecord = {
    var record = RunRecord(title: "Scenarios")
    record.add(.init(group: "a", name: "one", detail: "3 steps", outcome: .passed, seconds: 1.2345))
    record.add(.init(group: "b", name: "two", detail: "", outcome: .skipped("requires \"feeds\" & more")))
    record.add(
      .init(
        group: "a", name: "three <&>\u{1b}[31m\u{ffff}", detail: "hard",
        outcome: .failed(
          "a.scenario:3:1", [.init(.expected, "1 row"), .init(.actual, "2 rows & <b>"), .init("rerun")]),
        omissions: ["not on lmdb"], seconds: 0.0004))
    return record
  }()

  @Test func `a JUnit report says what each entry came to`() throws {
    let elements = try Elements.of(JUnitReport.text(of: Self.record))
    let all = try #require(elements.attributes(of: "testsuites").first)
    #expect(
      all == [
        "name": "Scenarios", "tests": "3", "failures": "1", "errors": "0", "skipped": "1", "time": "1.235",
      ])
    let suites = elements.attributes(of: "testsuite")
    #expect(suites.map { $0["name"] } == ["a", "b"])
    #expect(suites.map { $0["tests"] } == ["2", "1"])
    let cases = elements.attributes(of: "testcase")
    #expect(cases.map { $0["name"] } == ["one", "three <&>\\u{1b}[31m\\u{ffff}", "two"])
    #expect(cases.map { $0["time"] } == ["1.235", "0.000", "0.000"])
    #expect(elements.attributes(of: "skipped").first == ["message": "requires \"feeds\" & more"])
    #expect(elements.attributes(of: "failure").first == ["message": "a.scenario:3:1"])
    #expect(elements.texts["failure"] == "- 1 row\n+ 2 rows & <b>\n  rerun")
    #expect(elements.texts["system-out"] == "not on lmdb")
  }

  @Test func `a run of nothing is a document, and no pass`() throws {
    let empty = RunRecord(title: "Scenarios")
    #expect(try Elements.of(JUnitReport.text(of: empty)).attributes(of: "testsuites").first?["tests"] == "0")
    #expect(HTMLReport.text(of: empty).contains(#"<p class="failed"><strong>0 passed, 0 failed, 0 skipped"#))
  }

  @Test func `a page is whole, and quotes what it was given`() throws {
    let page = HTMLReport.text(of: Self.record)
    // Without the tags that HTML leaves open the page is XML, too.
    let body = try #require(page.range(of: "<body>").map { page[$0.lowerBound...] })
    let text = body.replacing("</html>", with: "").replacing("<br>", with: "<br/>")
      .replacing("<details open>", with: "<details>")
    let elements = try Elements.of(String(text))
    #expect(elements.attributes(of: "tr").count == 3)
    #expect(elements.attributes(of: "article").count == 1)
    #expect(elements.texts["h3"] == "three <&>\\u{1b}[31m\\u{ffff}")
    #expect(elements.texts["span"]?.contains("+ 2 rows & <b>") == true)
    #expect(page.contains("<strong>1 passed, 1 failed, 1 skipped</strong>"))
    for outside in ["http://", "https://", "<script", "src=", "@import", "url("] {
      #expect(!page.contains(outside), "\(outside)")
    }
  }

  @Test func `a report that cannot be written is refused before the run`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bolide-report-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func files(_ path: String) throws -> ReportFiles {
      var arguments = Arguments(path: ["bolide"])
      arguments.options[ReportFiles.junit] = [path]
      return try ReportFiles(arguments)
    }
    #expect(throws: Failure.self) { try files(folder.path) }
    #expect(throws: Failure.self) { try files(folder.appending(path: "missing/report.xml").path) }
    let report = folder.appending(path: "report.xml")
    try Data("old".utf8).write(to: report)
    try files(report.path).write(Self.record)
    #expect(try String(contentsOf: report, encoding: .utf8) == JUnitReport.text(of: Self.record))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["report.xml"])
  }
}

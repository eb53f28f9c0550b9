import Foundation
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif
@testable import BolideBenchmarks

@Suite struct GrowthTests {
  @Test func `sizes go from one end to the other, three a power of ten`() {
    #expect(
      Growth.sizes(from: 10_000, to: 1_000_000) == [10_000, 30_000, 100_000, 300_000, 1_000_000])
    #expect(Growth.sizes(from: 10, to: 10) == [10])
    #expect(Growth.sizes(from: 100, to: 250) == [100, 250])
    #expect(Growth.sizes(from: 100, to: 500) == [100, 300, 500])
  }

  private func growth(_ job: Job, _ store: StoreKind, _ costs: [(rows: Int, ours: Double, theirs: Double?)])
    -> Growth
  {
    Growth(
      job: job, store: store,
      results: costs.map { cost in
        var result = BenchmarkResult.sample
        result.job = job
        result.store = store
        result.rows = cost.rows
        result.busySecondsEach = cost.ours
        result.otherBusySecondsEach = cost.theirs
        return result
      })
  }

  private var all: [Growth] {
    [
      growth(.importing, .sqlite, [(10_000, 8e-6, 9e-6), (100_000, 9e-6, 10e-6), (1_000_000, 12e-6, 15e-6)]),
      growth(.importing, .lmdb, [(10_000, 2e-6, 3e-6), (100_000, 3e-6, 4e-6), (1_000_000, 5e-6, 5e-6)]),
      growth(.transactions, .memory, [(100, 4e-5, nil), (1_000, 4e-5, nil)]),
    ]
  }

  @Test func `growth is the last cost to the first`() {
    #expect(all[0].factor == 1.5)
    #expect(all[2].factor == 1 && all[2].otherFactor == nil)
    #expect(all[0].summary.contains("× 1.50"))
  }

  @Test func `the picture is well-formed and says what it shows`() throws {
    let reader = PictureReader()
    let parser = XMLParser(data: Data(GrowthPlot(all).svg.utf8))
    parser.delegate = reader
    #expect(parser.parse(), "\(parser.parserError.map { "\($0)" } ?? "")")
    #expect(reader.elements["svg"] == 1)
    // A panel a job; a line a side, and three in the legend for the stores and two for the sides.
    #expect(reader.elements["g"] == 2)
    #expect(
      reader.classes.filter { $0 == "line sqlite" || $0 == "line lmdb" || $0 == "line memory" }.count == 6)
    #expect(reader.classes.filter { $0.hasSuffix(" other") && $0 != "line frame other" }.count == 2)
    #expect(reader.elements["circle"] == 8)
    #expect(reader.texts.filter { $0 == "rows" }.count == 2)
    #expect(reader.texts.filter { $0 == "processor time for one" }.count == 2)
    for text in ["10 k", "100 k", "1 M", "1 µs", "10 µs", "100 µs", "memory", "sqlite", "lmdb", "Bolide"] {
      #expect(reader.texts.contains(text), "\(text)")
    }
    #expect(reader.texts.contains("import into an empty store"))
  }

  @Test func `a picture without figures is one all the same`() {
    for plot in [GrowthPlot([]), GrowthPlot([growth(.importing, .sqlite, [])])] {
      #expect(XMLParser(data: Data(plot.svg.utf8)).parse())
    }
    #expect(GrowthPlot([growth(.importing, .sqlite, [])]).svg.contains("no figures"))
  }

  @Test func `lines stay inside their panel`() throws {
    let reader = PictureReader()
    let parser = XMLParser(data: Data(GrowthPlot(all).svg.utf8))
    parser.delegate = reader
    #expect(parser.parse())
    #expect(!reader.centers.isEmpty)
    for center in reader.centers {
      #expect(center.x >= 74 && center.x <= 442 && center.y >= 52 && center.y <= 286, "\(center)")
    }
  }
}

/// Counts the elements of a picture and collects its texts.
private final class PictureReader: NSObject, XMLParserDelegate {
  var elements: [String: Int] = [:]
  var classes: [String] = []
  var texts: [String] = []
  var centers: [(x: Double, y: Double)] = []
  private var text: String?

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    elements[name, default: 0] += 1
    if let kind = attributes["class"] { classes.append(kind) }
    if name == "text" { text = "" }
    if name == "circle", let x = attributes["cx"].flatMap(Double.init),
      let y = attributes["cy"].flatMap(Double.init)
    {
      centers.append((x, y))
    }
  }

  func parser(_ parser: XMLParser, foundCharacters characters: String) { text? += characters }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?)
  {
    if name == "text", let text { texts.append(text) }
    if name == "text" { text = nil }
  }
}

import Foundation
import Testing

@testable import BolideFeeds

/// The invented documents under `Fixtures/feeds`.
enum Fixture {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fixtures/feeds")

  static func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

  static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: path(name))))
  }
}

@Suite struct FixturesTests {
  @Test(arguments: [
    (Feed.jpl, "fireballs-1.json", 5, 0), (.jpl, "fireballs-2.json", 6, 0),
    (.jpl, "fireballs-bad-records.json", 2, 3),
    (.jpl, "fireballs-empty.json", 0, 0), (.cneosCSV, "fireballs-1.csv", 5, 0),
    (.usgs, "quakes-1.geojson", 5, 0),
    (.usgs, "quakes-2.geojson", 6, 0), (.usgsCSV, "quakes-1.csv", 5, 0),
    (.usgs, "quakes-lacking.geojson", 4, 1),
    (.usgs, "quakes-withdrawn.geojson", 1, 0), (.todos, "todos.json", 6, 0),
  ])
  func `a document has its records`(_ feed: Feed, _ name: String, _ rows: Int, _ skipped: Int) throws {
    let decoded = decode(feed, try Fixture.bytes(name))
    #expect(decoded.code == nil)
    #expect(decoded.rows.count == rows)
    #expect(decoded.skipped.count == skipped)
    #expect(decoded.warnings == [])
  }

  @Test func `what is no feed is refused by every one`() throws {
    for feed in Feed.allCases {
      for name in ["error.json", "maintenance.html"] {
        #expect(decode(feed, try Fixture.bytes(name)).code == "feed.not-the-feed", "\(feed) \(name)")
      }
    }
    #expect(decode(.jpl, try Fixture.bytes("fireballs-cut-off.json")).code == "feed.truncated")
  }

  @Test func `both fireball feeds give the same rows`() throws {
    let document = decode(.jpl, try Fixture.bytes("fireballs-1.json"))
    #expect(decode(.cneosCSV, try Fixture.bytes("fireballs-1.csv")).rows == document.rows)
  }

  @Test func `both earthquake feeds give the same rows but for the aliases`() throws {
    let rows = decode(.usgs, try Fixture.bytes("quakes-1.geojson")).rows.map { row in
      row.split(separator: " ").filter { !$0.hasPrefix("ids=") }.joined(separator: " ")
    }
    #expect(decode(.usgsCSV, try Fixture.bytes("quakes-1.csv")).rows == rows)
  }

  @Test func `a file is read in pieces`() throws {
    let source = try FileByteSource(path: Fixture.path("quakes-1.geojson"))
    let bytes = try Fixture.bytes("quakes-1.geojson")
    #expect(source.size == bytes.count)
    for _ in 0..<2 {
      var read: [UInt8] = []
      var piece = [UInt8](repeating: 0, count: 1_000)
      while true {
        let count = try piece.withUnsafeMutableBytes { (target) throws(FeedFault) in
          try source.read(into: target)
        }
        if count == 0 { break }
        read += piece.prefix(count)
      }
      #expect(read == bytes)
      #expect(source.rewind())
    }
  }

  @Test func `a missing file and a folder are unreadable`() {
    #expect(throws: FeedFault.self) { try FileByteSource(path: Fixture.path("nothing.json")) }
    #expect {
      let source = try FileByteSource(path: Fixture.folder.path(percentEncoded: false))
      var reader = JSONReader(source)
      _ = try reader.kind()
    } throws: { error in
      (error as? FeedFault)?.kind == .unreadable
    }
  }
}

import Foundation
import Testing

@testable import BolideFeeds

/// The folder of real captures, named by the environment variable `BOLIDE_FEEDS`.
enum Captures {
  static let folder = ProcessInfo.processInfo.environment["BOLIDE_FEEDS"]
  static let isThere = folder != nil
  static let reason: Comment = "BOLIDE_FEEDS does not name the folder of captures"

  /// The path of a capture.
  static func path(_ name: String) throws -> String {
    let folder = try #require(folder)
    return "\(folder)/\(name)"
  }

  static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: try path(name))))
  }
}

/// Real captures decode to the values that were counted by other means.
@Suite(.enabled(if: Captures.isThere, Captures.reason)) struct CapturesTests {
  /// What one capture decodes to.
  private struct Totals {
    var good = 0
    var skipped: [Int] = []
    var nulls: [String: Int] = [:]
    var sums: [String: Double] = [:]
    var negatives: [String: Int] = [:]
    var lowest: [String: Double] = [:]
    var keys: Set<String> = []
  }

  private func totals(_ feed: Feed, _ name: String, keyedByNet: Bool = true) throws -> Totals {
    var totals = Totals()
    var record = FeedRecord(fields: feed.fields)
    let selection = FeedSelection(
      feed, wanted: feed.fields.map { _ in true }, keyedByNet: keyedByNet)
    let reader = feed.reader(try FileByteSource(path: try Captures.path(name)), selection)
    while try reader.read(1_000, into: &record, { Self.add($0, to: &totals) }) {}
    #expect(reader.offset == (try FileByteSource(path: try Captures.path(name)).size))
    return totals
  }

  private static func add(_ record: borrowing FeedRecord, to totals: inout Totals) {
    if record.flaw != nil {
      totals.skipped.append(record.number)
      return
    }
    totals.good += 1
    for (index, field) in record.fields.enumerated() {
      let name = field.attributes[0]
      switch record.state(index) {
      case .null: totals.nulls[name, default: 0] += 1
      case .number:
        totals.sums[name, default: 0] += record.double(index)
        if record.double(index) < 0 { totals.negatives[name, default: 0] += 1 }
      case .absent, .text: break
      }
    }
    if record.fields[0].type == .date { totals.keys.insert("\(record.double(0))") }
    if record.fields[0].attributes == ["code"] {
      let net = record.state(QuakeFields.net) == .text ? String(decoding: record.text(1), as: UTF8.self) : ""
      totals.keys.insert(net + " " + String(decoding: record.text(0), as: UTF8.self))
    }
  }

  @Test(arguments: [
    ("jpl-2024-02-26-v1.0.json", 973, [190, 459, 678], [392, 379], [71_763.9, 1_174.118]),
    ("jpl-2026-05-v1.2.json", 1_060, [186, 472, 704], [441, 432], [72_518.37, 1_204.103]),
  ])
  func `fireballs of the API`(
    _ name: String, _ count: Int, _ nulls: [Int], _ negatives: [Int], _ sums: [Double]
  ) throws {
    let totals = try totals(.jpl, name)
    #expect(totals.good == count)
    #expect(totals.keys.count == count)
    #expect(totals.skipped == [])
    #expect(["latitude", "altitude", "velocity"].map { totals.nulls[$0] } == nulls)
    // A latitude of zero has a direction and no sign.
    let south = totals.negatives["latitude", default: 0]
    #expect(south == negatives[0] || south == negatives[0] - 1)
    #expect(totals.negatives["longitude"] == negatives[1])
    #expect(abs(totals.sums["radiatedEnergy", default: 0] - sums[0]) < 1e-6)
    #expect(abs(totals.sums["impactEnergy", default: 0] - sums[1]) < 1e-6)
  }

  @Test(arguments: [("cneos-2019-10-10.csv", 802), ("cneos-2022-08-21.csv", 929)])
  func `fireballs of the table`(_ name: String, _ count: Int) throws {
    let totals = try totals(.cneosCSV, name)
    #expect(totals.good == count)
    #expect(totals.skipped == [])
  }

  @Test(arguments: [
    ("usgs-all_hour-2022-08-17T2153.geojson", 6), ("usgs-all_day-2022-08-17T2156.geojson", 237),
    ("usgs-all_day-2014-04-14.geojson", 146), ("usgs-all_week-2014-04-15.geojson", 1_513),
    ("usgs-all_week-2021-07-20.geojson", 3_098), ("usgs-all_week-2021-07-22.geojson", 3_280),
    ("usgs-4.5_week-2021-07-22T2023.geojson", 78), ("usgs-4.5_week-2021-07-22T2040.geojson", 78),
    ("usgs-all_week-2020-07-16.geojson", 2_694), ("usgs-excerpt-api-2.7.0.geojson", 4),
  ])
  func `earthquakes of the collection`(_ name: String, _ count: Int) throws {
    let totals = try totals(.usgs, name)
    #expect(totals.good == count)
    #expect(totals.keys.count == count)
    #expect(totals.skipped == [])
  }

  @Test func `a quake without a magnitude is skipped where one is needed`() throws {
    let totals = try totals(.usgs, "usgs-all_week-2020-07-16.geojson", keyedByNet: false)
    #expect(totals.good == 2_693)
    #expect(totals.skipped.count == 1)
  }

  @Test(arguments: [("usgs-all_month-2021-06-12.csv", 12_356), ("usgs-all_month-2021-06-14.csv", 12_656)])
  func `earthquakes of the table`(_ name: String, _ count: Int) throws {
    #expect(try totals(.usgsCSV, name).good == count)
    let plain = try totals(.usgsCSV, name, keyedByNet: false)
    #expect(plain.good == count - 1)
    #expect(plain.skipped.count == 1)
  }

  @Test func `to-do items`() throws {
    var done = 0
    var record = FeedRecord(fields: Feed.todos.fields)
    let selection = FeedSelection(.todos, wanted: Feed.todos.fields.map { _ in true })
    let reader = Feed.todos.reader(try FileByteSource(path: try Captures.path("todos-200.json")), selection)
    while try reader.read(64, into: &record, { done += $0.boolean(TodoDecoder.done) ? 1 : 0 }) {}
    #expect(record.number == 200)
    #expect(done == 90)
  }

  @Test func `error bodies are no feed`() throws {
    #expect(decode(.jpl, try Captures.bytes("jpl-excerpt-errors.json")).code == "feed.not-the-feed")
  }

  @Test func `a capture of one feed is refused by the others`() throws {
    let captures: [(Feed, String)] = [
      (.jpl, "jpl-2026-04-08-limit50.json"), (.cneosCSV, "cneos-2019-10-10.csv"),
      (.usgs, "usgs-4.5_week-2021-07-22T2023.geojson"), (.todos, "todos-200.json"),
      (.usgsCSV, "usgs-all_month-2021-06-12.csv"),
    ]
    for (own, name) in captures {
      let bytes = try Captures.bytes(name)
      for feed in Feed.allCases where feed != own {
        #expect(decode(feed, bytes).code == "feed.not-the-feed", "\(name) as \(feed)")
      }
    }
  }
}

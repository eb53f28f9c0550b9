import Bolide
import BolidePreview
import Testing

@testable import BolideFeeds

/// Real captures imported one after the other give the figures that were counted by other means.
@Suite(.enabled(if: Captures.isThere, Captures.reason)) struct CapturesImportTests {
  /// Captures that go into one store, and what each of them does.
  struct Sequence: Sendable, CustomTestStringConvertible {
    var feed: Feed
    var model: SampleModel
    var entity: String
    /// File, inserted, updated, unchanged, skipped, total.
    var steps: [(String, Int, Int, Int, Int, Int)]

    var testDescription: String { "\(feed.rawValue) \(entity) \(steps.map(\.0).joined(separator: " "))" }
  }

  private static let day2014 = "usgs-all_day-2014-04-14.geojson"
  private static let week2014 = "usgs-all_week-2014-04-15.geojson"
  private static let week20 = "usgs-all_week-2021-07-20.geojson"
  private static let week22 = "usgs-all_week-2021-07-22.geojson"
  private static let early = "usgs-4.5_week-2021-07-22T2023.geojson"
  private static let late = "usgs-4.5_week-2021-07-22T2040.geojson"
  private static let month12 = "usgs-all_month-2021-06-12.csv"
  private static let month14 = "usgs-all_month-2021-06-14.csv"

  static let sequences: [Sequence] = [
    Sequence(
      feed: .jpl, model: .fireballWatch, entity: "Fireball",
      steps: [
        ("jpl-2024-02-26-v1.0.json", 973, 0, 0, 0, 973), ("jpl-2026-05-v1.2.json", 281, 313, 466, 0, 1_254),
        ("jpl-2026-05-v1.2.json", 0, 0, 1_060, 0, 1_254), ("jpl-2026-04-08-limit50.json", 0, 0, 50, 0, 1_254),
      ]),
    Sequence(
      feed: .cneosCSV, model: .fireballWatch, entity: "Fireball",
      steps: [("cneos-2019-10-10.csv", 802, 0, 0, 0, 802), ("cneos-2022-08-21.csv", 127, 1, 801, 0, 929)]),
    Sequence(
      feed: .usgs, model: .earthquakes, entity: "CatalogQuake",
      steps: [
        ("usgs-all_hour-2022-08-17T2153.geojson", 6, 0, 0, 0, 6),
        ("usgs-all_day-2022-08-17T2156.geojson", 231, 0, 6, 0, 237),
      ]),
    Sequence(
      feed: .usgs, model: .earthquakes, entity: "CatalogQuake",
      steps: [(day2014, 146, 0, 0, 0, 146), (week2014, 1_371, 50, 92, 0, 1_517)]),
    Sequence(
      feed: .usgs, model: .earthquakes, entity: "Quake",
      steps: [(day2014, 146, 0, 0, 0, 146), (week2014, 1_371, 24, 118, 0, 1_517)]),
    Sequence(
      feed: .usgs, model: .earthquakes, entity: "CatalogQuake",
      steps: [
        (week20, 3_098, 0, 0, 0, 3_098), (week22, 1_343, 202, 1_735, 0, 4_441),
        (week22, 0, 0, 3_280, 0, 4_441),
      ]),
    Sequence(
      feed: .usgs, model: .earthquakes, entity: "Quake",
      steps: [
        (week20, 3_098, 0, 0, 0, 3_098), (week22, 1_341, 174, 1_763, 0, 4_439),
        (week22, 0, 0, 3_278, 0, 4_439),
      ]),
    Sequence(
      feed: .usgs, model: .earthquakes, entity: "Quake", steps: [(week22, 3_278, 0, 0, 0, 3_278)]),
    Sequence(
      feed: .usgs, model: .earthquakes, entity: "CatalogQuake",
      steps: [(early, 78, 0, 0, 0, 78), (late, 0, 6, 72, 0, 78)]),
    Sequence(
      feed: .usgs, model: .earthquakes, entity: "Quake",
      steps: [(early, 78, 0, 0, 0, 78), (late, 0, 5, 73, 0, 78)]),
    Sequence(
      feed: .usgs, model: .earthquakes, entity: "Quake",
      steps: [("usgs-all_week-2020-07-16.geojson", 2_693, 0, 0, 1, 2_693)]),
    Sequence(
      feed: .usgsCSV, model: .earthquakes, entity: "CatalogQuake",
      steps: [(month12, 12_356, 0, 0, 0, 12_356), (month14, 1_063, 181, 11_412, 0, 13_419)]),
    Sequence(
      feed: .usgsCSV, model: .earthquakes, entity: "Quake",
      steps: [(month12, 12_348, 0, 0, 1, 12_348), (month14, 1_061, 104, 11_481, 1, 13_409)]),
    Sequence(
      feed: .todos, model: .done, entity: "Item", steps: [("todos-200.json", 200, 0, 0, 0, 200)]),
  ]

  @Test(arguments: sequences, StoreKind.allCases)
  func `captures change what they should`(_ sequence: Sequence, _ kind: StoreKind) throws {
    try kind.withContainer(sequence.model.schema) { try run(sequence, in: $0.newContext(author: "import")) }
  }

  private func run(_ sequence: Sequence, in context: ManagedObjectContext) throws {
    for step in sequence.steps {
      let request = FeedImport(
        sequence.feed, from: .file(try Captures.path(step.0)), into: sequence.entity)
      let result = try request.run(in: context)
      let found = [
        result.inserted.count, result.updated.count, result.unchanged.count, result.skippedCount,
        result.total,
      ]
      #expect(found == [step.1, step.2, step.3, step.4, step.5], "\(step.0)")
      #expect((result.transaction == nil) == (step.1 + step.2 == 0))
    }
  }

  @Test func `revised times are named`() throws {
    let revisions = try StoreKind.memory.withContainer(SampleModel.fireballWatch.schema) { container in
      let context = container.newContext()
      var revisions: [ProbableRevision] = []
      for name in ["jpl-2024-02-26-v1.0.json", "jpl-2026-05-v1.2.json"] {
        revisions = try FeedImport(.jpl, from: .file(try Captures.path(name))).run(in: context).revisions
      }
      return revisions
    }
    #expect(revisions.count == 190)
    #expect(revisions.filter { abs($0.seconds) == 1 }.count == 152)
  }
}

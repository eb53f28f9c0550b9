import Bolide
import BolideMemory
import BolidePreview
import BolideStorage
import Synchronization
import Testing

@testable import BolideFeeds

/// What an import did, as figures.
private func figures(_ result: FeedImportResult) -> String {
  "\(result.inserted.count) inserted \(result.updated.count) updated \(result.unchanged.count) unchanged"
    + " \(result.skippedCount) skipped \(result.total) total"
}

private func makeContainer(_ model: SampleModel) throws -> PersistentContainer {
  try PersistentContainer(model.schema, at: MemoryBackend.freshLocation())
}

extension PersistentContainer {
  /// Imports a fixture on the calling thread.
  fileprivate func importFixture(
    _ feed: Feed, _ name: String, into entity: String? = nil, absent: AbsentRule = .keep,
    policy: MergePolicy? = nil
  ) throws -> FeedImportResult {
    let context = newContext(author: "import")
    context.mergePolicy = policy
    return try FeedImport(feed, from: .file(Fixture.path(name)), into: entity, absent: absent).run(
      in: context)
  }

  /// An attribute of all objects of an entity, by number.
  fileprivate func values(_ entity: String, _ attribute: String) throws -> [Value] {
    let context = newContext()
    return try context.fetch(FetchRequest<ManagedObject>(entity: entity)).map { try $0.value(attribute) }
  }
}

@Suite struct ImportTests {
  @Test func `fireballs of two days`() throws {
    let container = try makeContainer(.fireballWatch)
    let first = try container.importFixture(.jpl, "fireballs-1.json")
    #expect(figures(first) == "5 inserted 0 updated 0 unchanged 0 skipped 5 total")
    #expect(first.transaction == 1)
    #expect(first.entityName == "Fireball")
    #expect(first.token == (try container.currentToken()))
    let table = try container.importFixture(.cneosCSV, "fireballs-1.csv")
    #expect(figures(table) == "0 inserted 0 updated 5 unchanged 0 skipped 5 total")
    #expect(table.transaction == nil)
    let second = try container.importFixture(.jpl, "fireballs-2.json")
    #expect(figures(second) == "1 inserted 2 updated 3 unchanged 0 skipped 6 total")
    #expect(second.transaction == 2)
    let again = try container.importFixture(.jpl, "fireballs-2.json")
    #expect(figures(again) == "0 inserted 0 updated 6 unchanged 0 skipped 6 total")
    #expect(
      try container.history(PersistentHistoryRequest()).transactions.map(\.author) == ["import", "import"])
    #expect(
      try container.values("Fireball", "latitude") == [
        .double(10.5), .double(-57.9), .null, .double(0), .double(54.6), .double(-13.8),
      ])
    #expect(again.revisions == [])
  }

  /// F9.
  @Test func `a bad record is left out whole, the others are stored`() throws {
    let container = try makeContainer(.fireballWatch)
    let result = try container.importFixture(.jpl, "fireballs-bad-records.json")
    #expect(figures(result) == "2 inserted 0 updated 0 unchanged 3 skipped 2 total")
    #expect(result.recordCount == 5)
    #expect(
      result.skipped.map(\.description) == [
        "record 2  energy: “bright” is no number", "record 4  date: is null",
        "record 5  lat-dir: is no direction",
      ])
    #expect(result.skipped[0].position.line == 5)
  }

  /// F16 and F22.
  @Test(arguments: [
    ("fireballs-cut-off.json", "feed.truncated"), ("error.json", "feed.not-the-feed"),
    ("maintenance.html", "feed.not-the-feed"), ("quakes-1.csv", "feed.not-the-feed"),
    ("nothing.json", "feed.unreadable"),
  ])
  func `a document that is refused changes nothing`(_ name: String, _ code: String) throws {
    let container = try makeContainer(.fireballWatch)
    _ = try container.importFixture(.jpl, "fireballs-2.json")
    let token = try container.currentToken()
    do {
      _ = try container.importFixture(.jpl, name)
      Issue.record("\(name) was imported")
    } catch let error as BolideError {
      #expect(error.code.name == code)
      #expect(error.message.contains(name))
    }
    #expect(try container.currentToken() == token)
    #expect(try container.values("Fireball", "velocity").count == 6)
    let retry = try container.importFixture(.jpl, "fireballs-2.json")
    #expect(figures(retry) == "0 inserted 0 updated 6 unchanged 0 skipped 6 total")
  }

  /// F16: the store, its history and its token stay.
  @Test func `a fault far into a document rolls back what was written before it`() throws {
    let container = try makeContainer(.fireballWatch)
    func row(_ number: Int) -> String {
      #"["2040-01-01 \#(number / 3600 + 10):\#(number / 60 % 60 + 10):\#(number % 60 + 10 > 59 ? 59 : number % 60 + 10)","1"]"#
    }
    let rows = (0..<2_000).map(row).joined(separator: ",")
    let good = #"{"fields":["date","energy"],"data":[\#(rows)]}"#
    let context = container.newContext()
    for bad in [String(good.dropLast(2)), good.dropLast(2) + ",]}", good + "x"] {
      let document = FeedDocument.bytes(Array(bad.utf8), named: "bad")
      #expect(throws: BolideError.self) { try FeedImport(.jpl, from: document).run(in: context) }
      #expect(try container.counts().allSatisfy { $0.count == 0 })
      #expect(try container.currentToken().number == 0)
    }
    let document = FeedDocument.bytes(Array(good.utf8), named: "good")
    let result = try FeedImport(.jpl, from: document).run(in: context)
    #expect(result.transaction == 1)
    // The numbers that were taken back are given again (rule U-1).
    #expect(result.inserted.first?.number == 1)
  }

  /// F24.
  @Test func `no records is a success and no transaction`() throws {
    let container = try makeContainer(.fireballWatch)
    _ = try container.importFixture(.jpl, "fireballs-1.json")
    let result = try container.importFixture(.jpl, "fireballs-empty.json")
    #expect(figures(result) == "0 inserted 0 updated 0 unchanged 0 skipped 5 total")
    #expect(result.transaction == nil)
  }

  /// F12.
  @Test func `quakes by net and code, and by code alone`() throws {
    let container = try makeContainer(.earthquakes)
    #expect(
      figures(try container.importFixture(.usgs, "quakes-1.geojson"))
        == "5 inserted 0 updated 0 unchanged 0 skipped 5 total")
    #expect(
      figures(try container.importFixture(.usgs, "quakes-2.geojson"))
        == "1 inserted 3 updated 2 unchanged 0 skipped 6 total")
    // Two quakes of different nets have one code: the later record wins (rule U-4).
    #expect(
      figures(try container.importFixture(.usgs, "quakes-1.geojson", into: "Quake"))
        == "4 inserted 0 updated 0 unchanged 0 skipped 4 total")
    #expect(
      figures(try container.importFixture(.usgs, "quakes-2.geojson", into: "Quake"))
        == "1 inserted 2 updated 2 unchanged 0 skipped 5 total")
  }

  @Test func `the table of quakes keeps the aliases that it does not mention`() throws {
    let container = try makeContainer(.earthquakes)
    _ = try container.importFixture(.usgs, "quakes-1.geojson")
    #expect(
      figures(try container.importFixture(.usgsCSV, "quakes-1.csv"))
        == "0 inserted 0 updated 5 unchanged 0 skipped 5 total")
    #expect(try container.values("CatalogQuake", "ids").first == .string(",yy40a,"))
    #expect(
      figures(try container.importFixture(.usgsCSV, "quakes-1.csv", absent: .default))
        == "0 inserted 5 updated 0 unchanged 0 skipped 5 total")
    #expect(try container.values("CatalogQuake", "ids").allSatisfy(\.isNull))
  }

  /// F10, F14 and F15, stored.
  @Test func `what a quake lacks is cleared, what it does not mention stays, a withdrawn one is only marked`()
    throws
  {
    let container = try makeContainer(.earthquakes)
    _ = try container.importFixture(.usgs, "quakes-1.geojson")
    let lacking = try container.importFixture(.usgs, "quakes-lacking.geojson")
    #expect(figures(lacking) == "0 inserted 3 updated 1 unchanged 1 skipped 5 total")
    #expect(lacking.skipped.map(\.description) == ["record 5  code: is missing"])
    #expect(try container.values("CatalogQuake", "magnitude")[1] == .null)
    #expect(try container.values("CatalogQuake", "depth")[2] == .null)
    let withdrawn = try container.importFixture(.usgs, "quakes-withdrawn.geojson")
    #expect(figures(withdrawn) == "0 inserted 1 updated 0 unchanged 0 skipped 5 total")
    #expect(try container.values("CatalogQuake", "status")[1] == .string("deleted"))
    #expect(try container.values("CatalogQuake", "place")[1] == .string("1km E of A, B"))
    let plain = try container.importFixture(.usgs, "quakes-lacking.geojson", into: "Quake")
    #expect(figures(plain) == "2 inserted 0 updated 0 unchanged 3 skipped 2 total")
  }

  @Test func `to-do items have no key: they are inserted again`() throws {
    let container = try makeContainer(.done)
    #expect(
      figures(try container.importFixture(.todos, "todos.json"))
        == "6 inserted 0 updated 0 unchanged 0 skipped 6 total")
    #expect(
      figures(try container.importFixture(.todos, "todos.json"))
        == "6 inserted 0 updated 0 unchanged 0 skipped 12 total")
    #expect(try container.values("Item", "done").filter { $0 == .bool(true) }.count == 4)
    let tasks = try makeContainer(.tasks)
    #expect(try tasks.importFixture(.todos, "todos.json").entityName == "Task")
    #expect(try tasks.values("Task", "title").last == .string("sweep the yard"))
  }

  @Test func `the policy decides what happens to what is there`() throws {
    let container = try makeContainer(.fireballWatch)
    _ = try container.importFixture(.jpl, "fireballs-1.json")
    #expect(throws: BolideError.self) {
      try container.importFixture(.jpl, "fireballs-2.json", policy: .error)
    }
    #expect(
      figures(try container.importFixture(.jpl, "fireballs-2.json", policy: .storeTrump))
        == "1 inserted 0 updated 5 unchanged 0 skipped 6 total")
  }

  @Test func `an entity that cannot take the feed is refused`() throws {
    let container = try makeContainer(.fireballWatch)
    for (feed, entity, code) in [
      (Feed.usgs, nil, "feed.entity"), (.jpl, "FireballGroup", "feed.entity"),
      (.jpl, "Firebal", "schema.unknown-entity"),
    ] as [(Feed, String?, String)] {
      do {
        _ = try container.importFixture(feed, "fireballs-1.json", into: entity)
        Issue.record("\(feed) was imported")
      } catch let error as BolideError {
        #expect(error.code.name == code)
      }
    }
  }

  /// F29.
  @Test func `a revised time is named`() throws {
    let container = try makeContainer(.fireballWatch)
    _ = try container.importFixture(.jpl, "fireballs-1.json")
    let later =
      #"{"fields":["date","energy"],"data":[["2040-01-05 04:10:21","12.5"],["2040-01-04 23:59:35","2.2"],"#
      + #"["2040-01-04 23:58:00","2.2"],["2040-01-02 06:40:00","1"]]}"#
    let context = container.newContext()
    let result = try FeedImport(.jpl, from: .bytes(Array(later.utf8), named: "later")).run(in: context)
    #expect(figures(result) == "3 inserted 0 updated 1 unchanged 0 skipped 8 total")
    #expect(result.revisions.map(\.description) == ["Fireball#1 -> Fireball#6  -1.0 s"])
  }

  @Test func `progress is told and a cancelled import leaves nothing`() throws {
    let container = try makeContainer(.fireballWatch)
    let context = container.newContext()
    let seen = Mutex<[FeedProgress]>([])
    var request = FeedImport(.jpl, from: .file(Fixture.path("fireballs-1.json")))
    request.progress = { progress in seen.withLock { $0.append(progress) } }
    request.isCancelled = { true }
    do {
      _ = try request.run(in: context)
      Issue.record("the import was not cancelled")
    } catch ErrorCode.feedCancelled {
    }
    #expect(try container.currentToken().number == 0)
    request.isCancelled = nil
    _ = try request.run(in: context)
    let last = seen.withLock { $0.last }
    #expect(last?.records == 5)
    #expect(last?.bytes == last?.totalBytes)
  }

  @Test func `an import off the caller's path`() async throws {
    let container = try makeContainer(.fireballWatch)
    let request = FeedImport(.jpl, from: .file(Fixture.path("fireballs-1.json")))
    let result = try await container.importFeed(request, author: "Fireball Data Import")
    #expect(figures(result) == "5 inserted 0 updated 0 unchanged 0 skipped 5 total")
    #expect(
      try container.history(PersistentHistoryRequest()).transactions.first?.author == "Fireball Data Import")
    let task = Task {
      // The task is cancelled before it gets here, and the import must notice.
      while !Task.isCancelled { await Task.yield() }
      return try await container.importFeed(FeedImport(.jpl, from: .file(Fixture.path("fireballs-2.json"))))
    }
    task.cancel()
    let outcome = await task.result
    #expect(throws: BolideError.self) { try outcome.get() }
    #expect(try container.currentToken().number == 1)
  }
}

import Foundation
import Testing

@Suite(.serialized) struct ImportTests {
  static let stores = ["sqlite:fireballs.sqlite", "lmdb:fireballs.lmdb"]

  @Test(arguments: stores)
  func `each source is one transaction, and a repetition is none`(store: String) async throws {
    try await BolideProgram.inFolder { bolide in
      try bolide.write(Document.fireballs, to: "one.json")
      try bolide.write(Document.moreFireballs, to: "two.json")
      let environment = ["BOLIDE_STORE": store]
      let first = try await bolide("import", "jpl", "one.json", "two.json", environment: environment)
      #expect(first.status == 0, "\(first.errors)")
      #expect(
        first.lines == [
          "one.json  inserted 3  updated 0  unchanged 0  skipped 0  transaction 1",
          "two.json  inserted 1  updated 1  unchanged 0  skipped 0  transaction 2",
        ])
      #expect(first.errors == "")
      let again = try await bolide("import", "jpl", "two.json", environment: environment)
      #expect(again.lines == ["two.json  inserted 0  updated 0  unchanged 2  skipped 0  no transaction"])
      #expect(again.status == 0)
    }
  }

  @Test(arguments: stores)
  func `a model that lacks what the store has is refused`(store: String) async throws {
    try await BolideProgram.inFolder { bolide in
      try bolide.write(Document.fireballs, to: "one.json")
      let first = try await bolide("import", "jpl", "one.json", "--store", store)
      #expect(first.status == 0, "\(first.errors)")
      let run = try await bolide("import", "jpl", "one.json", "--store", store, "--model", "Tasks")
      #expect(run.status != 0)
      #expect(run.errors.hasPrefix("error schema."), "\(run.errors)")
      let count = try await bolide("fetch", "Fireball", "--count", "--store", store)
      #expect(count.output == "3\n", "\(count.errors)")
    }
  }

  @Test func `a store in memory takes an import and keeps nothing`() async throws {
    try await BolideProgram.inFolder { bolide in
      try bolide.write(Document.fireballs, to: "one.json")
      let run = try await bolide("import", "jpl", "one.json", "--store", "memory:")
      #expect(run.lines == ["one.json  inserted 3  updated 0  unchanged 0  skipped 0  transaction 1"])
      #expect(run.status == 0)
      let fetch = try await bolide("fetch", "Fireball", "--store", "memory:")
      #expect(fetch.status == 3)
      #expect(fetch.errors.hasPrefix("error store.missing: "))
    }
  }

  @Test(arguments: stores)
  func `JSON output has the documented keys`(store: String) async throws {
    try await BolideProgram.inFolder { bolide in
      try bolide.write(Document.fireballs, to: "one.json")
      try bolide.write(Document.moreFireballs, to: "two.json")
      let run = try await bolide(
        "import", "jpl", "one.json", "two.json", "two.json", "--store", store, "--json")
      #expect(run.status == 0, "\(run.errors)")
      let objects = run.objects
      try #require(objects.count == 3)
      #expect(objects.map { $0["inserted"] as? Int } == [3, 1, 0])
      #expect(objects.map { $0["updated"] as? Int } == [0, 1, 0])
      #expect(objects.map { $0["unchanged"] as? Int } == [0, 0, 2])
      #expect(objects.map { $0["skipped"] as? Int } == [0, 0, 0])
      #expect(objects.map { $0["total"] as? Int } == [3, 4, 4])
      let tokens = objects.map { $0["token"] as? String }
      #expect(tokens[0] != tokens[1])
      #expect(tokens[1] == tokens[2])
      #expect(tokens[1]?.split(separator: ":").dropFirst().first == "2")
    }
  }

  @Test func `earthquakes go to CatalogQuake, and to Quake when asked for`() async throws {
    try await BolideProgram.inFolder { bolide in
      try bolide.write(Document.quakes, to: "quakes.json")
      let catalog = try await bolide("import", "usgs", "quakes.json", "--store", "sqlite:a", "--json")
      #expect(catalog.status == 0, "\(catalog.errors)")
      #expect(catalog.objects.first?["inserted"] as? Int == 2)
      let sample = try await bolide(
        "import", "usgs", "quakes.json", "--store", "sqlite:b", "--entity", "Quake")
      #expect(sample.status == 0)
      #expect(sample.lines == ["quakes.json  inserted 1  updated 0  unchanged 0  skipped 1  transaction 1"])
      #expect(sample.errors == "quakes.json:1:351: warning: record 2 is skipped: mag: is null\n")
    }
  }

  @Test func `a to-do list is imported again as new items`() async throws {
    try await BolideProgram.inFolder { bolide in
      try bolide.write(Document.todos, to: "todos.json")
      let environment = ["BOLIDE_STORE": "lmdb:todos"]
      for transaction in 1...2 {
        let run = try await bolide("import", "todos", "todos.json", environment: environment)
        #expect(
          run.lines == [
            "todos.json  inserted 2  updated 0  unchanged 0  skipped 0  transaction \(transaction)"
          ])
      }
    }
  }

  /// F5: the second import would store every sighting again if its times depended on the machine.
  @Test func `times do not depend on the time zone or the language`() async throws {
    try await BolideProgram.inFolder { bolide in
      try bolide.write(
        #"{"count":"2","fields":["date","energy"],"data":[["2020-12-11 14:30:00","2.9"],["2021-03-14 02:30:00","4"]]}"#,
        to: "days.json")
      let places = [
        ["TZ": "America/New_York", "LANG": "en_US.UTF-8"], ["TZ": "Asia/Kolkata", "LANG": "fa_IR.UTF-8"],
        ["TZ": "UTC", "LANG": "th_TH.UTF-8"],
      ]
      for (index, place) in places.enumerated() {
        let environment = place.merging(["BOLIDE_STORE": "sqlite:a", "LC_ALL": place["LANG"] ?? ""]) { $1 }
        let run = try await bolide("import", "jpl", "days.json", environment: environment)
        let counts = index == 0 ? "inserted 2  updated 0  unchanged 0" : "inserted 0  updated 0  unchanged 2"
        #expect(run.lines.first?.contains(counts) == true, "\(place) \(run.output)\(run.errors)")
        let fetch = try await bolide(
          "fetch", "Fireball", "--columns", "dateTimeStamp", "--sort", "dateTimeStamp",
          environment: environment)
        #expect(
          fetch.lines == [
            "Fireball#1  2020-12-11T14:30:00Z", "Fireball#2  2021-03-14T02:30:00Z", "2 rows",
          ])
      }
    }
  }

  @Test func `the author is recorded`() async throws {
    try await BolideProgram.inFolder { bolide in
      try bolide.write(Document.fireballs, to: "one.json")
      _ = try await bolide("import", "jpl", "one.json", "--store", "sqlite:a", "--author", "night shift")
      let history = try await bolide("history", "--store", "sqlite:a", "--where", "author == \"night shift\"")
      #expect(history.lines.first?.contains("author \"night shift\"") == true)
      #expect(history.lines.last == "1 transactions  3 changes")
    }
  }

  @Test func `a bad source stops the run, and earlier ones stay`() async throws {
    try await BolideProgram.inFolder { bolide in
      try bolide.write(Document.fireballs, to: "one.json")
      try bolide.write(String(Document.moreFireballs.dropLast(40)), to: "cut.json")
      try bolide.write(Document.moreFireballs, to: "two.json")
      let environment = ["BOLIDE_STORE": "sqlite:a"]
      let run = try await bolide(
        "import", "jpl", "one.json", "cut.json", "two.json", environment: environment)
      #expect(run.status == 2)
      #expect(run.lines == ["one.json  inserted 3  updated 0  unchanged 0  skipped 0  transaction 1"])
      #expect(run.errors.contains("cut.json"))
      let count = try await bolide("fetch", "Fireball", "--count", environment: environment)
      #expect(count.output == "3\n")
    }
  }
}

@Suite(.serialized) struct BadSourceTests {
  static let sources: [(name: String, bytes: [UInt8], status: Int32)] = [
    ("empty.json", [], 2),
    ("page.html", Array("<!DOCTYPE html><html><body>502 Bad Gateway</body></html>".utf8), 2),
    ("cut.json", Array(Document.fireballs.utf8.prefix(180)), 2),
    ("other.json", Array("{\"message\":\"no such parameter\",\"code\":400}".utf8), 2),
    ("noise.bin", (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 / 13) }, 2),
    ("trailing.json", Array((Document.fireballs + "\n{}").utf8), 2),
  ]

  @Test(arguments: sources)
  func `a document that is not the feed is refused whole`(
    source: (name: String, bytes: [UInt8], status: Int32)
  ) async throws {
    try await BolideProgram.inFolder { bolide in
      try bolide.write(Data(source.bytes), to: source.name)
      let run = try await bolide("import", "jpl", source.name, "--store", "sqlite:a")
      #expect(run.status == source.status)
      #expect(run.output == "")
      #expect(run.errors.contains("error feed."), "\(run.errors)")
      #expect(run.errors.contains("to fix: "))
      #expect(run.errors.contains(source.name))
      #expect(!run.errors.unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\n" })
      #expect(!bolide.exists("a"))
      try bolide.write(Document.fireballs, to: "good.json")
      _ = try await bolide("import", "jpl", "good.json", "--store", "sqlite:a")
      let before = try await bolide("dump", "--store", "sqlite:a")
      #expect(try await bolide("import", "jpl", source.name, "--store", "sqlite:a").status == source.status)
      #expect(try await bolide("dump", "--store", "sqlite:a").output == before.output)
    }
  }

  @Test func `a missing file and a folder are store-level errors`() async throws {
    try await BolideProgram.inFolder { bolide in
      for name in ["missing.json", "tmp"] {
        let run = try await bolide("import", "jpl", name, "--store", "sqlite:a")
        #expect(run.status == 3)
        #expect(run.output == "")
        #expect(run.errors.contains("error feed.unreadable: "), "\(run.errors)")
        #expect(run.errors.contains(name))
        #expect(!bolide.exists("a"))
      }
    }
  }

  @Test func `a store of another model is not opened`() async throws {
    try await BolideProgram.inFolder { bolide in
      try bolide.write(Document.fireballs, to: "one.json")
      _ = try await bolide("import", "jpl", "one.json", "--store", "sqlite:a")
      let run = try await bolide("import", "jpl", "one.json", "--store", "sqlite:a", "--model", "Tasks")
      #expect(run.status == 3)
      #expect(run.errors.contains("error schema.mismatch: "), "\(run.errors)")
    }
  }

  @Test func `an unknown model or entity is named`() async throws {
    try await BolideProgram.inFolder { bolide in
      try bolide.write(Document.fireballs, to: "one.json")
      let model = try await bolide(
        "import", "jpl", "one.json", "--store", "sqlite:a", "--model", "FirebalWatch")
      #expect(model.status == 64)
      #expect(model.errors.contains("FireballWatch"))
      let entity = try await bolide("import", "jpl", "one.json", "--store", "sqlite:a", "--entity", "Firebal")
      #expect(entity.status == 64)
      #expect(entity.errors.contains("Firebal"))
      #expect(!bolide.exists("a"))
    }
  }
}

import Foundation
import Testing

/// The commands that look at a store which an import has filled.
@Suite(.serialized) struct StoreCommandTests {
  private static func filled(
    _ store: String, _ body: (BolideProgram, [String: String]) async throws -> Void
  ) async throws {
    try await BolideProgram.inFolder { bolide in
      try bolide.write(Document.fireballs, to: "one.json")
      try bolide.write(Document.moreFireballs, to: "two.json")
      let environment = ["BOLIDE_STORE": store]
      let run = try await bolide("import", "jpl", "one.json", "two.json", environment: environment)
      try #require(run.status == 0, "\(run.errors)")
      try await body(bolide, environment)
    }
  }

  @Test(arguments: ImportTests.stores)
  func `fetch shows rows in order, and a count`(store: String) async throws {
    try await Self.filled(store) { bolide, environment in
      let sorted = try await bolide(
        "fetch", "Fireball", "--where", "impactEnergy >= 0.12", "--sort=-impactEnergy", "--columns",
        "dateTimeStamp,impactEnergy", environment: environment)
      #expect(sorted.errors == "")
      #expect(
        sorted.lines == [
          "Fireball#2  2031-02-03T04:05:06Z  3.5", "Fireball#4  2031-04-05T06:07:08Z  0.3",
          "Fireball#3  2031-03-04T05:06:07Z  0.12", "3 rows",
        ])
      let limited = try await bolide(
        "fetch", "Fireball", "--limit", "1", "--columns", "latitude", environment: environment)
      #expect(limited.lines == ["Fireball#1  10.5", "1 rows"])
      let count = try await bolide(
        "fetch", "Fireball", "--where", "latitude == nil", "--count", environment: environment)
      #expect(count.output == "1\n")
      let nothing = try await bolide("fetch", "FireballGroup", environment: environment)
      #expect(nothing.output == "0 rows\n")
      #expect(nothing.status == 0)
    }
  }

  @Test(arguments: ImportTests.stores)
  func `fetch as JSON gives one object a row`(store: String) async throws {
    try await Self.filled(store) { bolide, environment in
      let run = try await bolide(
        "fetch", "Fireball", "--columns", "latitude,dateTimeStamp,groups", "--json", environment: environment)
      #expect(
        run.lines.first == """
          {"object":"Fireball#1","values":{"dateTimeStamp":"2031-01-02T03:04:05Z","groups":[],"latitude":10.5}}
          """)
      #expect(run.lines.count == 4)
    }
  }

  @Test func `fetch explains how it would find objects`() async throws {
    try await Self.filled("lmdb:a") { bolide, environment in
      let run = try await bolide(
        "fetch", "Fireball", "--where", "latitude>1", "--sort=-latitude", "--limit", "2", "--explain",
        environment: environment)
      #expect(
        run.lines == [
          "scan  Fireball by number", "filter  latitude > 1.0", "sort  -latitude, in memory", "limit  2",
        ])
      let indexed = try await bolide(
        "fetch", "Fireball", "--where", "dateTimeStamp >= 2031-02-01T00:00:00Z", "--sort", "dateTimeStamp",
        "--explain", environment: environment)
      #expect(
        indexed.lines == [
          "scan  Fireball by index dateTimeStamp, from 2031-02-01T00:00:00Z",
          "filter  dateTimeStamp >= 2031-02-01T00:00:00Z", "sort  dateTimeStamp, by the index",
        ])
    }
    try await Self.filled("sqlite:a") { bolide, environment in
      let run = try await bolide(
        "fetch", "Fireball", "--where", "latitude>1", "--sort=-latitude", "--limit", "2", "--explain",
        environment: environment)
      #expect(run.lines.allSatisfy { $0.hasPrefix("store  ") })
      #expect(run.lines.first?.contains(#"WHERE r0."latitude" > ?1 ORDER BY r0."latitude" DESC"#) == true)
      #expect(run.lines.contains("store  USE TEMP B-TREE FOR ORDER BY"))
      let indexed = try await bolide(
        "fetch", "Fireball", "--where", "dateTimeStamp >= 2031-02-01T00:00:00Z", "--sort", "dateTimeStamp",
        "--explain", environment: environment)
      #expect(
        indexed.lines.last
          == "store  SEARCH r0 USING INDEX Fireball_dateTimeStamp (dateTimeStamp>?)", "\(indexed.lines)")
      // What the store cannot be asked is filtered afterwards, and that is shown.
      let members = try await bolide(
        "fetch", "Fireball", "--where", "latitude > 1 AND ANY groups.name == 'x'", "--sort", "latitude",
        "--explain", environment: environment)
      #expect(members.lines.first?.hasPrefix("store  SELECT r0._number FROM") == true, "\(members.lines)")
      #expect(members.lines.contains(#"filter  ANY groups.name == "x""#), "\(members.lines)")
      #expect(members.lines.last == "sort  latitude, in memory")
      let groups = try await bolide(
        "fetch", "Fireball", "--group", "latitude", "--columns", "latitude,@count", "--having",
        "@count > 1", "--explain", environment: environment)
      #expect(groups.lines.first?.contains("count(*)") == true, "\(groups.lines)")
      #expect(groups.lines.last == "having  @count > 1", "\(groups.lines)")
    }
  }

  @Test func `what is asked for must exist and parse`() async throws {
    try await Self.filled("sqlite:a") { bolide, environment in
      let cases: [([String], Int32, String)] = [
        (["fetch", "Firebal"], 64, "schema.unknown-entity"),
        (["fetch", "Fireball", "--columns", "latitud"], 64, "schema.unknown-property"),
        (["fetch", "Fireball", "--sort", "latitud"], 2, "predicate.unknown-path"),
        (["fetch", "Fireball", "--where", "latitude >="], 2, "predicate."),
        (["fetch", "Fireball", "--where", "latitud > 1"], 2, "predicate."),
        (["fetch", "Fireball", "--where", "latitude == \"north\""], 2, "predicate."),
        (["history", "--after", "yesterday"], 64, "usage.wrong-value"),
        (["history", "--where", "auhtor == \"x\""], 2, "predicate."),
        (
          ["history", "--after", "11111111-2222-4333-8444-555555555555:1:00000000000000aa"], 3,
          "token-foreign"
        ),
      ]
      for (arguments, status, code) in cases {
        let run = try await bolide(all: arguments, environment: environment)
        #expect(run.status == status, "\(arguments) \(run.errors)")
        #expect(run.errors.contains(code), "\(arguments) \(run.errors)")
        #expect(run.output == "", "\(arguments)")
      }
    }
  }

  @Test(arguments: ImportTests.stores)
  func `history shows transactions after a place`(store: String) async throws {
    try await Self.filled(store) { bolide, environment in
      let all = try await bolide("history", environment: environment)
      #expect(all.lines.last == "2 transactions  5 changes")
      #expect(all.lines.contains("  update Fireball#2  radiatedEnergy"))
      #expect(all.lines.contains("  insert Fireball#4"))
      let later = try await bolide("history", "--after", "1", environment: environment)
      #expect(later.lines.last == "1 transactions  2 changes")
      let json = try await bolide("history", "--json", environment: environment)
      #expect(json.objects.compactMap { $0["number"] as? Int } == [1, 2])
      let token = try #require(json.objects.last?["token"] as? String)
      let none = try await bolide("history", "--after", token, environment: environment)
      #expect(none.lines == ["0 transactions  0 changes"])
      #expect(none.status == 0)
    }
  }

  @Test(arguments: ImportTests.stores)
  func `inspect and check tell of a store that is as it should be`(store: String) async throws {
    try await Self.filled(store) { bolide, environment in
      let inspect = try await bolide("inspect", environment: environment)
      #expect(inspect.status == 0, "\(inspect.errors)")
      #expect(inspect.lines.contains("history  transactions 1 to 2"))
      #expect(inspect.lines.contains("Fireball  4 rows"))
      #expect(inspect.lines.contains("  unique dateTimeStamp"))
      let json = try await bolide("inspect", "--json", environment: environment)
      #expect(json.objects.count == 1)
      let history = json.objects.first?["history"] as? [String: Int]
      #expect(history == ["first": 1, "last": 2])
      let entities = json.objects.first?["entities"] as? [String: [String: Any]]
      #expect(entities?["Fireball"]?["count"] as? Int == 4)
      #expect(entities?["Fireball"]?["unique"] as? [[String]] == [["dateTimeStamp"]])
      let check = try await bolide("check", environment: environment)
      #expect(check.output == "consistent\n")
      #expect(check.status == 0)
    }
  }

  @Test func `dumps of equal contents are equal on both kinds of store`() async throws {
    try await Self.filled("sqlite:a") { bolide, environment in
      _ = try await bolide("import", "jpl", "one.json", "two.json", "--store", "lmdb:b")
      let one = try await bolide("dump", environment: environment)
      let two = try await bolide("dump", "--store", "lmdb:b")
      #expect(one.status == 0, "\(one.errors)")
      #expect(one.output == two.output)
      #expect(one.lines.count > 6)
      #expect(!one.lines.contains(""))
    }
  }

  @Test(arguments: ["fetch Fireball", "history", "inspect", "check", "dump"])
  func `a store that is not there is not made`(command: String) async throws {
    try await BolideProgram.inFolder { bolide in
      for store in ["sqlite:none", "lmdb:none"] {
        let words = command.split(separator: " ").map(String.init) + ["--store", store]
        let run = try await bolide(all: words)
        #expect(run.status == 3)
        #expect(run.output == "")
        #expect(run.errors.hasPrefix("error store.missing: "), "\(run.errors)")
        #expect(!bolide.exists("none"))
      }
    }
  }

  @Test func `a file that is no store is refused and left alone`() async throws {
    try await BolideProgram.inFolder { bolide in
      try bolide.write("just a letter to somebody\n", to: "letter")
      try bolide.write(Document.fireballs, to: "one.json")
      for store in ["sqlite:letter", "lmdb:letter"] {
        let dump = try await bolide("dump", "--store", store)
        #expect(dump.status == 3, "\(dump.errors)")
        #expect(dump.errors.hasPrefix("error store."), "\(dump.errors)")
        let written = try await bolide("import", "jpl", "one.json", "--store", store)
        #expect(written.status == 3)
      }
      #expect(try bolide.text(of: "letter") == "just a letter to somebody\n")
    }
  }
}

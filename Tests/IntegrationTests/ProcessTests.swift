import Foundation
import Testing

/// Several processes on one store.
@Suite(.serialized) struct ProcessTests {
  @Test(arguments: ImportTests.stores)
  func `processes that write at once take turns`(store: String) async throws {
    try await BolideProgram.inFolder { bolide in
      for index in 0..<4 { try bolide.write(Self.fireballs(1_000, from: index * 700), to: "\(index).json") }
      // The store is there first, so that all of them meet in it.
      _ = try await bolide("import", "jpl", "0.json", "--store", store)
      let runs = try await withThrowingTaskGroup(of: BolideProgram.Run.self) { group in
        for index in 1..<4 {
          group.addTask { try await bolide("import", "jpl", "\(index).json", "--store", store) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      for run in runs { #expect(run.status == 0, "\(run.errors)") }
      let transactions = runs.compactMap { $0.lines.first?.split(separator: " ").last.map(String.init) }
      #expect(Set(transactions) == ["2", "3", "4"])
      #expect(try await bolide("fetch", "Fireball", "--count", "--store", store).output == "3100\n")
      #expect(try await bolide("check", "--store", store).output == "consistent\n")
    }
  }

  @Test(arguments: ImportTests.stores)
  func `a killed import leaves whole transactions or nothing`(store: String) async throws {
    try await BolideProgram.inFolder { bolide in
      try bolide.write(Document.fireballs, to: "first.json")
      try bolide.write(Self.fireballs(4_000, from: 0), to: "large.json")
      _ = try await bolide("import", "jpl", "first.json", "--store", store)
      let run = try await bolide(
        all: ["import", "jpl", "large.json", "--store", store],
        whileRunning: { process in kill(process.processIdentifier, SIGKILL) })
      #expect(run.wasKilled)
      let count = try await bolide("fetch", "Fireball", "--count", "--store", store)
      #expect(["3\n", "4003\n"].contains(count.output), "\(count.output)\(count.errors)")
      #expect(try await bolide("check", "--store", store).output == "consistent\n")
      let again = try await bolide("import", "jpl", "large.json", "--store", store)
      #expect(again.status == 0, "\(again.errors)")
      #expect(try await bolide("fetch", "Fireball", "--count", "--store", store).output == "4003\n")
    }
  }

  /// H-1, H-7, H-8: who writes and who follows are processes of their own.
  @Test(arguments: ImportTests.stores)
  func `a process that follows is told of each transaction of others, and who wrote it`(store: String)
    async throws
  {
    try await BolideProgram.inFolder { bolide in
      for index in 0..<4 { try bolide.write(Self.fireballs(3, from: index * 2), to: "\(index).json") }
      var writers: [Int] = []
      func write(_ index: Int) async throws {
        let run = try await bolide(
          all: ["import", "jpl", "\(index).json", "--author", "writer \(index)", "--store", store],
          whileRunning: { writers.append(Int($0.processIdentifier)) })
        #expect(run.status == 0, "\(run.errors)")
      }
      try await write(0)
      let follower = try await bolide(
        all: ["history", "--follow", "view", "--limit", "4", "--json", "--store", store],
        whileRunning: { _ in
          // Once it asks for the second, it waits to be told of it.
          while try await Self.position(of: "view", in: bolide, store) != 1 {}
          for index in 1..<4 { try await write(index) }
        })
      #expect(follower.status == 0, "\(follower.errors)")
      let transactions = follower.objects
      #expect(transactions.map { $0["number"] as? Int } == [1, 2, 3, 4])
      #expect(transactions.map { $0["author"] as? String } == (0..<4).map { "writer \($0)" })
      #expect(transactions.map { $0["processName"] as? String } == Array(repeating: "bolide", count: 4))
      #expect(transactions.map { $0["processID"] as? Int } == writers)
      #expect(Set(writers).count == 4)
      // Each meets the last sighting of the one before, which stays as it was.
      #expect(transactions.map { ($0["changes"] as? [Any])?.count } == [3, 2, 2, 2])
      #expect(try await Self.position(of: "view", in: bolide, store) == 4)
      // What was seen does not come again.
      try await write(3)
      let next = try await bolide(
        all: ["history", "--follow", "view", "--limit", "1", "--store", store],
        whileRunning: { _ in
          let document = Self.fireballs(1, from: 900)
          try bolide.write(document, to: "last.json")
          _ = try await bolide("import", "jpl", "last.json", "--author", "last", "--store", store)
        })
      #expect(try #require(next.lines.first).hasPrefix("transaction 5"))
      #expect(try #require(next.lines.first).contains("author \"last\""))
    }
  }

  /// How far a consumer has come.
  private static func position(
    of consumer: String, in bolide: BolideProgram, _ store: String
  ) async throws -> Int? {
    let run = try await bolide("inspect", "--json", "--store", store)
    let consumers = run.objects.first?["consumers"] as? [[String: Any]]
    return consumers?.first { $0["name"] as? String == consumer }?["position"] as? Int
  }

  /// A document of fireballs, one a minute of the year 2032 and later.
  private static func fireballs(_ count: Int, from first: Int) -> String {
    let rows = (first..<first + count).map { index in
      let (day, minute) = (index / 1_440, index % 1_440)
      let date = "20\(32 + day / 28 / 12)-\(two(day / 28 % 12 + 1))-\(two(day % 28 + 1))"
      return "[\"\(date) \(two(minute / 60)):\(two(minute % 60)):00\",\"\(index).5\",\"0.1\"]"
    }
    return
      "{\"count\":\(count),\"fields\":[\"date\",\"energy\",\"impact-e\"],\"data\":[\(rows.joined(separator: ","))]}"
  }

  private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

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

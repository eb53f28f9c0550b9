import Foundation
import Testing

/// Processes that are killed, and processes that write and follow at once (rules S-1, S-3, H-7, H-8).
@Suite struct TortureTests {
  /// S9 and S7: writers killed at any moment, now and then with a full disk.
  @Test(arguments: ["sqlite", "lmdb"])
  func `nothing acknowledged is lost when writers are killed`(store: String) async throws {
    try await BolideProgram.inFolder { bolide in
      let run = try await bolide("torture", "--store", store, "--kills", "5", "--json")
      #expect(run.status == 0, "\(run.output)\(run.errors)")
      let figures = try #require(run.objects.first)
      #expect(figures["kills"] as? Int == 5)
      #expect(figures["differences"] as? Int == 0)
      #expect(figures["acknowledged"] as? Int ?? 0 > 5)
      #expect(bolide.leftovers.isEmpty)
    }
  }

  @Test(arguments: ["sqlite", "lmdb"])
  func `a migration that is killed leaves the old store or the new one, whole`(store: String) async throws {
    try await BolideProgram.inFolder { bolide in
      let run = try await bolide("torture", "--store", store, "--migrations", "10", "--json")
      #expect(run.status == 0, "\(run.output)\(run.errors)")
      let figures = try #require(run.objects.first)
      #expect(figures["kills"] as? Int == 10)
      #expect(figures["differences"] as? Int == 0)
      // One process ends itself before the first call, another before the last, which comes after the commit.
      #expect(figures["unchanged"] as? Int ?? 0 > 0)
      #expect(figures["migrated"] as? Int ?? 0 > 0)
      #expect(figures["calls"] as? Int ?? 0 > 50)
      #expect(bolide.leftovers.isEmpty)
    }
  }

  /// S2: processes write at once while others read all the time.
  @Test(arguments: ["sqlite", "lmdb"])
  func `followers miss nothing of what several processes write`(store: String) async throws {
    try await BolideProgram.inFolder { bolide in
      let run = try await bolide("torture", "--store", store, "--crowd", "15", "--json")
      #expect(run.status == 0, "\(run.output)\(run.errors)")
      let figures = try #require(run.objects.first)
      #expect(figures["transactions"] as? Int == 60)
      #expect(figures["differences"] as? Int == 0)
    }
  }

  @Test(arguments: ["sqlite", "lmdb"])
  func `history that is purged behind lagging consumers takes no more and more room`(store: String)
    async throws
  {
    try await BolideProgram.inFolder { bolide in
      let run = try await bolide("torture", "--store", store, "--purges", "600", "--json")
      #expect(run.status == 0, "\(run.output)\(run.errors)")
      let figures = try #require(run.objects.first)
      #expect(figures["transactions"] as? Int == 600)
      #expect(figures["differences"] as? Int == 0)
      #expect(figures["recordsRead"] as? Int == figures["transactionsFetched"] as? Int)
      #expect(figures["dropped"] as? Int ?? 0 > 300)
    }
  }

  @Test(arguments: ["sqlite", "lmdb"])
  func `each call that fails is told and leaves a whole store`(store: String) async throws {
    try await BolideProgram.inFolder { bolide in
      let run = try await bolide("torture", "--store", store, "--faults")
      #expect(run.status == 0, "\(run.output)\(run.errors)")
      for operation in ["make", "open", "close", "import", "save", "batch update", "batch delete", "purge"] {
        #expect(
          run.lines.contains { $0.hasPrefix("\(operation): ") && !$0.contains(" 0 points") }, "\(operation)")
      }
      #expect(bolide.leftovers.isEmpty)
    }
  }

  @Test func `the oracle finds no difference and says what it did`() async throws {
    try await BolideProgram.inFolder { bolide in
      let run = try await bolide("oracle", "--operations", "100", "--seed", "3", "--stores", "memory")
      #expect(run.status == 0, "\(run.output)\(run.errors)")
      #expect(try #require(run.lines.last).hasPrefix("100 operations, "))
      #expect(!bolide.exists("oracle.scenario"))
    }
  }
}

import Foundation
import Testing

/// The capture of a month, where there is one.
private enum Month {
  static let path: String? = {
    guard let folder = ProcessInfo.processInfo.environment["BOLIDE_FEEDS"] else { return nil }
    let path = URL(filePath: folder).appending(path: "usgs-all_month-2021-06-14.csv").path
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }()
}

/// A real month of quakes, asked on the command line: the same rows from all stores, and the plan of each.
@Suite(.enabled(if: Month.path != nil, "BOLIDE_FEEDS names no folder with a month of quakes"), .serialized)
struct MonthOfQuakesTests {
  private static let strongest = [
    "--where",
    "latitude BETWEEN {32, 42} AND longitude BETWEEN {-125, -114} AND time >= 2021-06-01 AND time < 2021-06-08",
    "--sort=-magnitude,time", "--limit", "10", "--columns", "magnitude",
  ]
  private static let perNetwork = ["--group", "net", "--columns", "net,@count", "--sort=-@count,net"]
  private static let depths = [
    "--group", "magType", "--columns", "magType,@count,depth.@avg", "--sort", "magType",
  ]

  @Test func `the same rows from all stores, by the plan of each`() async throws {
    let month = try #require(Month.path)
    try await BolideProgram.inFolder { bolide in
      for store in ["sqlite:month.sqlite", "lmdb:month.lmdb"] {
        let run = try await bolide("import", "usgs-csv", month, "--store", store)
        #expect(run.output.contains("inserted 12656 "), "\(run.errors)")
      }
      func fetch(_ store: String, _ arguments: [String]) async throws -> [String] {
        let source = store == "memory:" ? ["--from", "usgs-csv:\(month)"] : []
        let run = try await bolide(all: ["fetch", "CatalogQuake", "--store", store] + source + arguments)
        #expect(run.status == 0, "\(run.errors)")
        return run.lines
      }
      let stores = ["memory:", "sqlite:month.sqlite", "lmdb:month.lmdb"]
      for store in stores {
        let strongest = try await fetch(store, Self.strongest)
        #expect(strongest.count == 11 && strongest[0] == "CatalogQuake#4585  5.25", "\(store) \(strongest)")
        #expect(strongest[9] == "CatalogQuake#5597  3.62", "\(store) \(strongest)")
        let networks = try await fetch(store, Self.perNetwork)
        #expect(
          networks.prefix(2) == [#""ci"  3331"#, #""ak"  1985"#] && networks.count == 16, "\(networks)")
        let depths = try await fetch(store, Self.depths)
        #expect(depths.count == 10 && depths[1] == #""mb"  908  83.48377753303964"#, "\(store) \(depths)")
        #expect(strongest == (try await fetch(stores[0], Self.strongest)))
        #expect(networks == (try await fetch(stores[0], Self.perNetwork)))
        #expect(depths == (try await fetch(stores[0], Self.depths)))

        let plan = try await fetch(store, Self.strongest + ["--explain"])
        let groups = try await fetch(store, Self.perNetwork + ["--explain"])
        if store.hasPrefix("sqlite") {
          #expect(plan.allSatisfy { $0.hasPrefix("store  ") }, "\(plan)")
          #expect(groups.contains { $0.contains("GROUP BY") }, "\(groups)")
        } else {
          #expect(plan.first == "scan  CatalogQuake by number", "\(plan)")
          #expect(plan.last == "limit  10", "\(plan)")
          #expect(groups.contains("group  net"), "\(groups)")
        }
      }
    }
  }
}

// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]
let strictC: [CSetting] = [.treatAllWarnings(as: .error)]

/// A Swift library target with the settings every target of ours has.
func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

let sqlite: Target.Dependency = .target(name: "BolideSQLite", condition: .when(traits: ["SQLite"]))
let lmdb: Target.Dependency = .target(name: "BolideLMDB", condition: .when(traits: ["LMDB"]))

let package = Package(
  name: "bolide",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Bolide", targets: ["Bolide", "BolideStorage"]),
    .library(name: "BolideStorage", targets: ["BolideStorage"]),
    .library(name: "BolideMemory", targets: ["BolideMemory"]),
    .library(name: "BolideSQLite", targets: ["BolideSQLite"]),
    .library(name: "BolideLMDB", targets: ["BolideLMDB"]),
    .library(name: "BolideFeeds", targets: ["BolideFeeds"]),
    .library(name: "BolidePreview", targets: ["BolidePreview"]),
    .library(name: "BolideConformance", targets: ["BolideConformance"]),
    .library(name: "BolideScenario", targets: ["BolideScenario"]),
    .library(name: "BolideTesting", targets: ["BolideTesting"]),
    .executable(name: "bolide", targets: ["BolideCommand"]),
    .executable(name: "bolide-bench", targets: ["BolideBenchmarks"]),
  ],
  traits: [
    .trait(name: "SQLite", description: "BolideTesting runs on the SQLite store too."),
    .trait(name: "LMDB", description: "BolideTesting runs on the LMDB store too."),
    .default(enabledTraits: ["SQLite", "LMDB"]),
  ],
  targets: [
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .systemLibrary(
      name: "CLMDB", pkgConfig: "lmdb",
      providers: [.apt(["liblmdb-dev"]), .brew(["lmdb"])]),

    .systemLibrary(name: "CSwiftRuntime"),
    library("BolideStorage"),
    library("BolideMemory", ["BolideStorage"]),
    library("BolideSQLite", ["BolideStorage", "CSQLite"]),
    library("BolideLMDB", ["BolideStorage", "CLMDB"]),
    library("Bolide", ["BolideStorage", "CSwiftRuntime"]),
    library("BolideFeeds", ["Bolide"]),
    library("BolidePreview", ["Bolide", "BolideMemory", "BolideFeeds"]),
    library("BolideConformance", ["Bolide", "BolidePreview", "BolideFeeds", "BolideMemory"]),
    library("BolideTesting", ["BolideConformance", "BolidePreview", "BolideMemory", sqlite, lmdb]),
    library("CommandKit"),
    library(
      "BolideScenario", ["Bolide", "BolideFeeds", "BolidePreview", "BolideConformance", "CommandKit"]),
    .executableTarget(
      name: "BolideCommand",
      dependencies: [
        "Bolide", "BolideMemory", "BolideSQLite", "BolideLMDB", "BolideFeeds", "BolidePreview",
        "BolideConformance", "BolideScenario", "CommandKit",
      ],
      swiftSettings: strict),
    .target(name: "CComparators", dependencies: ["CSQLite", "CLMDB"], cSettings: strictC),
    .executableTarget(
      name: "BolideBenchmarks",
      dependencies: [
        "Bolide", "BolideMemory", "BolideSQLite", "BolideLMDB", "BolideFeeds", "BolidePreview",
        "CommandKit", "CComparators",
      ],
      swiftSettings: strict),

    tests("BolideStorageTests", ["BolideStorage"]),
    tests("BolideMemoryTests", ["BolideMemory", "BolideConformance"]),
    tests("BolideSQLiteTests", ["BolideSQLite", "BolideConformance"]),
    tests("BolideLMDBTests", ["BolideLMDB", "BolideConformance"]),
    tests("BolideTests", ["Bolide", "BolideMemory"]),
    tests(
      "BolideFeedsTests", ["BolideFeeds", "BolidePreview", "BolideMemory", "BolideSQLite", "BolideLMDB"]),
    tests("BolidePreviewTests", ["BolidePreview"]),
    tests("BolideConformanceTests", ["BolideConformance", "BolideTesting"]),
    tests(
      "BolideScenarioTests",
      [
        "BolideScenario", "BolideConformance", "BolideSQLite", "BolideLMDB", "BolideMemory", "CommandKit",
      ]),
    tests("BolideBenchmarksTests", ["BolideBenchmarks", "CommandKit"]),
    tests("CommandKitTests", ["CommandKit"]),
    // The snippets are compiled by the tests, which expect that most of them are refused.
    .testTarget(
      name: "CompileTests", dependencies: ["Bolide"], exclude: ["Snippets"], swiftSettings: strict),
    tests("IntegrationTests", ["BolideStorage"]),
  ],
  swiftLanguageModes: [.v6]
)

import Foundation
import Testing

@testable import BolideBenchmarks

/// The built program, run as people run it.
@Suite struct ProgramTests {
  private static let folder: URL = {
    let bundle =
      Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
      ?? Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
    return bundle.deletingLastPathComponent()
  }()

  private func run(
    _ arguments: [String], path: String? = nil
  ) throws -> (status: Int32, output: String, errors: String) {
    let process = Process()
    process.executableURL = Self.folder.appending(path: "bolide-bench")
    process.arguments = arguments
    if let path {
      process.environment = ProcessInfo.processInfo.environment.merging(["PATH": path]) { _, new in new }
    }
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let said = output.fileHandleForReading.readDataToEndOfFile()
    let complained = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (
      process.terminationStatus, String(decoding: said, as: UTF8.self),
      String(decoding: complained, as: UTF8.self)
    )
  }

  @Test func `help names every job`() throws {
    let help = try run(["--help"])
    #expect(help.status == 0)
    for job in Job.allCases { #expect(help.output.contains("\n  \(job.rawValue) "), "\(job.rawValue)") }
  }

  @Test func `a comparison in processes of its own prints one JSON array`() throws {
    let result = try run(
      ["--job", "import,startup", "--store", "memory", "--rows", "50", "--pairs", "2", "--json"])
    #expect(result.status == 0, "\(result.errors)")
    let value = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
    let members = try #require(value as? [[String: Any]])
    #expect(members.map { $0["job"] as? String } == ["import", "startup"])
    #expect(members[0]["rows"] as? Int == 50 && members[0]["ratio"] is Double)
    #expect(members[1]["ratio"] == nil && members[1]["secondsEach"] is Double)
  }

  @Test func `growth writes a picture`() throws {
    let picture = FileManager.default.temporaryDirectory.appending(path: "growth-\(UUID().uuidString).svg")
    defer { try? FileManager.default.removeItem(at: picture) }
    let result = try run([
      "--growth", "--job", "import", "--store", "sqlite", "--from", "20", "--rows", "60", "--pairs", "1",
      "--plot",
      picture.path,
    ])
    #expect(result.status == 0, "\(result.errors)")
    let lines = result.output.split(separator: "\n").filter { $0.hasPrefix("import") }
    #expect(lines.count == 3, "two sizes and the growth between them")
    #expect(try String(contentsOf: picture, encoding: .utf8).hasPrefix("<svg "))
  }

  @Test func `without valgrind instructions are refused, saying so`() throws {
    let result = try run(["--instructions", "--job", "import", "--store", "memory"], path: "/nowhere")
    #expect(result.status == 3)
    #expect(result.output.isEmpty && result.errors.contains("bench.no-valgrind"))
  }

  @Test(arguments: [
    ["--growth", "--instructions"], ["--plot", "growth.svg"], ["--job", "nothing"], ["--rows", "0"],
    ["--layer", "storage", "--job", "preview"],
  ])
  func `what cannot be done is refused before anything runs`(_ arguments: [String]) throws {
    let result = try run(arguments)
    #expect(result.status == 64, "\(result.errors)")
    #expect(result.output.isEmpty)
  }
}

import Foundation

/// The built executable, run as its users run it: arguments in, status and two streams out.
struct BolideProgram {
  struct Run {
    let status: Int32
    /// Whether a signal ended the process instead of `exit`.
    let wasKilled: Bool
    let output: String
    let errors: String

    /// The lines of standard output.
    var lines: [String] {
      output.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    /// The JSON objects of standard output, one a line.
    var objects: [[String: Any]] {
      lines.compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
    }
  }

  /// A folder of its own, in which the program runs and where it puts its temporary files.
  let folder: URL

  /// The executable stands beside the test bundle.
  static let executable: URL = {
    let bundle =
      Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
      ?? Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
    return bundle.deletingLastPathComponent().appending(path: "bolide")
  }()

  /// Gives `body` a program with a fresh folder, which is removed afterwards.
  static func inFolder<Result>(_ body: (BolideProgram) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "bolide-integration-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder.appending(path: "tmp"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(BolideProgram(folder: folder))
  }

  /// What the program left in its folder for temporary files.
  var leftovers: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "tmp").path)) ?? []
  }

  /// Writes a file into the folder.
  func write(_ text: String, to name: String) throws {
    try write(Data(text.utf8), to: name)
  }

  func write(_ data: Data, to name: String) throws {
    let url = folder.appending(path: name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
  }

  func text(of name: String) throws -> String {
    try String(contentsOf: folder.appending(path: name), encoding: .utf8)
  }

  func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: folder.appending(path: name).path)
  }

  /// Runs the program to its end.
  func callAsFunction(_ arguments: String..., environment: [String: String] = [:]) async throws -> Run {
    try await self(all: arguments, environment: environment)
  }

  /// Runs the program to its end.
  ///
  /// - Parameters:
  ///   - output: Where standard output goes instead of the result.
  ///   - whileRunning: Is given the process once it runs.
  func callAsFunction(
    all arguments: [String], environment: [String: String] = [:], output: FileHandle? = nil,
    whileRunning: (Process) async throws -> Void = { _ in }
  ) async throws -> Run {
    let streams = folder.appending(path: "streams-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: streams, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: streams) }
    let outputFile = streams.appending(path: "output")
    let errorFile = streams.appending(path: "errors")
    for file in [outputFile, errorFile] { try Data().write(to: file) }

    let process = Process()
    process.executableURL = Self.executable
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.environment = [
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin",
      "TMPDIR": folder.appending(path: "tmp").path,
    ].merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try output ?? FileHandle(forWritingTo: outputFile)
    process.standardError = try FileHandle(forWritingTo: errorFile)

    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    process.terminationHandler = { _ in end.finish() }
    try process.run()
    try await whileRunning(process)
    for await _ in ends {}
    return Run(
      status: process.terminationStatus, wasKilled: process.terminationReason == .uncaughtSignal,
      output: try String(contentsOf: outputFile, encoding: .utf8),
      errors: try String(contentsOf: errorFile, encoding: .utf8))
  }
}

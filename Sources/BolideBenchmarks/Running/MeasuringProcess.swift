import CommandKit
import Foundation

/// Runs a measurement in a process of its own, so that runs share no allocator, no cache and no peak.
enum MeasuringProcess {
  /// The longest a run may take, in seconds: a quarter of an hour, or more where there are many rows.
  static func timeLimit(rows: Int) -> Double { max(900, Double(rows) * 300e-6) }

  /// Runs the request and waits for it.
  ///
  /// - Throws: ``BenchmarkFailure`` when the run fails, prints something else than a measurement, or takes too long.
  static func run(_ request: RunRequest, _ interruption: Interruption) throws -> RunMeasurement {
    guard let executable = Bundle.main.executableURL else {
      throw BenchmarkFailure("the file of this program is not known")
    }
    let data = try wait(
      executable, request.arguments, request.label, seconds: timeLimit(rows: request.rows), interruption)
    return try measurement(in: data, request.label)
  }

  /// The measurement that a process printed.
  static func measurement(in data: Data, _ label: String) throws -> RunMeasurement {
    do {
      return try JSONDecoder().decode(RunMeasurement.self, from: data)
    } catch {
      throw BenchmarkFailure("\(label) printed no measurement")
    }
  }

  /// Runs a program and returns what it printed.
  ///
  /// - Throws: ``BenchmarkFailure`` when it fails or takes longer than `seconds`.
  @discardableResult
  static func wait(
    _ executable: URL, _ arguments: [String], _ label: String, seconds: Double, _ interruption: Interruption
  ) throws -> Data {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let identifier = process.processIdentifier
    let key = interruption.atEnd { kill(identifier, SIGKILL) }
    defer { interruption.forget(key) }
    let limit = DispatchWorkItem { kill(identifier, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: limit)
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    limit.cancel()
    guard process.terminationReason == .exit else {
      throw BenchmarkFailure("\(label) was ended by signal \(process.terminationStatus)")
    }
    guard process.terminationStatus == 0 else { throw BenchmarkFailure("\(label) failed") }
    return data
  }
}

extension RunRequest {
  /// The run in words.
  var label: String { "\(job.rawValue) on \(store.rawValue) by \(side.rawValue)" }

  /// Measures here and prints the measurement for the process that asked.
  func answer() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    FileHandle.standardOutput.write(try encoder.encode(measure()))
  }
}

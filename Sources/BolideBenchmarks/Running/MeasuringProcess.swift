import CommandKit
import Foundation

/// Runs a measurement in a process of its own, so that runs share no allocator, no cache and no peak.
enum MeasuringProcess {
  /// The longest one run may take, in seconds.
  static let timeLimit = 900.0

  /// Runs the request and waits for it.
  ///
  /// - Throws: ``BenchmarkFailure`` when the run fails, prints something else than a measurement, or takes
  ///   longer than ``timeLimit``.
  static func run(_ request: RunRequest, _ interruption: Interruption) throws -> Measurement {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = request.arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let identifier = process.processIdentifier
    let key = interruption.atEnd { kill(identifier, SIGKILL) }
    defer { interruption.forget(key) }
    let limit = DispatchWorkItem { kill(identifier, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + timeLimit, execute: limit)
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    limit.cancel()
    guard process.terminationReason == .exit else {
      throw BenchmarkFailure("\(request.label) was ended by signal \(process.terminationStatus)")
    }
    guard process.terminationStatus == 0 else {
      throw BenchmarkFailure("\(request.label) failed")
    }
    do {
      return try JSONDecoder().decode(Measurement.self, from: data)
    } catch {
      throw BenchmarkFailure("\(request.label) printed no measurement")
    }
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

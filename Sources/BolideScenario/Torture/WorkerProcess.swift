import Foundation

/// A process that this program starts of itself, and what it says, line by line.
package final class WorkerProcess {
  /// The environment variable that tells a process its part.
  package static let variable = "BOLIDE_TORTURE_PART"

  private let process = Process()
  private let output = Pipe()
  private var buffer: [UInt8] = []

  /// Starts a process.
  ///
  /// - Throws: the system's error when it cannot be started.
  package init(_ executable: URL, _ arguments: [String], part: String) throws {
    process.executableURL = executable
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging([Self.variable: part]) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    try process.run()
  }

  /// Says a line to the process that started this one; false when it is gone.
  static func say(_ line: String) -> Bool {
    let bytes = Array((line + "\n").utf8)
    // One call, so that a kill leaves a whole line or none.
    return write(STDOUT_FILENO, bytes, bytes.count) == bytes.count
  }

  /// The next line; waits for it, `nil` at the end.
  func nextLine() -> String? {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffer.removeSubrange(...end) }
        return String(decoding: buffer[..<end], as: UTF8.self)
      }
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { return nil }
      buffer += data
    }
  }

  var isRunning: Bool { process.isRunning }

  func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

  /// What it still says; waits until it has ended.
  func remainder() -> [String] {
    var lines: [String] = []
    while let line = nextLine() { lines.append(line) }
    process.waitUntilExit()
    return lines
  }

  /// Whether it ended by itself and well; asked after ``remainder()``.
  var hasSucceeded: Bool { process.terminationReason == .exit && process.terminationStatus == 0 }

  /// Whether ``kill()`` ended it and nothing before that; asked after ``remainder()``.
  var wasKilled: Bool { process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGKILL }

  /// How it ended, for people; asked after ``remainder()``.
  var end: String {
    (process.terminationReason == .exit ? "status " : "signal ") + String(process.terminationStatus)
  }
}

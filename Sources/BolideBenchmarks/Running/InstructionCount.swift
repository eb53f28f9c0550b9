import CommandKit
import Foundation

/// Instructions counted by valgrind's callgrind, where the clock is too coarse or the machine too busy.
///
/// Only what stands between the marks of a timed part is counted, so neither making the records nor checking the content.
/// A run with N and one with 3 N records give the cost of a record without what does not grow.
struct InstructionCounter {
  /// valgrind on the search path; `nil` where it is not installed.
  static var valgrind: URL? { program("valgrind") }

  private let valgrind: URL
  /// This program without debugging information, which older versions of valgrind cannot read.
  private let executable: URL
  private let interruption: Interruption

  /// - Throws: ``BenchmarkFailure`` where this program cannot be copied.
  init(valgrind: URL, folder: URL, _ interruption: Interruption) throws {
    self.valgrind = valgrind
    self.interruption = interruption
    guard let own = Bundle.main.executableURL else {
      throw BenchmarkFailure("the file of this program is not known")
    }
    executable = folder.appending(path: "bolide-bench")
    if let strip = Self.program("strip") {
      try MeasuringProcess.wait(
        strip, ["-g", "-o", executable.path, own.path], "strip", seconds: 60, interruption)
    } else {
      try FileManager.default.copyItem(at: own, to: executable)
    }
  }

  private static func program(_ name: String) -> URL? {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").map { URL(filePath: String($0)).appending(path: name) }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  /// Counts one run.
  func count(_ request: RunRequest) throws -> (instructions: UInt64, measurement: RunMeasurement) {
    let output = URL(filePath: request.folder).appending(path: "callgrind")
    // Each end of a timed part writes a file of its own, numbered from 1, with what was counted since its start.
    let data = try MeasuringProcess.wait(
      valgrind,
      [
        "--tool=callgrind", "-q", "--zero-before=cmp_start", "--dump-before=cmp_stop",
        "--callgrind-out-file=\(output.path)", executable.path,
      ] + request.arguments, "\(request.label) under valgrind", seconds: 3_600, interruption)
    let measurement = try MeasuringProcess.measurement(in: data, request.label)
    var total: UInt64 = 0
    var part = measurement.partsBefore + 1
    while let text = try? String(contentsOfFile: "\(output.path).\(part)", encoding: .utf8) {
      total += Self.total(of: text) ?? 0
      part += 1
    }
    guard total > 0 else {
      throw BenchmarkFailure("\(request.label): valgrind counted nothing")
    }
    return (total, measurement)
  }

  /// The number of instructions in callgrind's file.
  static func total(of text: String) -> UInt64? {
    for line in text.split(separator: "\n").reversed() {
      for name in ["totals:", "summary:"] where line.hasPrefix(name) {
        return UInt64(line.dropFirst(name.count).trimmingPrefix { $0 == " " }.prefix { $0.isNumber })
      }
    }
    return nil
  }
}

/// What a record costs on both sides, in instructions.
struct InstructionCount: Sendable {
  var job: Job
  var store: StoreKind
  var rows: Int
  /// Instructions of our side for one of what is counted.
  var ours: Double
  /// `nil` where there is no other side.
  var theirs: Double?

  /// Theirs to ours, so that as with rates more is better.
  var ratio: Double? { theirs.map { $0 / max(ours, 1) } }

  /// Counts both sides with `rows` and three times as many.
  static func run(
    _ plan: ComparisonPlan, by counter: InstructionCounter, console: Console
  ) async throws -> InstructionCount {
    var costs: [Double] = []
    var seen: [[RunMeasurement]] = []
    for side in plan.sides {
      var runs: [(instructions: UInt64, measurement: RunMeasurement)] = []
      for rows in [plan.rows, 3 * plan.rows] {
        console.progress.show("\(plan.label), \(rows) rows by \(side.rawValue), instructions")
        runs.append(
          try await TemporaryFolder.with(prefix: "bolide-bench", console.interruption) { folder in
            try counter.count(
              RunRequest(
                job: plan.job, store: plan.store, side: side, rows: rows, seed: plan.seed,
                folder: folder.url.path))
          })
      }
      costs.append(
        cost(
          (runs[0].instructions, runs[0].measurement.rows), (runs[1].instructions, runs[1].measurement.rows)))
      seen.append(runs.map(\.measurement))
    }
    if seen.count == 2 {
      for (ours, theirs) in zip(seen[0], seen[1]) { try Comparison.check(ours, theirs, plan.label) }
    }
    return InstructionCount(
      job: plan.job, store: plan.store, rows: plan.rows, ours: costs[0],
      theirs: costs.count == 2 ? costs[1] : nil)
  }

  /// What one of what is counted costs, by a small and a large run; jobs that count the same in both are divided by it.
  static func cost(
    _ small: (instructions: UInt64, rows: Int), _ large: (instructions: UInt64, rows: Int)
  ) -> Double {
    if large.rows > small.rows {
      return (Double(large.instructions) - Double(small.instructions)) / Double(large.rows - small.rows)
    }
    return Double(large.instructions) / Double(max(1, large.rows))
  }

  var json: JSONValue {
    var members: [String: JSONValue] = [
      "job": .string(job.rawValue), "store": .string(store.rawValue), "rows": .integer(rows),
      "instructions": .double(ours),
    ]
    if let theirs { members["otherInstructions"] = .double(theirs) }
    if let ratio { members["ratio"] = .double(ratio) }
    return .object(members)
  }

  /// The line above the counts.
  static let heading = line("job", "store", "rows", "ours", "other", "ratio")

  /// The line of one count.
  var line: String {
    Self.line(
      job.rawValue, store.rawValue, "\(rows), \(3 * rows)", String(Int(ours.rounded())),
      theirs.map { String(Int($0.rounded())) } ?? "-", ratio.map(Figure.factor) ?? "-")
  }

  private static func line(
    _ job: String, _ store: String, _ rows: String, _ ours: String, _ theirs: String, _ ratio: String
  ) -> String {
    Figure.left(job, 17) + Figure.left(store, 7) + Figure.right(rows, 16) + Figure.right(ours, 12)
      + Figure.right(theirs, 12) + Figure.right(ratio, 8)
  }
}

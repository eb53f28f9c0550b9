import Bolide
import BolideConformance
import BolideScenario
import BolideStorage
import CommandKit
import Foundation

/// One run of `bolide torture`, in a folder of its own.
struct TortureRun {
  let kind: StoreKind
  let executable: URL
  let folder: URL
  let arguments: Arguments
  let console: Console
  private let begin = ContinuousClock.now

  init(kind: StoreKind, executable: URL, folder: URL, arguments: Arguments, console: Console) {
    self.kind = kind
    self.executable = executable
    self.folder = folder
    self.arguments = arguments
    self.console = console
  }

  /// Starts a process of this program for a part.
  private func start(_ role: TorturePart.Role, at path: String) throws -> WorkerProcess {
    try WorkerProcess(
      executable, ["torture", "--store", kind.rawValue], part: TorturePart(role: role, path: path).text)
  }

  private func location(_ path: String) -> StoreLocation { StoreLocation(kind.backend, Location(path: path)) }

  // MARK: Kinds of runs

  func kills(_ count: Int, seed: UInt64) throws -> ExitCode {
    let disk = SmallDisk(in: folder)
    let key = console.interruption.atEnd { disk?.unmount() }
    defer {
      console.interruption.forget(key)
      disk?.unmount()
    }
    let path = (disk?.folder ?? folder).appending(path: "store").path
    var torture = Torture(at: location(path), on: disk, seed: seed) { filling in
      try start(.kill(seed: seed, filling: filling), at: path)
    }
    let figures = try torture.run(kills: count) { console.progress.show("\($0)/\(count) kills") }
    return end(
      figures.differences, "\(figures.text); seed \(seed)",
      [
        "kills": .integer(figures.kills), "fullDisks": .integer(figures.fullDisks),
        "fullFileSystems": .integer(figures.refusals[.ballast] ?? 0),
        "acknowledged": .integer(Int(figures.acknowledged)), "unspoken": .integer(Int(figures.unspoken)),
        "checks": .integer(figures.checks), "seed": .string(String(seed)),
      ])
  }

  func crowd(_ transactions: Int) throws -> ExitCode {
    let path = folder.appending(path: "store").path
    let figures = try Crowd.run(writers: 4, followers: 2, transactions: transactions, at: location(path)) {
      try start(.init($0), at: path)
    }
    let longest = figures.longestWrites.max() ?? 0
    return end(
      figures.differences,
      "4 writers, 2 followers, \(figures.transactions) transactions, \(figures.reads) reads, longest "
        + "\(number(figures.longestRead)) ms; longest write with its wait \(number(longest)) ms",
      [
        "transactions": .integer(figures.transactions), "reads": .integer(figures.reads),
        "longestReadMilliseconds": .double(figures.longestRead),
        "longestWriteMilliseconds": .double(longest),
      ])
  }

  func purges(_ transactions: Int) throws -> ExitCode {
    let path = folder.appending(path: "store").path
    let figures = try Purges.run(transactions: transactions, at: location(path)) {
      console.progress.show("\($0)/\(transactions) transactions")
    }
    let costs = figures.costs.map { "\($0.dropped): \(number($0.microseconds)) µs each" }
    if !arguments.has(.json) {
      console.print("purges of all history: " + costs.joined(separator: ", "))
      console.print(
        "store after each such purge: " + figures.sizes.map { kilobytes($0) }.joined(separator: ", "))
    }
    return end(
      figures.differences,
      "\(figures.transactions) transactions, \(figures.purges) purges dropped \(figures.dropped), store at most "
        + "\(kilobytes(figures.earlySize)) early and \(kilobytes(figures.lateSize)) late, log "
        + "\(kilobytes(figures.logSize)), \(figures.recordsRead) records read for \(figures.fetched) transactions",
      [
        "transactions": .integer(figures.transactions), "purges": .integer(figures.purges),
        "dropped": .integer(figures.dropped), "earlyBytes": .integer(figures.earlySize),
        "lateBytes": .integer(figures.lateSize), "logBytes": .integer(figures.logSize),
        "bytesAfterPurges": .array(figures.sizes.map { .integer($0) }),
        "recordsRead": .integer(figures.recordsRead), "transactionsFetched": .integer(figures.fetched),
      ])
  }

  func migrations(_ count: Int, seed: UInt64) throws -> ExitCode {
    var torture = MigrationKills(in: folder, seed: seed, location: location) { path, call in
      try start(.migrate(endingAt: call), at: path)
    }
    let figures = try torture.run(kills: count) { console.progress.show("\($0)/\(count) kills") }
    return end(
      figures.differences,
      "\(figures.kills) kills in migrations of \(figures.calls) calls, \(figures.unchanged) stores as before, "
        + "\(figures.migrated) migrated whole; seed \(seed)",
      [
        "kills": .integer(figures.kills), "calls": .integer(Int(figures.calls)),
        "unchanged": .integer(figures.unchanged), "migrated": .integer(figures.migrated),
        "seed": .string(String(seed)),
      ])
  }

  func large(_ rows: Int) throws -> ExitCode {
    let path = folder.appending(path: "store").path
    let figures = try LargeRequests.run(rows: rows, at: location(path))
    return end(
      figures.differences,
      "\(figures.rows) objects inserted in \(number(figures.insertion)) s, updated in \(number(figures.update)) s, "
        + "deleted in \(number(figures.deletion)) s, each in one transaction; store at most "
        + "\(kilobytes(figures.storeSize)), process at most \(kilobytes(figures.peak))",
      [
        "rows": .integer(figures.rows), "insertSeconds": .double(figures.insertion),
        "updateSeconds": .double(figures.update), "deleteSeconds": .double(figures.deletion),
        "storeBytes": .integer(figures.storeSize), "peakBytes": .integer(figures.peak),
      ])
  }

  func faults() throws -> ExitCode {
    let sweep = FaultSweep(kind.backend, reopens: true) {
      Location(path: folder.appending(path: "store-\(UUID().uuidString.lowercased())").path)
    }
    var total = 0
    var differences: [String] = []
    var figures: [String: JSONValue] = [:]
    for operation in FaultSweep.Operation.allCases {
      var texts: [String] = []
      var points = 0
      for fault in Fault.allCases {
        console.progress.show("\(operation.rawValue), \(fault.rawValue)")
        do {
          let count = try sweep.run(operation, with: fault)
          points += count
          texts.append("\(fault.rawValue) \(count)")
        } catch let failure as ConformanceFailure {
          differences.append(failure.description)
        }
      }
      total += points
      figures[operation.rawValue] = .integer(points)
      if !arguments.has(.json) {
        console.print("\(operation.rawValue): \(points) points (\(texts.joined(separator: ", ")))")
      }
    }
    return end(
      differences, "\(total) calls were made to fail, the store was opened again after each",
      figures.merging(["points": .integer(total)]) { $1 })
  }

  // MARK: The end

  private func end(_ differences: [String], _ text: String, _ figures: [String: JSONValue]) -> ExitCode {
    for difference in differences { console.note(PrintableText(difference).description + "\n") }
    if arguments.has(.json) {
      let common: [String: JSONValue] = [
        "store": .string(kind.rawValue), "differences": .integer(differences.count),
      ]
      console.print(json: .object(figures.merging(common) { $1 }))
    } else {
      let seconds = number(begin.duration(to: .now) / .seconds(1))
      console.print("\(text), \(differences.count) differences; \(seconds) s")
    }
    return differences.isEmpty ? .success : .expectationFailed
  }

  private func number(_ value: Double) -> String { String(format: "%.1f", value) }

  private func kilobytes(_ bytes: Int) -> String { "\(bytes / 1024) kB" }
}

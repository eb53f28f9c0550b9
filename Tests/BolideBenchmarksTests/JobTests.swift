import CommandKit
import Foundation
import Testing

@testable import BolideBenchmarks

/// A job on a store it is for.
struct JobCase: CustomTestStringConvertible, Sendable {
  var job: Job
  var store: StoreKind

  var testDescription: String { "\(job.rawValue) on \(store.rawValue)" }

  /// All of them, but for the one that runs another program, which stands in ``ProgramTests``.
  static let all = Job.allCases.filter { $0 != .startup }.flatMap { job in
    StoreKind.allCases.filter(job.isFor).map { JobCase(job: job, store: $0) }
  }
  /// Whether another series of records shows in what the sides see or leave behind.
  var dependsOnSeed: Bool { ![.preview, .historyRead, .historyCost].contains(job) }
}

@Suite struct JobTests {
  private static let rows = 40

  private func plan(_ one: JobCase, _ side: SideName = .bolide, pairs: Int = 1) -> ComparisonPlan {
    ComparisonPlan(job: one.job, store: one.store, side: side, rows: Self.rows, pairs: pairs)
  }

  private func console() -> Console {
    let plain = TerminalTraits(isTerminal: false, usesColor: false, width: 80)
    return Console(
      output: OutputChannel(capturing: plain), errors: OutputChannel(capturing: plain), environment: [:])
  }

  /// Each job once by each side, and then what a comparison makes of these runs and of runs with one mistake.
  @Test(arguments: JobCase.all)
  func `both sides see and leave the same, and a wrong result is caught`(_ one: JobCase) async throws {
    var runs: [SideName: RunMeasurement] = [:]
    let comparison = try await Comparison.run(plan(one), console: console()) { request in
      let run = try request.measure()
      runs[request.side] = run
      return run
    }
    #expect(comparison.theirs.count == (one.job.opponent == nil ? 0 : 1))
    let ours = try #require(comparison.ours.first)
    #expect(ours.rows > 0 && ours.seconds > 0)
    guard let opponent = one.job.opponent, let right = runs[opponent] else {
      #expect(comparison.result.ratio == nil)
      return
    }
    #expect(comparison.result.ratio != nil)
    var wrong = [right, right, right]
    wrong[0].rows += 1
    wrong[1].checksum ^= 1
    wrong[2].content &+= 1
    if one.dependsOnSeed { wrong.append(try await otherSeries(one, opponent)) }
    for mistake in wrong {
      await #expect(throws: BenchmarkFailure.self) {
        _ = try await Comparison.run(plan(one), console: console()) { $0.side == opponent ? mistake : ours }
      }
    }
  }

  /// What a side finds that works on other records.
  private func otherSeries(_ one: JobCase, _ side: SideName) async throws -> RunMeasurement {
    try await TemporaryFolder.with(prefix: "bolide-bench-test", console().interruption) { folder in
      try RunRequest(
        job: one.job, store: one.store, side: side, rows: Self.rows, seed: 2, folder: folder.url.path
      ).measure()
    }
  }

  @Test(arguments: JobCase.all.filter { $0.job.canRun(.storage) })
  func `the storage contract alone does what it says it does`(_ one: JobCase) async throws {
    let comparison = try await Comparison.run(plan(one, .storage), console: console()) { try $0.measure() }
    #expect(comparison.result.ratio != nil)
  }

  @Test func `pairs run in turn, ours first, each in a folder of its own that is gone afterwards`()
    async throws
  {
    let log = RunLog()
    let one = JobCase(job: .importing, store: .sqlite)
    _ = try await Comparison.run(plan(one, pairs: 3), console: console()) { request in
      #expect(FileManager.default.fileExists(atPath: request.folder))
      log.requests.append(request)
      return try request.measure()
    }
    #expect(log.requests.map(\.side) == [.bolide, .comparator, .bolide, .comparator, .bolide, .comparator])
    #expect(Set(log.requests.map(\.folder)).count == 6)
    for request in log.requests { #expect(!FileManager.default.fileExists(atPath: request.folder)) }
  }

  @Test func `one side can be measured alone`() async throws {
    var alone = plan(JobCase(job: .importing, store: .memory))
    alone.isAlone = true
    let comparison = try await Comparison.run(alone, console: console()) { try $0.measure() }
    #expect(comparison.theirs.isEmpty && comparison.result.ratio == nil)
    #expect(comparison.result.isTargetMet == false, "a ratio that was not measured is not met")
  }

  @Test func `a run crosses to its process and back`() throws {
    let request = RunRequest(
      job: .historyCost, store: .lmdb, side: .bolideWithoutHistory, rows: 7, seed: 9, folder: "a folder")
    let read = try #require(RunRequest(arguments: request.arguments))
    #expect(read.arguments == request.arguments)
    #expect(RunRequest(arguments: ["import"]) == nil)
    #expect(RunRequest(arguments: request.arguments.dropLast() + []) == nil)
  }

  @Test func `records depend on seed and place alone`() {
    let whole = RecordSet(QuakeGenerator(seed: 3), range: 0..<100)
    let part = RecordSet(QuakeGenerator(seed: 3), range: 40..<60)
    let other = RecordSet(QuakeGenerator(seed: 4), range: 0..<100)
    #expect(
      part.records.indices.allSatisfy { part.records[$0].code.string == whole.records[$0 + 40].code.string })
    #expect(whole.content != other.content)
    let changed = RecordSet(QuakeGenerator(seed: 3), range: 0..<100, version: .changed)
    let differing = whole.records.indices.filter { changed.records[$0].felt != whole.records[$0].felt }
    #expect(differing == [7, 57])
  }
}

/// What was run, in order; runs come one after the other.
private final class RunLog {
  var requests: [RunRequest] = []
}

import CommandKit
import Foundation

/// What a command line asked for, being done.
struct BenchmarkRun {
  private let arguments: Arguments
  private let console: Console
  private let plans: [ComparisonPlan]
  private let asJSON: Bool

  /// - Throws: `usage.layer` when the side does none of the jobs, `usage.options` for options that exclude each other.
  init(_ arguments: Arguments, _ console: Console) throws {
    self.arguments = arguments
    self.console = console
    asJSON = arguments.has(BenchmarkCommand.json)
    let named = arguments.list(BenchmarkCommand.jobs)?.compactMap(Job.init(rawValue:))
    let stores = arguments.list(BenchmarkCommand.stores)?.compactMap(StoreKind.init(rawValue:))
    let side = arguments.text(BenchmarkCommand.layer).flatMap(SideName.init) ?? .bolide
    let growth = arguments.has(BenchmarkCommand.growth)
    let counts = arguments.has(BenchmarkCommand.instructions)
    if growth, counts {
      throw Failure(
        .usage, code: "usage.options", "--growth and --instructions exclude each other",
        remedy: "run them one after the other")
    }
    if arguments.text(BenchmarkCommand.plot) != nil, !growth {
      throw Failure(
        .usage, code: "usage.options", "--plot shows what --growth finds", remedy: "add --growth")
    }
    var plans: [ComparisonPlan] = []
    for job in named ?? Job.allCases.filter(\.isUsual) where job.canRun(side) {
      for store in stores ?? StoreKind.allCases where job.isFor(store) {
        if growth && !job.isSized || counts && !job.isCountable { continue }
        plans.append(
          ComparisonPlan(
            job: job, store: store, side: side,
            rows: arguments.number(BenchmarkCommand.rows).map { Int(clamping: $0) } ?? job.defaultRows,
            pairs: Int(clamping: arguments.number(BenchmarkCommand.pairs) ?? 5),
            seed: arguments.number(BenchmarkCommand.seed) ?? 1,
            isAlone: arguments.has(BenchmarkCommand.alone)))
      }
    }
    if plans.isEmpty {
      throw Failure(
        .usage, code: "usage.layer", "\(side.rawValue) does none of the jobs on these stores",
        remedy: "choose another --layer, --job or --store")
    }
    self.plans = plans
  }

  func run() async throws -> ExitCode {
    if arguments.has(BenchmarkCommand.growth) {
      try await grow()
    } else if arguments.has(BenchmarkCommand.instructions) {
      try await count()
    } else {
      try await compare()
    }
    return .success
  }

  private func compare() async throws {
    show(ResultTable.heading)
    var results: [JSONValue] = []
    for plan in plans {
      let result = try await measure(plan)
      results.append(result.json)
      show(ResultTable.row(result))
    }
    if asJSON { console.print(json: .array(results)) }
  }

  private func count() async throws {
    guard let valgrind = InstructionCounter.valgrind else {
      throw Failure(
        .storeFailed, code: "bench.no-valgrind",
        "instructions are counted by valgrind, which is not installed",
        remedy: "install it (apt-get install valgrind), or leave --instructions out")
    }
    let counts = try await TemporaryFolder.with(prefix: "bolide-bench", console.interruption) { folder in
      let counter = try InstructionCounter(valgrind: valgrind, folder: folder.url, console.interruption)
      show(InstructionCount.heading)
      var counts: [InstructionCount] = []
      for plan in plans {
        var plan = plan
        if arguments.number(BenchmarkCommand.rows) == nil { plan.rows = min(plan.rows, 1_000) }
        let count = try await InstructionCount.run(plan, by: counter, console: console)
        counts.append(count)
        show(count.line)
      }
      return counts
    }
    if asJSON { console.print(json: .array(counts.map(\.json))) }
  }

  private func grow() async throws {
    let first = Int(clamping: arguments.number(BenchmarkCommand.from) ?? 10_000)
    let last = Int(clamping: arguments.number(BenchmarkCommand.rows) ?? 1_000_000)
    show(Growth.heading)
    var found: [Growth] = []
    for plan in plans {
      var results: [BenchmarkResult] = []
      for size in Growth.sizes(from: min(first, last), to: last) {
        var plan = plan
        plan.rows = size
        results.append(try await measure(plan))
        if let result = results.last { show(Growth.line(result)) }
      }
      let growth = Growth(job: plan.job, store: plan.store, results: results)
      show(growth.summary)
      found.append(growth)
      // What is known so far survives a run that is ended early.
      if let path = arguments.text(BenchmarkCommand.plot) {
        try Data(GrowthPlot(found).svg.utf8).write(to: URL(filePath: path), options: .atomic)
      }
    }
    if asJSON { console.print(json: .array(found.flatMap(\.results).map(\.json))) }
  }

  private func measure(_ plan: ComparisonPlan) async throws -> BenchmarkResult {
    try await Comparison.run(plan, console: console) { try MeasuringProcess.run($0, console.interruption) }
      .result
  }

  /// Prints a line at once, unless everything is to be one array.
  private func show(_ line: String) {
    if asJSON { return }
    console.print(line)
    console.output.flush()
  }
}

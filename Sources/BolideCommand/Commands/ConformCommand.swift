import BolideConformance
import CommandKit

/// `bolide conform`: the shared suite on one kind of store.
enum ConformCommand {
  private static let kind = CommandOption(
    "store", .choice(StoreKind.words), "memory|sqlite|lmdb", isRequired: true, help: "The kind of store.")
  private static let filter = CommandOption(
    "filter", .text, "TEXT", help: "Only cases whose id contains the text; commas separate several texts.")
  private static let list = CommandOption("list", .flag, help: "Show the cases with their rules; run none.")
  private static let seed = CommandOption(
    "seed", .number(atLeast: 0, atMost: .max), "N",
    help: "Varies what is random; a run with the same seed repeats. Else 0.")

  static let command = Command(
    "conform", "Run the shared suite, which says what every store does, on one kind of store.",
    examples: ["bolide conform --store lmdb --filter history/", "bolide conform --store sqlite --list"],
    options: [kind, filter, list, seed, ReportFiles.junit, ReportFiles.html, .json], action: run)

  @Sendable private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitCode {
    guard let kind = arguments.text(kind).flatMap(StoreKind.init) else { return .usage }
    let files = try ReportFiles(arguments)
    return try await TemporaryFolder.with(prefix: "bolide-conform", console.interruption) { folder in
      let provider = BackendProvider(kind.backend, in: folder.url)
      let cases = Conformance.cases(for: provider, matching: arguments.text(filter) ?? "")
      if arguments.has(list) {
        for one in cases { show(one.definition, arguments, console) }
        return cases.isEmpty ? .expectationFailed : .success
      }
      let (counts, record) = await run(cases, arguments, console)
      try files.write(record)
      console.print(arguments.has(.json) ? counts.json.text : counts.text)
      return counts.failed == 0 && counts.passed > 0 ? .success : .expectationFailed
    }
  }

  private static func run(
    _ cases: [ConformanceCase<BackendProvider>], _ arguments: Arguments, _ console: Console
  ) async -> (Counts, RunRecord) {
    var counts = Counts()
    var record = RunRecord(title: "Conformance")
    let clock = ContinuousClock()
    for (index, one) in cases.enumerated() {
      console.progress.show("\(index + 1)/\(cases.count) \(one.id)")
      let started = clock.now
      let outcome = await one.outcome(seed: arguments.number(seed) ?? 0)
      counts.add(outcome)
      record.add(entry(outcome, of: one, seconds: (clock.now - started) / .seconds(1)))
      show(outcome, of: one.definition, arguments, console)
      // A run is slow; who reads it along sees each result at once.
      console.output.flush()
    }
    return (counts, record)
  }
}

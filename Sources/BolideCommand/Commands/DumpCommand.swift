import CommandKit

/// `bolide dump`: the canonical text of a store.
enum DumpCommand {
  /// Thrown to end a dump whose reader went away.
  private struct ReaderGone: Error {}

  static let command = Command(
    "dump", "Print all rows, links and history as text: equal for equal contents, whatever the store.",
    examples: ["diff <(bolide dump --store sqlite:a.sqlite) <(bolide dump --store lmdb:a.lmdb) && echo same"],
    options: [.store, .json], action: run)

  @Sendable private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitCode {
    try OpenedStore.with(arguments) { store in
      let isJSON = arguments.has(.json)
      do {
        try store.container.dump { line in
          if isJSON { console.print(json: ["line": .string(line)]) } else { console.print(line) }
          if console.output.isClosed { throw ReaderGone() }
        }
      } catch is ReaderGone {
        return .success
      }
      return .success
    }
  }
}

import Bolide
import BolideFeeds
import BolidePreview
import BolideStorage
import CommandKit
import Foundation

/// `bolide import`: feeds into a store, one transaction a source.
enum ImportCommand {
  private static let feed = Positional(
    "FEED", choices: Feed.allCases.map(\.rawValue), help: "The kind of document.")
  private static let source = Positional(
    "SOURCE", .some, help: "A document; each is one transaction, in the order given.")
  private static let model = CommandOption(
    "model", .choice(SampleModel.allCases.map(\.name)), "NAME",
    help: "The model of a store that is made now; else the one that the feed belongs to.")
  private static let entity = CommandOption(
    "entity", .text, "NAME", help: "Where the records go; usgs feeds go to CatalogQuake unless it is Quake.")
  private static let author = CommandOption("author", .text, "NAME", help: "The author that history records.")

  static let command = Command(
    "import", "Read feed documents into a store, updating what is there by its key.",
    discussion: [
      "A record that cannot be used is skipped and reported; a document that cannot be used is refused whole. "
        + "The run stops at the first such document, and what was imported before stays."
    ],
    examples: ["bolide import jpl 2024.json 2026.json --store sqlite:fireballs.sqlite"],
    positionals: [feed, source], options: [.store, model, entity, author, .json], action: run)

  @Sendable private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitCode {
    guard let feed = Feed(rawValue: arguments.text(feed)) else { return .usage }
    let imports = arguments.texts(source).map { path in
      FeedImport(
        feed, from: .file(path), into: arguments.text(entity),
        progress: { console.progress.show(text(of: $0, in: path)) })
    }
    let container = try open(imports, arguments)
    let context = container.newContext(author: arguments.text(author))
    do {
      for one in imports {
        let result = try one.run(in: context)
        report(result, on: console)
        if arguments.has(.json) {
          console.print(json: json(result, token: try result.token ?? container.currentToken()))
        } else {
          console.print(line(result))
        }
      }
    } catch {
      // The import's error is the one to tell; closing after it is a courtesy.
      try? container.close()
      throw error
    }
    try container.close()
    return .success
  }

  /// Opens the store with the schema it keeps, or makes it with a model where there is none; that happens only once
  /// the first document has proved good.
  private static func open(_ imports: [FeedImport], _ arguments: Arguments) throws -> PersistentContainer {
    let location = try StoreLocation(parsing: arguments.text(.store) ?? "")
    let named = arguments.text(model).flatMap { SampleModel(named: $0) }
    if let container = try existing(at: location, with: named?.schema) { return container }
    guard let first = imports.first else { return try PersistentContainer(at: location) }
    let schema = (named ?? first.feed.usualModel).schema
    try first.check(against: schema)
    return try PersistentContainer(schema, at: location)
  }

  /// The store at the location; nil where there is none.
  private static func existing(
    at location: StoreLocation, with schema: Schema?
  ) throws(BolideError) -> PersistentContainer? {
    let container: PersistentContainer
    do {
      container = try PersistentContainer(at: location)
    } catch {
      if error.code == .storeMissing { return nil }
      throw error
    }
    guard let schema else { return container }
    // Opened once more, since only opening with a schema compares the two. A difference is for the user to settle:
    // migrating would drop what the sample model lacks.
    try container.close()
    return try PersistentContainer(schema, at: location, options: ContainerOptions(migration: .refused))
  }

  private static func text(of progress: FeedProgress, in path: String) -> String {
    let share = progress.totalBytes.map { $0 > 0 ? "\(progress.bytes * 100 / $0) %  " : "" } ?? ""
    return "\(path)  \(share)\(progress.records) records"
  }

  private static func line(_ result: FeedImportResult) -> String {
    let transaction = result.transaction.map { "transaction \($0)" } ?? "no transaction"
    return "\(result.document)  inserted \(result.inserted.count)  updated \(result.updated.count)  "
      + "unchanged \(result.unchanged.count)  skipped \(result.skippedCount)  \(transaction)"
  }

  private static func json(_ result: FeedImportResult, token: PersistentHistoryToken) -> JSONValue {
    [
      "source": .string(result.document), "entity": .string(result.entityName),
      "inserted": .integer(result.inserted.count), "updated": .integer(result.updated.count),
      "unchanged": .integer(result.unchanged.count), "skipped": .integer(result.skippedCount),
      "total": .integer(result.total), "token": .string(token.description),
      "transaction": result.transaction.map { .integer(Int(clamping: $0)) } ?? .null,
    ]
  }

  /// Tells what the document's author or its reader should know.
  private static func report(_ result: FeedImportResult, on console: Console) {
    let path = result.document
    for record in result.skipped {
      let field = record.field.map { "\($0): " } ?? ""
      console.report(
        Diagnostic(
          .warning, "record \(record.record) is skipped: \(field)\(record.reason)",
          at: .init(path: path, line: record.position.line, column: record.position.column)))
    }
    if result.skippedCount > result.skipped.count {
      console.report(
        Diagnostic(
          .warning, "\(result.skippedCount - result.skipped.count) more records are skipped",
          at: .init(path: path)))
    }
    for warning in result.warnings { console.report(Diagnostic(.warning, warning, at: .init(path: path))) }
    if !result.revisions.isEmpty {
      console.report(
        Diagnostic(
          .note, "\(result.revisions.count) new objects are probably stored ones under a revised time",
          at: .init(path: path)))
    }
  }
}

extension Feed {
  /// The sample model whose entity takes the feed where none is named.
  var usualModel: SampleModel {
    switch self {
    case .jpl, .cneosCSV: .fireballWatch
    case .usgs, .usgsCSV: .earthquakes
    case .todos: .done
    }
  }
}

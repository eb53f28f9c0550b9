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
    let container = try open(feed, arguments)
    let context = container.newContext(author: arguments.text(author))
    do {
      for path in arguments.texts(source) {
        let result = try FeedImport(
          feed, from: .file(path), into: arguments.text(entity),
          progress: { console.progress.show(text(of: $0, in: path)) }
        ).run(in: context)
        report(result, of: path, on: console)
        if arguments.has(.json) {
          console.print(json: json(result, of: path, token: try result.token ?? container.currentToken()))
        } else {
          console.print(line(result, of: path))
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
  /// the rest of the command line has proved right.
  private static func open(_ feed: Feed, _ arguments: Arguments) throws -> PersistentContainer {
    let location = try StoreLocation(parsing: arguments.text(.store) ?? "")
    let named = arguments.text(model).flatMap { SampleModel(named: $0) }
    if named == nil, let container = try existing(at: location) { return container }
    let schema = (named ?? feed.usualModel).schema
    if let entity = arguments.text(entity) { _ = try SchemaMap(schema).entity(entity) }
    try checkFirst(of: arguments.texts(source))
    return try PersistentContainer(schema, at: location)
  }

  private static func existing(at location: StoreLocation) throws(BolideError) -> PersistentContainer? {
    do {
      return try PersistentContainer(at: location)
    } catch {
      if error.code == .storeMissing { return nil }
      throw error
    }
  }

  private static func checkFirst(of paths: [String]) throws(BolideError) {
    guard let path = paths.first else { return }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw BolideError(.feedUnreadable, "\(path) is not there")
    }
    if isFolder.boolValue { throw BolideError(.feedUnreadable, "\(path) is a folder") }
  }

  private static func text(of progress: FeedProgress, in path: String) -> String {
    let share = progress.totalBytes.map { $0 > 0 ? "\(progress.bytes * 100 / $0) %  " : "" } ?? ""
    return "\(path)  \(share)\(progress.records) records"
  }

  private static func line(_ result: FeedImportResult, of path: String) -> String {
    let transaction = result.transaction.map { "transaction \($0)" } ?? "no transaction"
    return "\(path)  inserted \(result.inserted.count)  updated \(result.updated.count)  "
      + "unchanged \(result.unchanged.count)  skipped \(result.skippedCount)  \(transaction)"
  }

  private static func json(
    _ result: FeedImportResult, of path: String, token: PersistentHistoryToken
  ) -> JSONValue {
    [
      "source": .string(path), "entity": .string(result.entityName),
      "inserted": .integer(result.inserted.count), "updated": .integer(result.updated.count),
      "unchanged": .integer(result.unchanged.count), "skipped": .integer(result.skippedCount),
      "total": .integer(result.total), "token": .string(token.description),
      "transaction": result.transaction.map { .integer(Int(clamping: $0)) } ?? .null,
    ]
  }

  /// Tells what the document's author or its reader should know.
  private static func report(_ result: FeedImportResult, of path: String, on console: Console) {
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
  fileprivate var usualModel: SampleModel {
    switch self {
    case .jpl, .cneosCSV: .fireballWatch
    case .usgs, .usgsCSV: .earthquakes
    case .todos: .done
    }
  }
}

import Bolide
import BolideFeeds
import BolideStorage
import CommandKit

/// A store that a command opened for reading, with the text it was named by.
struct OpenedStore {
  let name: String
  let container: PersistentContainer

  /// Opens the store that `--store` names, by the schema it keeps; or one in memory, which documents fill.
  ///
  /// - Parameter documents: feeds and sources, as `usgs-csv:month.csv`; for a store in memory alone.
  /// - Throws: A `Failure` for a text that is no location or document, and what opening and importing throw.
  init(_ arguments: Arguments, filledFrom documents: [String]) throws {
    name = arguments.text(.store) ?? ""
    var location = try StoreLocation(parsing: name)
    if location.backend.capabilities.isDurable {
      guard documents.isEmpty else {
        throw Failure(
          .usage, code: "usage.wrong-value", "--from is for the store memory:, and \(name) is on disk",
          remedy: "fill it with bolide import")
      }
      // Looking changes nothing: opening for writing would turn on the history of a store that keeps none.
      location.options.isReadOnly = true
      container = try PersistentContainer(at: location)
      return
    }
    let imports = try documents.map(Self.document)
    guard let first = imports.first else {
      throw Failure(
        .storeFailed, code: ErrorCode.storeMissing.name,
        "\(name) holds nothing: a store in memory is gone with the command that filled it",
        remedy: "name a store on disk: sqlite:PATH or lmdb:PATH; or fill it, with fetch --from FEED:SOURCE")
    }
    container = try PersistentContainer(first.feed.usualModel.schema, at: location)
    for one in imports { _ = try one.run(in: container.newContext()) }
  }

  /// Reads the form `FEED:SOURCE`.
  private static func document(_ text: String) throws(Failure) -> FeedImport {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2, let feed = Feed(rawValue: parts[0]) else {
      let feeds = Feed.allCases.map(\.rawValue)
      let hint = Suggestion.nearest(to: parts.first ?? "", among: feeds).map { "did you mean \($0)?" }
      throw Failure(
        .usage, code: "usage.wrong-value", "--from takes FEED:SOURCE, not \"\(text)\"",
        remedy: hint ?? "a feed is one of \(feeds.joined(separator: ", "))")
    }
    return FeedImport(feed, from: .file(parts[1]))
  }

  /// Opens a store for as long as `body` runs.
  static func with<Result>(
    _ arguments: Arguments, filledFrom documents: [String] = [], _ body: (OpenedStore) throws -> Result
  ) throws -> Result {
    let store = try OpenedStore(arguments, filledFrom: documents)
    let result: Result
    do {
      result = try body(store)
    } catch {
      // The first error is the one to tell; closing after it is a courtesy.
      try? store.container.close()
      throw error
    }
    try store.container.close()
    return result
  }
}

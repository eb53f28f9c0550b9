import Bolide
import BolideFeeds
import BolideMemory
import BolideStorage
import Foundation

extension StoreLocation {
  /// A fresh store in memory, which lives as long as something holds its backend.
  public static var inMemory: StoreLocation {
    StoreLocation(MemoryBackend(), Location(path: "memory"))
  }
}

extension PersistentContainer {
  /// Opens a fresh store in memory, filled by a closure: for previews, tests and demos.
  ///
  /// What the closure leaves in its context is saved in one transaction by the author `seed`. Clock, ids and nonces are
  /// fixed, so that two runs are alike; give other options for the machine's own. Use ``PersistentContainer/fork(to:)`` to
  /// give each test a copy of its own at once.
  ///
  /// - Throws: `schema.invalid`, `validation.…`, and what the closure throws.
  public static func inMemory(
    _ schema: Schema, options: ContainerOptions = .preview,
    seed: (ManagedObjectContext) throws -> Void = { _ in }
  ) throws -> PersistentContainer {
    let container = try PersistentContainer(schema, at: .inMemory, options: options)
    let context = container.newContext(author: "seed")
    try seed(context)
    try context.save()
    return container
  }
}

extension ContainerOptions {
  /// A clock that stands at 2001-01-01, ids that repeat from run to run, and a process called `preview`.
  ///
  /// Stores that are opened with it have one id, so that their object ids and tokens are alike: where a test has several, let
  /// each have a ``preview(seed:)`` of its own.
  public static var preview: ContainerOptions { preview(seed: 1) }

  /// As ``preview``, with ids that begin elsewhere.
  public static func preview(seed: UInt64) -> ContainerOptions {
    ContainerOptions(environment: .fixed(clock: TestClock(), seed: seed, processName: "preview"))
  }
}

extension PersistentContainer {
  /// Opens a fresh store in memory, filled from one document of a feed.
  ///
  /// - Throws: the `feed.…` codes; a record that cannot be used is left out.
  public static func inMemory(
    _ schema: Schema, options: ContainerOptions = .preview, feed: Feed, from document: FeedDocument
  ) throws -> PersistentContainer {
    try inMemory(schema, options: options) { context in
      _ = try FeedImport(feed, from: document).run(in: context)
    }
  }
}

import BolideStorage
import Foundation
import Synchronization
import Testing

/// The watch that notices other processes' commits (rule H-8).
@Suite(.timeLimit(.minutes(1))) struct FolderWatchTests {
  /// A folder with a file, removed with the value.
  private final class Folder: Sendable {
    let path: String

    init() throws {
      let url = FileManager.default.temporaryDirectory.appending(path: "bolide-watch-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      path = url.path
      try Data("store".utf8).write(to: URL(filePath: path + "/store"))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func touch() throws {
      try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: path + "/store")
    }
  }

  /// Looks, as they come.
  private static func looks(
    _ folder: String
  ) -> (stream: AsyncStream<Void>.Iterator, watch: FolderWatch) {
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    return (stream.makeAsyncIterator(), FolderWatch(folder) { continuation.yield() })
  }

  @Test func `a touch is looked at by every watch of the folder`() async throws {
    let folder = try Folder()
    var (one, first) = Self.looks(folder.path)
    var (other, second) = Self.looks(folder.path)
    try folder.touch()
    _ = await one.next()
    _ = await other.next()
    withExtendedLifetime((first, second)) {}
  }

  @Test func `the last event of a writer is followed by looks until all it wrote must be visible`()
    async throws
  {
    let folder = try Folder()
    var (looks, watch) = Self.looks(folder.path)
    try folder.touch()
    for _ in 0..<6 { _ = await looks.next() }
    withExtendedLifetime(watch) {}
  }

  @Test func `a folder that the system does not watch is looked at all the same`() async throws {
    var (looks, watch) = Self.looks("/no-such-folder-\(UUID().uuidString)")
    for _ in 0..<2 { _ = await looks.next() }
    withExtendedLifetime(watch) {}
  }

  @Test func `a look may release its own watch, and others go on`() async throws {
    let folder = try Folder()
    var (other, stays) = Self.looks(folder.path)
    let held = Mutex<FolderWatch?>(nil)
    let (ends, continuation) = AsyncStream<Void>.makeStream()
    let watch = FolderWatch(folder.path) {
      let last = held.withLock { held in
        defer { held = nil }
        return held
      }
      if last != nil { continuation.finish() }
    }
    held.withLock { $0 = watch }
    _ = consume watch
    try folder.touch()
    for await _ in ends {}
    try folder.touch()
    _ = await other.next()
    withExtendedLifetime(stays) {}
  }
}

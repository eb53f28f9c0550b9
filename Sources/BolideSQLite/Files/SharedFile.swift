import BolideStorage
import Foundation
import Synchronization

/// What all openings of one file in this process share, however its path is spelled.
final class SharedFile: Sendable {
  let writers = WriterQueue()
  let bells = CommitBells()
  /// The name by which all openings here use the file: SQLite names the log after it, so a second name, a hard link,
  /// would bring a second log.
  let path: String
  /// Whether the file was found to be a store, with the log beside it.
  private let isProven = Atomic(false)
  /// How many frames the log must have before it is worth copying them into the main file again.
  private let checkpointFrames = Mutex<Int32>(SharedFile.framesBetweenCheckpoints)
  /// Whether a checkpoint was due while the state of a commit was held.
  private let isPostponed = Atomic(false)

  /// About 4 MiB of log.
  static let framesBetweenCheckpoints: Int32 = 1000

  fileprivate init(path: String) { self.path = path }

  /// Whether a log of so many frames is due for a checkpoint.
  func isCheckpointDue(_ frames: Int32) -> Bool { checkpointFrames.withLock { frames >= $0 } }

  /// Notes that a checkpoint left so many frames of the log in use.
  ///
  /// A snapshot may keep the log from being copied whole; to try again at each commit would cost more and
  /// more, so the log has to grow by as much again first.
  func noteCheckpoint(leaving frames: Int32) {
    checkpointFrames.withLock { $0 = Self.framesBetweenCheckpoints + max(0, min(frames, .max / 2)) }
  }

  /// Puts a checkpoint off until a snapshot ends.
  func postponeCheckpoint() { isPostponed.store(true, ordering: .relaxed) }

  /// Whether a checkpoint was put off; it is the caller's then.
  func takePostponedCheckpoint() -> Bool {
    isPostponed.load(ordering: .relaxed) && isPostponed.exchange(false, ordering: .relaxed)
  }

  /// Runs a check of the file unless it has passed before.
  func prove(_ check: () throws(BolideError) -> Void) throws(BolideError) {
    if isProven.load(ordering: .acquiring) { return }
    try check()
    isProven.store(true, ordering: .releasing)
  }
}

/// A use of a file: an open store has one, and so has each connection, for snapshots outlast the store's closing.
///
/// While there is one, whoever opens the file here gets the same ``SharedFile``. After the last the file may be replaced by
/// another, even one of the same identity.
final class FileUse: Sendable {
  let file: SharedFile
  private let identity: FileIdentity
  private let forkCount = ForkCount.current

  private struct Entry {
    weak var use: FileUse?
    var forkCount: Int
  }

  private static let uses = Mutex<[FileIdentity: Entry]>([:])

  private init(_ identity: FileIdentity, path: String) {
    self.identity = identity
    file = SharedFile(path: path)
  }

  deinit {
    // What a parent process has open is remembered, see below.
    if forkCount != ForkCount.current { return }
    let identity = identity
    Self.uses.withLock { uses in
      if uses[identity]?.use == nil { uses[identity] = nil }
    }
  }

  /// The use of a file that exists, under the name by which it was opened first.
  ///
  /// - Throws: `store.io` where that name is no longer the file's; `store.forked-process` where a parent process had the
  ///   file open when it made this one with fork(2). SQLite then believes that it still has the parent's locks.
  static func of(_ identity: FileIdentity, path: String) throws(BolideError) -> FileUse {
    let found = uses.withLock { uses -> FileUse? in
      if let entry = uses[identity], entry.forkCount != ForkCount.current { return nil }
      if let use = uses[identity]?.use { return use }
      let use = FileUse(identity, path: path)
      uses[identity] = Entry(use: use, forkCount: use.forkCount)
      return use
    }
    guard let use = found else {
      throw BolideError(.storeForked, "The store at \(path) was open when this process was forked")
    }
    guard use.file.path == path || FileIdentity(at: use.file.path) == identity else {
      throw BolideError(
        .storeIO, "The store at \(path) is open as \(use.file.path), which is no longer its name",
        remedy: "close the store and open it again; move a store that is in use with move(to:)")
    }
    return use
  }
}

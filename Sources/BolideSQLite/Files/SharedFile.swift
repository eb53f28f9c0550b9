import BolideStorage
import Foundation
import Synchronization

/// What all openings of one file in this process share, however its path is spelled.
final class SharedFile: Sendable {
  let writers = WriterQueue()
  let bells = CommitBells()
  private let identity: FileIdentity
  /// How many frames the log must have before it is worth copying them into the main file again.
  private let checkpointFrames = Mutex<Int32>(SharedFile.framesBetweenCheckpoints)
  /// Whether a checkpoint was due while the state of a commit was held.
  private let isPostponed = Atomic(false)

  /// About 4 MiB of log.
  static let framesBetweenCheckpoints: Int32 = 1000

  private init(_ identity: FileIdentity) { self.identity = identity }

  deinit {
    let identity = identity
    Self.open.withLock { files in
      if files[identity]?.file == nil { files[identity] = nil }
    }
  }

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

  // MARK: Open files

  private struct Entry {
    weak var file: SharedFile?
  }

  private static let open = Mutex<[FileIdentity: Entry]>([:])

  /// The shared part of a file that exists.
  static func at(_ identity: FileIdentity) -> SharedFile {
    open.withLock { files in
      if let file = files[identity]?.file { return file }
      let file = SharedFile(identity)
      files[identity] = Entry(file: file)
      return file
    }
  }

  /// Whether this process has the file open as a store.
  static func isOpen(_ identity: FileIdentity) -> Bool {
    open.withLock { $0[identity]?.file != nil }
  }
}

/// A file, whatever its name.
struct FileIdentity: Hashable, Sendable {
  var device: UInt64
  var inode: UInt64

  init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    inode = UInt64(status.st_ino)
  }
}

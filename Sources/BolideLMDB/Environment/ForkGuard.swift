import Foundation
import Synchronization

/// Counts the times this process is a child of fork(2), so that what a parent opened is refused in its child.
///
/// LMDB's locks and reader slots belong to the process that took them. The count is one load, where
/// asking for the process id would be a system call on every read.
enum ForkGuard {
  private static let forks = Atomic<Int>(0)
  private static let installed: Bool = {
    pthread_atfork(nil, nil, { ForkGuard.forks.add(1, ordering: .relaxed) }) == 0
  }()

  /// How many forks lie between the first call and now, seen from this process.
  static var generation: Int {
    _ = installed
    return forks.load(ordering: .relaxed)
  }
}

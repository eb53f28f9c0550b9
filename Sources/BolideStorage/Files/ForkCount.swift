import Foundation
import Synchronization

/// Tells a process from the copies that fork(2) makes of it, so that what a parent opened is refused in its child.
///
/// Locks of files and LMDB's reader slots belong to the process that took them. The count is one load, where asking for the
/// process id would be a system call on every read.
package enum ForkCount {
  private static let count = Atomic<Int>(0)
  private static let registration = pthread_atfork(nil, nil) { ForkCount.count.add(1, ordering: .relaxed) }

  /// How often fork(2) led to this process since the first call.
  package static var current: Int {
    _ = registration
    return count.load(ordering: .relaxed)
  }
}

import Foundation
import Synchronization

/// Tells a process from the copies that fork(2) makes of it, without asking the system each time.
enum ForkCount {
  private static let count = Atomic<Int>(0)
  private static let registration = pthread_atfork(nil, nil) { ForkCount.count.add(1, ordering: .relaxed) }

  /// How often fork(2) led to this process since the first call.
  static var current: Int {
    _ = registration
    return count.load(ordering: .relaxed)
  }
}

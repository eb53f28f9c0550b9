import BolideStorage
import Foundation

/// The lock between the writers of several processes: `flock` on `bolide.lock`, with a deadline.
///
/// `mdb_txn_begin` waits for other processes without a time limit, so it is called only by the holder
/// of this lock. A process takes the folder's lock (the gate) before it tries the file's: one that ends
/// a transaction and begins the next at once finds the gate held by the one that waits. The kernel drops
/// both locks when a process dies.
final class FileLock: @unchecked Sendable {
  private let gate: Int32
  private let file: Int32

  /// Opens the lock of a folder, making the file if it is not there.
  init(folder: String) throws(BolideError) {
    let name = folder + "/" + StoreFolder.lockName
    gate = Foundation.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if gate < 0 { throw LMDBFailure.system(errno, "open the folder \(folder)") }
    file = Foundation.open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    if file < 0 {
      let code = errno
      Foundation.close(gate)
      throw LMDBFailure.system(code, "open \(name)")
    }
  }

  deinit {
    Foundation.close(file)
    Foundation.close(gate)
  }

  /// Takes the lock.
  ///
  /// - Returns: false when the deadline came first.
  func lock(until deadline: ContinuousClock.Instant) throws(BolideError) -> Bool {
    guard try Self.take(gate, until: deadline) else { return false }
    defer { flock(gate, LOCK_UN) }
    return try Self.take(file, until: deadline)
  }

  func unlock() { flock(file, LOCK_UN) }

  /// Notes in the lock file that the store was made whole: from then on an empty or missing data file is damage.
  func noteMade() {
    _ = StoreFolder.madeText.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
  }

  private static func take(
    _ descriptor: Int32, until deadline: ContinuousClock.Instant
  ) throws(BolideError) -> Bool {
    var pause = Duration.microseconds(50)
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        throw LMDBFailure.system(errno, "lock the store for writing")
      }
      let left = ContinuousClock.now.duration(to: deadline)
      if left <= .zero { return false }
      var time = min(pause, left).timespec
      nanosleep(&time, nil)
      pause = min(pause * 2, .milliseconds(2))
    }
    return true
  }
}

extension Duration {
  /// The duration in the system's form.
  var timespec: Foundation.timespec {
    let (seconds, attoseconds) = components
    return Foundation.timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
  }
}

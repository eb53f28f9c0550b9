import BolideStorage
import CLMDB
import Synchronization

/// A read transaction that is open, and its place among the open ones.
struct Reading: @unchecked Sendable {
  let transaction: OpaquePointer
  let place: Int
}

/// The read transactions of an environment: when the open ones began, and some that wait to be used again.
///
/// A parked transaction keeps its reader slot and its memory, which makes the next snapshot cheap.
final class ReaderPool: Sendable {
  private static let parkedLimit = 8

  /// Read transactions go from thread to thread: LMDB was told that they may (`MDB_NOTLS`), and each has one user.
  private struct Parked: @unchecked Sendable {
    let transaction: OpaquePointer
  }

  private struct State {
    var parked: [Parked] = []
    /// When each open transaction began.
    var times = ReadTimes()
  }

  private let state = Mutex(State())

  /// Takes a place, and a parked transaction if there is one and it will do.
  func begin(parkable: Bool) -> (place: Int, parked: OpaquePointer?) {
    let now = ContinuousClock.now
    let (place, parked) = state.withLock { state -> (Int, Parked?) in
      let parked = parkable ? state.parked.popLast() : nil
      return (state.times.begin(at: now), parked)
    }
    return (place, parked?.transaction)
  }

  /// Frees a place, and parks its transaction unless enough are parked.
  ///
  /// - Returns: whether the transaction was parked.
  @discardableResult
  func end(_ place: Int, parking transaction: OpaquePointer?) -> Bool {
    let parked = transaction.map { Parked(transaction: $0) }
    return state.withLock { state in
      state.times.end(place)
      guard let parked, state.parked.count < Self.parkedLimit else { return false }
      state.parked.append(parked)
      return true
    }
  }

  /// Whether a transaction is open.
  var isInUse: Bool { state.withLock { $0.times.count > 0 } }

  /// How many transactions are open, and for how long the oldest has been.
  var figures: (count: Int, oldest: Duration?) {
    let (count, oldest) = state.withLock { ($0.times.count, $0.times.oldest) }
    return (count, oldest.map { $0.duration(to: .now) })
  }

  /// Gives up the parked transactions and their slots.
  func dropParked() {
    let parked = state.withLock { state in
      let parked = state.parked
      state.parked = []
      return parked
    }
    for entry in parked { mdb_txn_abort(entry.transaction) }
  }
}

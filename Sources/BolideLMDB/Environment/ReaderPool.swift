import CLMDB
import Foundation

/// A read transaction that is open, and its place among the open ones.
struct Reading {
  let transaction: OpaquePointer
  let place: Int
}

/// The read transactions of an environment: when the open ones began, and some that wait to be used again.
///
/// A parked transaction keeps its reader slot and its memory, which makes the next snapshot cheap.
final class ReaderPool: @unchecked Sendable {
  private static let parkedLimit = 8

  private let lock = NSLock()
  private var parked: [OpaquePointer] = []
  /// When each open transaction began; `nil` for a place that is free.
  private var starts: [ContinuousClock.Instant?] = []
  private var freePlaces: [Int] = []

  /// Takes a place, and a parked transaction if there is one and it will do.
  func begin(parkable: Bool) -> (place: Int, parked: OpaquePointer?) {
    let now = ContinuousClock.now
    lock.lock()
    defer { lock.unlock() }
    let transaction = parkable ? parked.popLast() : nil
    if let place = freePlaces.popLast() {
      starts[place] = now
      return (place, transaction)
    }
    starts.append(now)
    return (starts.count - 1, transaction)
  }

  /// Frees a place, and parks its transaction unless enough are parked.
  ///
  /// - Returns: whether the transaction was parked.
  @discardableResult
  func end(_ place: Int, parking transaction: OpaquePointer?) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    starts[place] = nil
    freePlaces.append(place)
    guard let transaction, parked.count < Self.parkedLimit else { return false }
    parked.append(transaction)
    return true
  }

  /// Whether a transaction is open.
  var isInUse: Bool {
    lock.lock()
    defer { lock.unlock() }
    return freePlaces.count < starts.count
  }

  /// How many transactions are open, and for how long the oldest has been.
  var figures: (count: Int, oldest: Duration?) {
    lock.lock()
    defer { lock.unlock() }
    let oldest = starts.lazy.compactMap { $0 }.min()
    return (starts.count - freePlaces.count, oldest.map { $0.duration(to: .now) })
  }

  /// Gives up the parked transactions and their slots.
  func dropParked() {
    lock.lock()
    let transactions = parked
    parked = []
    lock.unlock()
    for transaction in transactions { mdb_txn_abort(transaction) }
  }
}

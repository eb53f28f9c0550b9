import BolideStorage
import Synchronization

/// Fails one call, counted from the moment it is armed.
///
/// As an observer it fails calls before anything is done. Wrapped with ``wrapping`` a store can have its writes cut
/// short, too.
public final class CallBreaker: CallObserver {
  private let state = Mutex(State())

  private struct State {
    var callsLeft: Int?
    var fault = Fault.io
    var broken: StoreCall?
  }

  /// A breaker that is not armed.
  public init() {}

  /// Wraps a store whose calls this breaker fails.
  public var wrapping: StoreWrapping {
    StoreWrapping(
      observer: self,
      transaction: { base, wrapping in
        let transaction = CutTransaction(base, wrapping)
        transaction.breaker = self
        return transaction
      })
  }

  /// Fails the call that comes after `count` others, of those that can fail so.
  public func arm(after count: Int, with fault: Fault = .io) {
    state.withLock { $0 = State(callsLeft: count, fault: fault) }
  }

  /// Lets all calls pass again; returns the call that was made to fail, if it came to that.
  @discardableResult
  public func disarm() -> StoreCall? {
    state.withLock { state in
      defer { state = State() }
      return state.broken
    }
  }

  public func before(_ call: StoreCall) throws(BolideError) {
    let fault = state.withLock(\.fault)
    // Writes that are cut short are counted where they are written.
    if fault != .shortWrite, strikes(call) { throw fault.error }
  }

  /// Counts a call; true for the one that is to be cut short.
  func cuts(_ call: StoreCall) -> Bool { state.withLock(\.fault) == .shortWrite && strikes(call) }

  private func strikes(_ call: StoreCall) -> Bool {
    state.withLock { state in
      guard let left = state.callsLeft, state.fault.calls.contains(call) else { return false }
      state.callsLeft = left == 0 ? nil : left - 1
      if left == 0 { state.broken = call }
      return left == 0
    }
  }
}

/// A transaction of which one writing call does half of its work and fails.
private final class CutTransaction: ForwardingTransaction {
  var breaker = CallBreaker()

  override func insert(
    _ rows: RowBatch, of table: TableID, numberedFrom first: Number, taken: inout [Taken]
  ) throws(BolideError) -> Int {
    guard breaker.cuts(.insert) else {
      return try super.insert(rows, of: table, numberedFrom: first, taken: &taken)
    }
    _ = try transaction.insert(rows.half, of: table, numberedFrom: first, taken: &taken)
    throw Fault.shortWrite.error
  }

  override func update(
    _ rows: RowBatch, of table: TableID, columns: ColumnSet, taken: inout [Taken]
  ) throws(BolideError) {
    guard breaker.cuts(.update) else {
      return try super.update(rows, of: table, columns: columns, taken: &taken)
    }
    try transaction.update(rows.half, of: table, columns: columns, taken: &taken)
    throw Fault.shortWrite.error
  }

  override func release(_ numbers: [Number], of table: TableID) throws(BolideError) {
    guard breaker.cuts(.release) else { return try super.release(numbers, of: table) }
    try transaction.release(numbers.half, of: table)
    throw Fault.shortWrite.error
  }

  override func delete(_ numbers: [Number], of table: TableID) throws(BolideError) {
    guard breaker.cuts(.delete) else { return try super.delete(numbers, of: table) }
    try transaction.delete(numbers.half, of: table)
    throw Fault.shortWrite.error
  }

  override func link(_ link: LinkID, _ links: [Link], added: inout [Bool]) throws(BolideError) {
    guard breaker.cuts(.link) else { return try super.link(link, links, added: &added) }
    try transaction.link(link, links.half, added: &added)
    throw Fault.shortWrite.error
  }

  override func unlink(_ link: LinkID, _ links: [Link], removed: inout [Bool]) throws(BolideError) {
    guard breaker.cuts(.unlink) else { return try super.unlink(link, links, removed: &removed) }
    try transaction.unlink(link, links.half, removed: &removed)
    throw Fault.shortWrite.error
  }
}

extension Array {
  /// The first half, rounded up.
  fileprivate var half: [Element] { Array(prefix((count + 1) / 2)) }
}

extension RowBatch {
  /// The first half, rounded up.
  fileprivate var half: RowBatch {
    var half = RowBatch(format)
    withRows { views in
      for place in 0..<(views.count + 1) / 2 {
        if views.isPresent(place) {
          half.append(views[place], number: numbers[place])
        } else {
          half.appendAbsent()
        }
      }
    }
    return half
  }
}

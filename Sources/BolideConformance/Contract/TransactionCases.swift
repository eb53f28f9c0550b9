import BolideStorage
import Foundation
import Synchronization

extension Conformance {
  /// Write transactions.
  static var transactionCases: [CaseDefinition] {
    [
      CaseDefinition(
        "storage/own-writes-are-private",
        "A transaction reads its own writes; snapshots do not before the commit."
      ) {
        stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        let transaction = try store.begin(until: .now + .seconds(20))
        try quakes.insert([quake("a"), quake("b")], from: 1, in: transaction)
        try checkEqual(try quakes.consistentRows(in: transaction).map(\.number), [1, 2], "own rows")
        try store.read { try checkEqual(try quakes.consistentRows(in: $0), [], "rows before the commit") }
        _ = try transaction.commit(pinning: false)
        try store.read { try checkEqual(try quakes.consistentRows(in: $0).count, 2, "rows after it") }
      },
      CaseDefinition(
        "storage/rollback", "A rolled-back transaction leaves nothing: rows, links, history, metadata."
      ) { stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        let rows = (0..<300).map { quake("q\($0)", magnitude: Double($0 % 4)) }
        try store.write { try quakes.insert(rows, from: 1, in: $0) }
        let before = try store.read { try quakes.consistentRows(in: $0) }
        let transaction = try store.begin(until: .now + .seconds(20))
        try transaction.delete(Array(1...100), of: quakes.id)
        _ = try quakes.update([Record(number: 150, values: quake("changed", magnitude: 8))], in: transaction)
        try quakes.insert((0..<500).map { quake("new \($0)") }, from: 301, in: transaction)
        try transaction.release([200], of: quakes.id)
        _ = try link([Link(from: 1, to: 1)], in: transaction)
        try transaction.setMetadata("k", [1])
        let written = entry(1)
        try transaction.append(written.record, runs: written.runs, tombstones: [])
        transaction.rollback()
        transaction.rollback()
        try store.read { snapshot in
          try checkEqual(try quakes.consistentRows(in: snapshot), before, "rows")
          try checkEqual(try links(of: [1], .forward, in: snapshot), [], "links")
          try checkEqual(try snapshot.metadata("k"), nil, "metadata")
          try checkEqual(try snapshot.head(), .start, "head")
          try checkEqual(try runs(of: 1, in: snapshot), [], "runs")
        }
        try store.write { try quakes.insert([quake("new 0")], from: 301, in: $0) }
        try append(entry(1), to: store)
      },
      CaseDefinition(
        "storage/unused-transaction", "A transaction that is released without an end is rolled back."
      ) { stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        do {
          let transaction = try store.begin(until: .now + .seconds(20))
          try quakes.insert([quake("a")], from: 1, in: transaction)
        }
        try store.write { transaction in
          try checkEqual(try quakes.consistentRows(in: transaction), [], "rows of the released transaction")
        }
      },
      CaseDefinition(
        "storage/ended-transaction",
        "A transaction refuses calls after its end; a late rollback does nothing."
      ) {
        stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        let transaction = try store.begin(until: .now + .seconds(20))
        try quakes.insert([quake("a")], from: 1, in: transaction)
        _ = try transaction.commit(pinning: false)
        transaction.rollback()
        try checkThrows(.storeClosed, label: "inserting after the commit") {
          try quakes.insert([quake("b")], from: 2, in: transaction)
        }
        try checkThrows(.storeClosed, label: "reading after the commit") { _ = try transaction.head() }
        try checkThrows(.storeClosed, label: "a second commit") { _ = try transaction.commit(pinning: false) }
        try store.read { try checkEqual(try quakes.consistentRows(in: $0).map(\.number), [1], "rows") }
      },
      CaseDefinition(
        "storage/begin-deadline", "Past its deadline, a begin that waits for a writer is `store.busy`.",
        rules: ["S-3"]
      ) { stage in
        let store = try stage.open(ContractLayout.layout)
        let transaction = try store.begin(until: .now + .seconds(20))
        for wait in [Duration.zero, .milliseconds(30)] {
          try checkThrows(.storeBusy, label: "a second writer on the same thread") {
            _ = try store.begin(until: .now + wait)
          }
          try inParallel(2) { _ in
            try checkThrows(.storeBusy, label: "a second writer on another thread") {
              _ = try store.begin(until: .now + wait)
            }
          }
        }
        transaction.rollback()
        // A free store is given out even when the deadline is over.
        let late = try store.begin(until: .now)
        late.rollback()
      },
      CaseDefinition(
        "storage/begin-waits", "A begin waits for the writer before it, and goes on when that one has ended.",
        rules: ["S-3"]
      ) { stage in
        let store = try stage.open(ContractLayout.layout)
        let first = try store.begin(until: .now + .seconds(20))
        let started = DispatchSemaphore(value: 0)
        let ended = DispatchSemaphore(value: 0)
        let failure = FailureBox()
        Thread.detachNewThread {
          started.signal()
          do {
            try store.write { try $0.setMetadata("second", [2]) }
          } catch {
            failure.keep(error)
          }
          ended.signal()
        }
        try waitFor(started, ended, whileHolding: first)
        _ = try first.commit(pinning: false)
        try finish(ended, failure)
        try store.read { try checkEqual(try $0.metadata("second"), [2], "what the second wrote") }
      },
      CaseDefinition(
        "storage/writers-queue", "Writers of many threads follow one another and lose nothing.",
        rules: ["S-3"]
      ) {
        stage in
        let store = try stage.open(ContractLayout.layout)
        try inParallel(4) { _ in
          for _ in 0..<25 {
            try store.write { transaction in
              let count = try transaction.metadata("count")?.first ?? 0
              try transaction.setMetadata("count", [count + 1])
            }
          }
        }
        try store.read { try checkEqual(try $0.metadata("count"), [100], "transactions counted") }
      },
      CaseDefinition(
        "storage/commit-rings",
        "Commits that appended history ring; bookkeeping commits and rollbacks need not.",
        rules: ["H-8"]
      ) { stage in
        let store = try stage.open(ContractLayout.layout)
        let heads = HeadLog()
        var registration: (any AnyObject & Sendable)? = store.onCommit { [weak store] in
          heads.note { try store?.read { try $0.head().transaction } }
        }
        try append(entry(1), to: store)
        try checkEqual(heads.last, 1, "head seen when the first commit rang")
        try append(entry(2), to: store)
        try checkEqual(heads.last, 2, "head seen when the second commit rang")
        try check(registration != nil, "registration")
        registration = nil
        let count = heads.count
        try append(entry(3), to: store)
        try checkEqual(heads.count, count, "rings after the registration was released")
      },
      CaseDefinition(
        "storage/append-keeps-numbers", "History takes the head's number plus one, once a transaction.",
        rules: ["H-1"]
      ) { stage in
        let store = try stage.open(ContractLayout.layout)
        try append(entry(1), to: store)
        for wrong in [1, 3] {
          try checkThrows(.storeMisuse, label: "appending transaction \(wrong) after 1") {
            try append(entry(wrong), to: store)
          }
        }
        try checkThrows(.storeMisuse, label: "appending twice in one transaction") {
          try store.write { transaction in
            for number in [2, 3] {
              try transaction.append(entry(number).record, runs: entry(number).runs, tombstones: [])
            }
          }
        }
        try store.read { try checkEqual(try $0.head().transaction, 1, "head") }
      },
    ]
  }
}

extension Conformance {
  /// Gives a second writer a moment, in which it must not get through.
  private static func waitFor(
    _ started: DispatchSemaphore, _ ended: DispatchSemaphore, whileHolding first: any WriteTransaction
  ) throws {
    started.wait()
    if ended.wait(timeout: .now() + .milliseconds(100)) == .success {
      first.rollback()
      throw ConformanceFailure("a second writer did not wait for the first")
    }
  }

  private static func finish(_ ended: DispatchSemaphore, _ failure: FailureBox) throws {
    ended.wait()
    if let error = failure.first { throw error }
  }
}

/// The heads that rings saw; rings may come from any thread.
private final class HeadLog: Sendable {
  private let heads = Mutex<[UInt64]>([])

  var last: UInt64? { heads.withLock(\.last) }
  var count: Int { heads.withLock(\.count) }

  func note(_ head: () throws -> UInt64?) {
    // A head that cannot be read is noted as 0, which no check expects.
    let number = (try? head()) ?? 0
    heads.withLock { $0.append(number) }
  }
}

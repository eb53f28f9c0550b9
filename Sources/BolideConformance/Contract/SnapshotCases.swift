import BolideStorage
import Foundation
import Synchronization

extension Conformance {
  /// Snapshots.
  static var snapshotCases: [CaseDefinition] {
    [
      CaseDefinition(
        "storage/snapshots-stay", "A snapshot shows its state, whatever is committed later.", rules: ["G-1"]
      ) {
        stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        let rows = (0..<500).map { quake("q\($0)", magnitude: Double($0 % 9)) }
        try store.write { transaction in
          try quakes.insert(rows, from: 1, in: transaction)
          _ = try link((1...500).map { Link(from: $0, to: $0 % 4 + 1) }, in: transaction)
          try transaction.setMetadata("k", [1])
        }
        let snapshot = try store.snapshot()
        defer { snapshot.close() }
        let before = try quakes.consistentRows(in: snapshot)
        let linksBefore = try links(of: [1, 2, 3, 4], .inverse, in: snapshot)
        for round in 0..<5 {
          try store.write { transaction in
            let numbers = (1...500).filter { $0 % 5 == Number(round) }
            try transaction.delete(numbers.filter { $0 % 2 == 0 }, of: quakes.id)
            let changed = numbers.filter { $0 % 2 == 1 }.map { number in
              Record(number: number, values: quake("r\(number)", magnitude: -1))
            }
            _ = try quakes.update(changed, in: transaction)
            try quakes.insert([quake("new \(round)")], from: 501 + Number(round), in: transaction)
            var removed: [Bool] = []
            try transaction.unlink(
              ContractLayout.memberships, numbers.map { Link(from: $0, to: $0 % 4 + 1) }, removed: &removed)
            try transaction.setMetadata("k", [UInt8(round) + 2])
          }
          try append(entry(round + 1), to: store)
        }
        try checkEqual(try quakes.consistentRows(in: snapshot), before, "rows of the old snapshot")
        try checkEqual(try links(of: [1, 2, 3, 4], .inverse, in: snapshot), linksBefore, "its links")
        try checkEqual(try snapshot.metadata("k"), [1], "its metadata")
        try checkEqual(try snapshot.head(), .start, "its head")
        try store.read { now in
          try checkEqual(try quakes.consistentRows(in: now).count, 255, "rows now")
          try checkEqual(try links(of: [1, 2, 3, 4], .inverse, in: now).count, 0, "links now")
          try checkEqual(try now.head().transaction, 5, "head now")
        }
      },
      CaseDefinition(
        "storage/snapshot-of-the-commit", "A commit can return a snapshot of exactly its state.",
        rules: ["G-1"]
      ) {
        stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        let transaction = try store.begin(until: .now + .seconds(20))
        try quakes.insert([quake("a")], from: 1, in: transaction)
        let pinned = try checkPresent(try transaction.commit(pinning: true), "the pinned snapshot")
        defer { pinned.close() }
        try store.write { try quakes.insert([quake("b")], from: 2, in: $0) }
        try checkEqual(try quakes.consistentRows(in: pinned).map(\.number), [1], "rows pinned")
        let unpinned = try store.begin(until: .now + .seconds(20))
        try check(try unpinned.commit(pinning: false) == nil, "a snapshot nobody asked for")
      },
      CaseDefinition(
        "storage/snapshot-from-many-threads",
        "A snapshot may be read from several threads while others write."
      ) {
        stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        let rows = (0..<300).map { quake("q\($0)", magnitude: Double($0 % 9)) }
        try store.write { try quakes.insert(rows, from: 1, in: $0) }
        let snapshot = try store.snapshot()
        defer { snapshot.close() }
        let before = try quakes.scan(in: snapshot)
        try inParallel(4) { thread in
          if thread == 0 {
            for round in 0..<20 {
              try store.write {
                try quakes.insert([quake("new \(round)")], from: 301 + Number(round), in: $0)
              }
            }
          } else {
            for _ in 0..<10 { try checkEqual(try quakes.consistentRows(in: snapshot), before, "rows") }
          }
        }
      },
      CaseDefinition(
        "storage/snapshot-closed", "A closed snapshot refuses to read; closing twice is allowed."
      ) { stage in
        let store = try stage.open(ContractLayout.layout)
        let snapshot = try store.snapshot()
        snapshot.close()
        snapshot.close()
        try checkThrows(.storeClosed, label: "head of a closed snapshot") { _ = try snapshot.head() }
        try checkThrows(.storeClosed, label: "rows of a closed snapshot") {
          _ = try ContractLayout.quakes.rows([1], in: snapshot)
        }
      },
      CaseDefinition(
        "storage/many-snapshots", "Snapshots taken and closed leave nothing behind.", rules: ["G-2"]
      ) { stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        try store.write { try quakes.insert((0..<100).map { quake("q\($0)") }, from: 1, in: $0) }
        let before = try store.statistics()
        for _ in 0..<100_000 { try store.snapshot().close() }
        let after = try store.statistics()
        try checkEqual(after.snapshots, before.snapshots, "snapshots open")
        try checkEqual(after.details["pages"], before.details["pages"], "pages in use")
        try checkEqual(after.storeBytes, before.storeBytes, "bytes of the store")
      },
      CaseDefinition(
        "storage/statistics", "Statistics count open snapshots and give their age.", rules: ["G-2"]
      ) { stage in
        let store = try stage.open(ContractLayout.layout)
        try store.write { try ContractLayout.quakes.insert([quake("a")], from: 1, in: $0) }
        try checkEqual(try store.statistics().snapshots, 0, "snapshots at first")
        try checkEqual(try store.statistics().oldestSnapshotAge, nil, "age without snapshots")
        let first = try store.snapshot()
        let second = try store.snapshot()
        let open = try store.statistics()
        try checkEqual(open.snapshots, 2, "snapshots open")
        try check((open.oldestSnapshotAge ?? -1) >= 0, "age of the oldest: \(open.oldestSnapshotAge ?? -1)")
        try check(open.storeBytes > 0, "bytes of the store: \(open.storeBytes)")
        first.close()
        second.close()
        try store.maintain()
        try checkEqual(try store.statistics().snapshots, 0, "snapshots at the end")
      },
    ]
  }

  /// Runs `body` on as many threads at once, waits for all and throws the first error.
  static func inParallel(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) throws {
    let done = DispatchSemaphore(value: 0)
    let box = FailureBox()
    for index in 0..<count {
      Thread.detachNewThread {
        do {
          try body(index)
        } catch {
          box.keep(error)
        }
        done.signal()
      }
    }
    for _ in 0..<count { done.wait() }
    if let error = box.first { throw error }
  }
}

/// The first error of several threads.
final class FailureBox: Sendable {
  private let error = Mutex<(any Error)?>(nil)

  var first: (any Error)? { error.withLock { $0 } }

  func keep(_ new: any Error) { error.withLock { $0 = $0 ?? new } }
}

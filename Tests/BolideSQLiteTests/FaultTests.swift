#if os(Linux)
  import BolideSQLite
  import BolideStorage
  import CSQLite
  import Foundation
  import Testing

  /// Every write that SQLite makes, failing once: nothing of a failed transaction is there, and all before.
  @Suite struct FaultTests {
    /// One transaction of every kind of change.
    private enum Work {
      static func run(on store: any OpenStore) throws {
        let transaction = try store.begin(until: .now + .seconds(5))
        defer { transaction.rollback() }
        try transaction.insert(
          (11...80).map(FireballWatch.sighting), into: 0, FireballWatch.fireball, from: 11)
        try transaction.delete([1, 2], of: 0)
        var taken: [Taken] = []
        try transaction.release([3], of: 0)
        try transaction.update(
          RowBatch([FireballWatch.sighting(500)], FireballWatch.fireball.format, numbers: [3]), of: 0,
          columns: ColumnSet([1]), taken: &taken)
        var added: [Bool] = []
        try transaction.link(0, (11...80).map { Link(from: $0, to: 1) }, added: &added)
        try transaction.append([
          ChangeRun(entity: 0, kind: .insert, properties: ColumnSet(), numbers: [11...80])
        ])
        _ = try transaction.commit(pinning: false)
      }

      static func check(_ store: any OpenStore, isDone: Bool, _ place: String) throws {
        try store.read { reader in
          let numbers = try reader.numbers(of: 0, FireballWatch.fireball)
          #expect(numbers == (isDone ? Array(3...80) : Array(1...10)), "\(place)")
          #expect(try reader.head().transaction == (isDone ? 2 : 1), "\(place)")
          let byTime = try reader.numbers(
            of: 0, FireballWatch.fireball, by: .index(0, lower: nil, upper: nil))
          #expect(byTime.sorted() == numbers, "\(place)")
          var counts: [Int] = []
          try reader.linkCounts(0, of: [1], side: .inverse, into: &counts)
          #expect(counts == [isDone ? 70 : 0], "\(place)")
        }
      }
    }

    @Test(arguments: [SQLITE_FULL, SQLITE_IOERR | (3 << 8)])
    func `whichever write fails, the store stays whole and can go on`(code: Int32) async throws {
      await #expect(processExitsWith: .success) { [code = code as Int32] in
        FaultyFiles.install()
        var call = 0
        repeat {
          call += 1
          let place = "call \(call) failing with \(code)"
          let folder = try TemporaryFolder()
          // A small cache makes SQLite write in the middle of a transaction, too.
          let options = OpenOptions(durability: .power, cacheBytes: 8192)
          let store = try folder.open(options: options)
          try store.write {
            try $0.insert((1...10).map(FireballWatch.sighting), into: 0, FireballWatch.fireball, from: 1)
            try $0.append([])
          }
          FaultyFiles.arm(call, with: code)
          var isDone = false
          do {
            try Work.run(on: store)
            isDone = true
            try store.maintain()
          } catch let error as BolideError {
            let expected: ErrorCode = code == SQLITE_FULL ? .storeFull : .storeIO
            #expect(error.code == expected, "\(place): \(error)")
          }
          FaultyFiles.disarm()
          try Work.check(store, isDone: isDone, place)
          if !isDone {
            try Work.run(on: store)
            try Work.check(store, isDone: true, place)
          }
          try store.close()
          let again = try folder.open(layout: nil)
          try Work.check(again, isDone: true, place)
          try again.close()
          #expect(try Shell.run("PRAGMA integrity_check", on: folder.store) == ["ok"], "\(place)")
        } while FaultyFiles.hasFailed
        #expect(call > 20)
      }
    }

    /// S7 without a small file system: the limit is of the process, which is why it has one of its own.
    @Test func `a file that may not grow is a full disk, and the store goes on once it may`() async throws {
      await #expect(processExitsWith: .success) {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        try store.write {
          try $0.insert((1...10).map(FireballWatch.sighting), into: 0, FireballWatch.fireball, from: 1)
          try $0.append([])
        }
        signal(SIGXFSZ, SIG_IGN)
        func limit(_ bytes: rlim_t?) {
          var limit = rlimit()
          getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
          limit.rlim_cur = bytes ?? limit.rlim_max
          setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        }
        let size = try #require(
          try FileManager.default.attributesOfItem(atPath: folder.store + "-wal")[.size] as? UInt64)
        // Not a whole number of the log's frames, so that a write is cut short first.
        for room in [0, 1, 4_000, 4_096, 8_192, 10_000, 24_720] as [UInt64] {
          limit(rlim_t(size + room))
          #expect(throwing(.storeFull) { try Work.run(on: store) }, "room \(room)")
          try Work.check(store, isDone: false, "room \(room)")
        }
        limit(nil)
        try Work.run(on: store)
        try Work.check(store, isDone: true, "with room")
        try store.close()
        #expect(try Shell.run("PRAGMA integrity_check", on: folder.store) == ["ok"])
      }
    }

    @Test func `whichever write fails while a store is created or copied, nothing is left`() async throws {
      await #expect(processExitsWith: .success) {
        FaultyFiles.install()
        let folder = try TemporaryFolder()
        let store = try folder.open("source")
        try store.write {
          try $0.insert((1...10).map(FireballWatch.sighting), into: 0, FireballWatch.fireball, from: 1)
        }
        var call = 0
        repeat {
          call += 1
          FaultyFiles.arm(call, with: SQLITE_FULL)
          do {
            try folder.open("new").close()
          } catch ErrorCode.storeFull {
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/new"), "call \(call)")
          }
          FaultyFiles.arm(call, with: SQLITE_FULL)
          do {
            try store.copy(to: Location(path: folder.path + "/copy"))
          } catch ErrorCode.storeFull {
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/copy"), "call \(call)")
          }
          let left = try folder.files().filter { !$0.hasPrefix("source") && !["new", "copy"].contains($0) }
          #expect(left == [], "call \(call)")
          for name in ["new", "copy"] {
            try? FileManager.default.removeItem(atPath: folder.path + "/" + name)
          }
          let hasFailed = FaultyFiles.hasFailed
          FaultyFiles.disarm()
          if !hasFailed { break }
        } while true
        #expect(call > 10)
        try store.close()
      }
    }
  }
#endif

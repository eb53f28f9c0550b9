#if os(Linux)
  import BolideSQLite
  import BolideStorage
  import Foundation
  import Synchronization
  import Testing

  /// What a process of a test does.
  private enum Worker {
    /// Transactions that look where to go on, insert there, and append history.
    static func work(on path: String, keys: ClosedRange<Int>) throws {
      let store = try SQLiteBackend().open(
        Location(path: path), layout: FireballWatch.layout, options: OpenOptions())
      for key in keys {
        try store.write { transaction in
          let before = try transaction.count(of: 0)
          let first = Number(before + 1)
          try transaction.insert([FireballWatch.sighting(key)], into: 0, FireballWatch.fireball, from: first)
          try transaction.append([
            ChangeRun(entity: 0, kind: .insert, properties: ColumnSet(), numbers: [first...first])
          ])
        }
      }
      try store.close()
    }
  }

  /// Other processes: writers beside us, killed ones, and copies of ourselves.
  @Suite struct ProcessTests {
    /// Runs ``Worker`` in a process of its own.
    private static func processWorking(on path: String, from first: Int, through last: Int) async {
      await #expect(processExitsWith: .success) {
        [path = path as String, first = first as Int, last = last as Int] in
        try Worker.work(on: path, keys: first...last)
      }
    }

    /// S1: a transaction that reads before it writes waits for its turn instead of failing at once.
    @Test func `two processes write one store, and neither loses a transaction`() async throws {
      let folder = try TemporaryFolder()
      let path = folder.store
      // Both may find no store and create it.
      async let one: Void = Self.processWorking(on: path, from: 1, through: 150)
      async let other: Void = Self.processWorking(on: path, from: 151, through: 300)
      _ = await (one, other)
      let store = try folder.open(layout: nil)
      try store.read { reader in
        #expect(try reader.count(of: 0) == 300)
        #expect(try reader.head().transaction == 300)
        #expect(try reader.numbers(of: 0, FireballWatch.fireball) == Array(1...300))
        let byTime = try reader.values(of: 0, FireballWatch.fireball, by: .index(0, lower: nil, upper: nil))
        #expect(byTime == (1...300).map(FireballWatch.sighting))
      }
      try store.close()
      #expect(try folder.files() == ["test.sqlite"])
      #expect(try Shell.run("PRAGMA integrity_check", on: folder.store) == ["ok"])
    }

    @Test func `a writer of another process is waited for until the deadline`() async throws {
      let folder = try TemporaryFolder()
      let store = try folder.open()
      let held = try store.begin(until: .now + .seconds(30))
      let path = folder.store
      await #expect(processExitsWith: .success) { [path = path as String] in
        let store = try SQLiteBackend().open(Location(path: path), layout: nil, options: OpenOptions())
        let start = ContinuousClock.now
        #expect(throwing(.storeBusy) { try store.begin(until: start + .milliseconds(120)) })
        let waited = start.duration(to: .now)
        #expect(waited >= .milliseconds(120))
        // Reading goes on meanwhile.
        #expect(try store.read { try $0.count(of: 0) } == 0)
      }
      held.rollback()
      try store.write { try $0.insert([FireballWatch.sighting(1)], into: 0, FireballWatch.fireball, from: 1) }
      try store.close()
    }

    @Test func `a process killed in a transaction leaves what it had committed, and no more`() async throws {
      let folder = try TemporaryFolder()
      let path = folder.store
      await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
        try Worker.work(on: path, keys: 1...20)
        let store = try SQLiteBackend().open(Location(path: path), layout: nil, options: OpenOptions())
        for key in 21...40 {
          try store.write {
            try $0.insert([FireballWatch.sighting(key)], into: 0, FireballWatch.fireball, from: Number(key))
            try $0.append([])
          }
        }
        let transaction = try store.begin(until: .now)
        try transaction.insert(
          (41...5000).map(FireballWatch.sighting), into: 0, FireballWatch.fireball, from: 41)
        kill(getpid(), SIGKILL)
      }
      #expect(try folder.files() == ["test.sqlite", "test.sqlite-shm", "test.sqlite-wal"])
      let store = try folder.open(layout: nil)
      #expect(try store.read { try $0.numbers(of: 0, FireballWatch.fireball) } == Array(1...40))
      #expect(try store.read { try $0.head().transaction } == 40)
      try store.close()
      #expect(try folder.files() == ["test.sqlite"])
      #expect(try Shell.run("PRAGMA integrity_check", on: folder.store) == ["ok"])
    }

    @Test func `a commit that pins holds exactly its state while another process writes`() async throws {
      let folder = try TemporaryFolder()
      let store = try folder.open()
      let path = folder.store
      let isFinished = Atomic(false)
      async let writer: Void = {
        await Self.processWorking(on: path, from: 1000, through: 1149)
        isFinished.store(true, ordering: .relaxed)
      }()
      var own = 0
      repeat {
        let transaction = try store.begin(until: .now + .seconds(30))
        let head = try transaction.head()
        let number = Number(try transaction.count(of: 0) + 1)
        try transaction.insert(
          [FireballWatch.sighting(5000 + own)], into: 0, FireballWatch.fireball, from: number)
        try transaction.append([])
        let snapshot = try #require(try transaction.commit(pinning: true))
        #expect(try snapshot.head().transaction == head.transaction + 1)
        #expect(try snapshot.count(of: 0) == Int(number))
        snapshot.close()
        own += 1
        await Task.yield()
      } while !isFinished.load(ordering: .relaxed)
      _ = await writer
      #expect(try store.read { try $0.count(of: 0) } == 150 + own)
      try store.close()
    }

    /// S5: a folder, and a file, without permission to write.
    @Test func `what may not be written is refused at opening, with the reason, and nothing is made`()
      async throws
    {
      let folder = try TemporaryFolder()
      try folder.open().close()
      try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: folder.store)
      try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path)
      let path = folder.store
      await #expect(processExitsWith: .success) { [path = path as String] in
        // The superuser may write everywhere.
        if getuid() == 0 { try #require(setuid(65534) == 0) }
        let backend = SQLiteBackend()
        for isReadOnly in [true, false] {
          #expect(
            throwing(.storeReadOnly) {
              try backend.open(
                Location(path: path), layout: nil, options: OpenOptions(isReadOnly: isReadOnly))
            })
        }
        #expect(
          throwing(.storeReadOnly) {
            try backend.open(Location(path: path + "2"), layout: FireballWatch.layout, options: OpenOptions())
          })
      }
      #expect(try folder.files() == ["test.sqlite"])
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
      await #expect(processExitsWith: .success) { [path = path as String] in
        if getuid() == 0 { try #require(chmod((path as NSString).deletingLastPathComponent, 0o777) == 0) }
        if getuid() == 0 { try #require(setuid(65534) == 0) }
        let backend = SQLiteBackend()
        #expect(
          throwing(.storeReadOnly) {
            try backend.open(Location(path: path), layout: nil, options: OpenOptions())
          })
        let store = try backend.open(
          Location(path: path), layout: nil, options: OpenOptions(isReadOnly: true))
        #expect(try store.read { try $0.count(of: 0) } == 0)
        try store.close()
      }
    }

    @Test func `a store is refused after fork, and the parent's is not harmed`() async throws {
      await #expect(processExitsWith: .success) {
        let folder = try TemporaryFolder()
        let store = try folder.open()
        try store.write {
          try $0.insert([FireballWatch.sighting(1)], into: 0, FireballWatch.fireball, from: 1)
        }
        let snapshot = try store.snapshot()
        typealias Fork = @convention(c) () -> Int32
        let symbol = try #require(dlsym(nil, "fork"))
        let child = unsafeBitCast(symbol, to: Fork.self)()
        if child == 0 {
          var refused = 0
          do { _ = try store.snapshot() } catch ErrorCode.storeForked { refused += 1 } catch {}
          do { _ = try store.begin(until: .now) } catch ErrorCode.storeForked { refused += 1 } catch {}
          do { _ = try snapshot.head() } catch ErrorCode.storeForked { refused += 1 } catch {}
          do { try store.close() } catch ErrorCode.storeForked { refused += 1 } catch {}
          snapshot.close()
          // Nor may the child open the file anew: SQLite would count on locks that the parent has.
          do { _ = try folder.open(layout: nil) } catch ErrorCode.storeForked { refused += 1 } catch {}
          _exit(Int32(refused))
        }
        var status: Int32 = 0
        #expect(waitpid(child, &status, 0) == child)
        #expect(status == 5 << 8)
        #expect(try snapshot.count(of: 0) == 1)
        snapshot.close()
        try store.write { try $0.delete([1], of: 0) }
        try store.close()
        #expect(try folder.files() == ["test.sqlite"])
      }
    }
  }
#endif

import BolideStorage
import CLMDB
import Foundation
import Testing

@testable import BolideLMDB

/// What is at a location, and what opening makes of it (rules S-2 to S-4).
@Suite struct OpeningTests {
  /// The names and bytes of a folder's files.
  private func contents(_ path: String) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      files[name] = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
    }
    return files
  }

  /// S10: the file of another store in the place of a folder.
  @Test func `a file in place of the folder is foreign`() throws {
    let fixture = try Fixture()
    try Data("SQLite format 3\0".utf8).write(to: fixture.folder.appending(path: "store"))
    #expect(code { _ = try fixture.open() } == .storeForeign)
    #expect(try Data(contentsOf: fixture.folder.appending(path: "store")).count == 16)
  }

  @Test(arguments: ["notes.txt", "store.sqlite", "data.mdb"])
  func `a folder with other contents is foreign and left alone`(_ name: String) throws {
    let fixture = try Fixture()
    try FileManager.default.createDirectory(atPath: fixture.path(), withIntermediateDirectories: true)
    try Data(String(repeating: "some text\n", count: 900).utf8)
      .write(to: URL(fileURLWithPath: fixture.path() + "/" + name))
    let before = try contents(fixture.path())
    for layout in [Fixture.layout, nil] {
      #expect(code { _ = try fixture.open(layout: layout) } == .storeForeign)
    }
    #expect(try contents(fixture.path()) == before)
  }

  @Test func `an environment of another application is foreign and left alone`() throws {
    let fixture = try Fixture()
    try FileManager.default.createDirectory(atPath: fixture.path(), withIntermediateDirectories: true)
    var environment: OpaquePointer?
    #expect(mdb_env_create(&environment) == 0)
    #expect(mdb_env_open(environment, fixture.path(), 0, 0o600) == 0)
    mdb_env_close(environment)
    let before = try contents(fixture.path())
    #expect(code { _ = try fixture.open() } == .storeForeign)
    #expect(try contents(fixture.path()) == before)
  }

  @Test func `nothing, or an empty folder, is missing without a layout and made with one`() throws {
    let fixture = try Fixture()
    #expect(code { _ = try fixture.open(layout: nil) } == .storeMissing)
    #expect(code { _ = try fixture.open("no/such/folder") } == .storeMissing)
    #expect(code { _ = try Fixture.open("") } == .storeMissing)
    #expect(!FileManager.default.fileExists(atPath: fixture.path()))
    try FileManager.default.createDirectory(atPath: fixture.path(), withIntermediateDirectories: true)
    #expect(code { _ = try fixture.open(layout: nil) } == .storeMissing)
    #expect(try contents(fixture.path()).isEmpty)
    try fixture.open().close()
    #expect(try contents(fixture.path()).keys.sorted() == ["bolide.lock", "data.mdb", "lock.mdb"])
  }

  @Test func `a creation that was interrupted is taken up again`() throws {
    let fixture = try Fixture()
    // Killed after the lock file, after LMDB made an empty file, and after it wrote its first pages.
    for step in 0...2 {
      let path = fixture.path("store\(step)")
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try Data().write(to: URL(fileURLWithPath: path + "/bolide.lock"))
      if step == 1 { try Data().write(to: URL(fileURLWithPath: path + "/data.mdb")) }
      if step == 2 {
        var environment: OpaquePointer?
        #expect(mdb_env_create(&environment) == 0)
        #expect(mdb_env_open(environment, path, 0, 0o600) == 0)
        mdb_env_close(environment)
      }
      #expect(code { _ = try Fixture.open(path, layout: nil) } == .storeMissing)
      let store = try Fixture.open(path)
      try store.insert([("a", nil)])
      try store.close()
    }
  }

  /// S10: an empty file. What was whole once is not made anew.
  @Test func `a store whose data is gone or empty is damaged, and made anew by nobody`() throws {
    let fixture = try Fixture()
    let store = try fixture.open()
    try store.insert([("a", nil)])
    try store.copy(to: Location(path: fixture.path("copy")))
    try store.close()
    for name in ["store", "copy"] {
      let data = fixture.path(name) + "/data.mdb"
      let whole = try Data(contentsOf: URL(fileURLWithPath: data))
      for step in 0...1 {
        if step == 0 { try Data().write(to: URL(fileURLWithPath: data)) } else { unlink(data) }
        for layout in [Fixture.layout, nil] {
          #expect(code { _ = try fixture.open(name, layout: layout) } == .storeDamaged)
        }
        #expect(try contents(fixture.path(name))["data.mdb"] ?? Data() == Data())
      }
      try whole.write(to: URL(fileURLWithPath: data))
      let again = try fixture.open(name, layout: nil)
      #expect(try again.read { try $0.holders(["a"]) } == [1])
      try again.close()
    }
  }

  /// S-4: LMDB makes the table of readers anew when nobody has the file open.
  @Test func `the lock file of another store is not believed`() throws {
    let fixture = try Fixture()
    let other = try fixture.open("other")
    for number in 1...30 { try other.insert([("word \(number)", nil)], from: Number(number)) }
    let readers = try (0..<20).map { _ in try other.snapshot() }
    let table = try Data(contentsOf: URL(fileURLWithPath: fixture.path("other") + "/lock.mdb"))
    let store = try fixture.open()
    try store.insert([("a", nil)])
    try store.close()
    for bytes in [table, Data(table.reversed()), Data(repeating: 0xFF, count: table.count), Data()] {
      try bytes.write(to: URL(fileURLWithPath: fixture.path() + "/lock.mdb"))
      let again = try fixture.open(layout: nil)
      #expect(try again.read { try $0.holders(["a"]) } == [1])
      try again.write { try $0.setMetadata("k", [1]) }
      #expect(try again.statistics().snapshots == 0)
      try again.close()
    }
    for reader in readers { reader.close() }
  }

  /// L4: a hard link is one more spelling.
  @Test func `two names of one file are one store`() throws {
    let fixture = try Fixture()
    let first = try fixture.open()
    try FileManager.default.createDirectory(atPath: fixture.path("link"), withIntermediateDirectories: false)
    try FileManager.default.linkItem(
      atPath: fixture.path() + "/data.mdb", toPath: fixture.path("link") + "/data.mdb")
    let second = try fixture.open("link", layout: nil)
    for number in 1...10 {
      try (number.isMultiple(of: 2) ? first : second).insert([("word \(number)", nil)], from: Number(number))
    }
    let writer = try second.begin(until: .now)
    #expect(code { _ = try first.begin(until: .now + .milliseconds(5)) } == .storeBusy)
    writer.rollback()
    try first.close()
    try second.insert([("last", nil)], from: 11)
    try second.close()
    let again = try fixture.open(layout: nil)
    #expect(try again.read { try $0.numbers() } == Array(1...11))
    try again.close()
  }

  @Test func `files are for their owner only`() throws {
    let fixture = try Fixture()
    let store = try fixture.open()
    try store.copy(to: Location(path: fixture.path("copy")))
    for name in ["store", "copy"] {
      var status = stat()
      #expect(stat(fixture.path(name), &status) == 0)
      #expect(status.st_mode & 0o777 == 0o700)
      for file in try FileManager.default.contentsOfDirectory(atPath: fixture.path(name)) {
        #expect(stat(fixture.path(name) + "/" + file, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600, "\(name)/\(file)")
      }
    }
  }

  @Test func `a newer format is told from damage`() throws {
    for (text, expected) in [("bolide-lmdb/2", ErrorCode.storeNewer), ("bolide-lmdb/x", .storeDamaged)] {
      let fixture = try Fixture()
      try fixture.open().close()
      var environment: OpaquePointer?
      var transaction: OpaquePointer?
      var database: MDB_dbi = 0
      #expect(mdb_env_create(&environment) == 0)
      #expect(mdb_env_set_maxdbs(environment, 4) == 0)
      #expect(mdb_env_open(environment, fixture.path(), 0, 0o600) == 0)
      #expect(mdb_txn_begin(environment, nil, 0, &transaction) == 0)
      #expect(mdb_dbi_open(transaction, "bolide", 0, &database) == 0)
      try RecordWriter(transaction: #require(transaction), database: database)
        .put(MetadataRecord.format, [UInt8](text.utf8))
      #expect(mdb_txn_commit(transaction) == 0)
      mdb_env_close(environment)
      let before = try Data(contentsOf: URL(fileURLWithPath: fixture.path() + "/data.mdb"))
      #expect(code { _ = try fixture.open() } == expected)
      #expect(try Data(contentsOf: URL(fileURLWithPath: fixture.path() + "/data.mdb")) == before)
    }
  }

  /// L4: two openings share one environment, and closing one leaves the other.
  @Test func `one file is one store, however its path is spelled`() throws {
    let fixture = try Fixture()
    let first = try fixture.open()
    try FileManager.default.createSymbolicLink(
      atPath: fixture.path("link"), withDestinationPath: fixture.path())
    let second = try fixture.open("link")
    let third = try fixture.open("../\(fixture.folder.lastPathComponent)/store/")
    try first.insert([("a", nil)])
    let writer = try second.begin(until: .now)
    #expect(code { _ = try first.begin(until: .now + .milliseconds(5)) } == .storeBusy)
    writer.rollback()
    try first.close()
    #expect(try second.read { try $0.texts([1]) } == ["a"])
    try second.close()
    try third.insert([("b", nil)], from: 2)
    #expect(try third.read { try $0.count(of: 0) } == 2)
    try third.close()
    #expect(code { _ = try third.snapshot() } == .storeClosed)
  }

  /// S5: the superuser may write everywhere, so a process of its own gives that up.
  @Test func `without permission to write a store is refused with the reason, and nothing is made`()
    async throws
  {
    let fixture = try Fixture()
    let store = try fixture.open()
    try store.insert([("a", nil)])
    try store.close()
    let files = try FileManager.default.contentsOfDirectory(atPath: fixture.path()).sorted()
    for file in files {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o444], ofItemAtPath: fixture.path() + "/" + file)
    }
    for path in [fixture.path(), fixture.folder.path] {
      try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: path)
    }
    let path = fixture.path()
    await #expect(processExitsWith: .success) { [path = path as String] in
      if getuid() == 0 { try #require(setuid(65534) == 0) }
      #expect(code { _ = try Fixture.open(path, layout: nil) } == .storeReadOnly)
      // A reader has to be entered in the lock file, which LMDB cannot do here either: it says so.
      let options = OpenOptions(isReadOnly: true)
      #expect(code { _ = try Fixture.open(path, layout: nil, options: options) } == .storeReadOnly)
    }
    for path in [fixture.path(), fixture.folder.path] {
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.path()).sorted() == files)
  }

  @Test func `many openings at once make one store`() throws {
    let fixture = try Fixture()
    let path = fixture.path()
    let stores = try inParallel(8) { _ in try Fixture.open(path) }
    _ = try inParallel(8) { number in
      try stores[number].insert([("word \(number)", nil)], from: Number(number + 1))
    }
    for store in stores { #expect(try store.read { try $0.count(of: 0) } == 8) }
    for store in stores { try store.close() }
  }

  /// L13: many named databases, and one more later.
  @Test func `sixty entities with three indexes each, and one more later`() throws {
    let fixture = try Fixture()
    try fixture.open("small").close()
    let large = Self.layout(tables: 60)
    for name in ["store", "small"] {
      let store = try fixture.open(name, layout: large)
      if name == "small" {
        var layout = large
        layout.tables.insert(Fixture.layout.tables[0], at: 0)
        layout.entities = layout.tables.indices.map { .init(name: layout.tables[$0].name, table: $0) }
        try store.write { try $0.change(layout) }
      }
      for table in store.layout.tables.indices {
        try store.write { (transaction) throws in
          var taken: [Taken] = []
          let count = try transaction.insert(
            Fixture.batch([("a", "b")]), of: table, numberedFrom: 1, taken: &taken)
          #expect(count == 1)
        }
      }
      try store.close()
    }
    let store = try fixture.open()
    try store.write { try $0.change(Self.layout(tables: 61)) }
    #expect(try store.read { try $0.count(of: 59) } == 1)
  }

  @Test func `a layout beyond the environment's room opens it anew, or says why not`() throws {
    let fixture = try Fixture()
    let store = try fixture.open()
    try store.insert([("a", nil)])
    let snapshot = try store.snapshot()
    var large = Self.layout(tables: 300)
    large.tables.insert(Fixture.layout.tables[0], at: 0)
    large.entities = large.tables.indices.map { .init(name: large.tables[$0].name, table: $0) }
    #expect(code { try store.write { try $0.change(large) } } == .storeLimit)
    snapshot.close()
    let other = try fixture.open()
    let undone = try store.begin(until: .now)
    try undone.change(large)
    undone.rollback()
    for open in [store, other] { #expect(try open.read { try $0.holders(["a"]) } == [1]) }
    try other.insert([("other", nil)], from: 10)
    try other.write { try $0.delete([10], of: 0) }
    try store.write { try $0.change(large) }
    #expect(try store.read { try $0.texts([1]) } == ["a"])
    try store.insert([("b", nil)], from: 2)
    try store.close()
    let again = try fixture.open()
    #expect(again.layout.tables.count == 301)
    #expect(try again.read { try $0.texts([1, 2]) } == ["a", "b"])
  }

  private static func layout(tables count: Int) -> Layout {
    let tables = (0..<count).map { number in
      var table = Fixture.layout.tables[0]
      table.name = "Table\(number)"
      return table
    }
    return Layout(
      tables: tables, links: [],
      entities: tables.indices.map { EntityLayout(name: tables[$0].name, table: $0) })
  }
}

/// Runs `body` on as many threads at once and returns what they did, in order.
func inParallel<Result: Sendable>(
  _ count: Int, _ body: @escaping @Sendable (Int) throws -> Result
) throws -> [Result] {
  let box = Results<Result>()
  let done = DispatchSemaphore(value: 0)
  for number in 0..<count {
    Thread.detachNewThread {
      box.keep(number, Swift.Result { try body(number) })
      done.signal()
    }
  }
  for _ in 0..<count { done.wait() }
  return try (0..<count).compactMap { try box.result($0)?.get() }
}

private final class Results<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var results: [Int: Result<Value, any Error>] = [:]

  func keep(_ number: Int, _ result: Result<Value, any Error>) { lock.withLock { results[number] = result } }
  func result(_ number: Int) -> Result<Value, any Error>? { lock.withLock { results[number] } }
}

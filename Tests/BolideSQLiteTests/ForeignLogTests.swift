import BolideSQLite
import BolideStorage
import Foundation
import Testing

/// S-4, S3: SQLite applies whatever log or journal stands beside a file. What is not the file's own is refused, and
/// nothing is lost.
@Suite struct ForeignLogTests {
  private struct Files: Equatable {
    var main: Data
    var log: Data?
  }

  /// The bytes of a store, for which no other process may have it open.
  private static func files(of path: String) throws -> Files {
    Files(
      main: try #require(FileManager.default.contents(atPath: path)),
      log: FileManager.default.contents(atPath: path + "-wal"))
  }

  /// Puts a file and a log into a new folder.
  private static func lay(_ files: Files) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try files.main.write(to: URL(fileURLWithPath: folder.store))
    try files.log?.write(to: URL(fileURLWithPath: folder.store + "-wal"))
    return folder
  }

  /// Writes one transaction: a row, or where the number is a multiple of five a position, which is no history.
  private static func write(_ number: Int, to store: any OpenStore) throws {
    try store.write { transaction in
      if number.isMultiple(of: 5) { return try transaction.setMetadata("position", [UInt8(number)]) }
      let place = Number(try transaction.count(of: 0) + 1)
      try transaction.insert([FireballWatch.sighting(number)], into: 0, FireballWatch.fireball, from: place)
      try transaction.append([])
    }
  }

  /// What a store holds, in comparable form.
  private static func contents(of store: any OpenStore) throws -> [String] {
    try store.read { reader in
      ["\(try reader.head())", "\(try reader.metadata("position") ?? [])"]
        + (try reader.values(of: 0, FireballWatch.fireball)).map { "\($0)" }
    }
  }

  /// A store in the middle of its life: closed, opened again, written to, with a log.
  private static func inUse(_ numbers: ClosedRange<Int>) throws -> Files {
    let folder = try TemporaryFolder()
    try folder.open().close()
    let store = try folder.open()
    defer { try? store.close() }
    for number in numbers { try write(number, to: store) }
    return try files(of: folder.store)
  }

  @Test(arguments: [false, true])
  func `the log of another store, made by the same steps, is refused`(isReadOnly: Bool) throws {
    let (one, other) = (try Self.inUse(1...9), try Self.inUse(1...9))
    #expect(one.main.count == other.main.count)
    let mixed = Files(main: one.main, log: other.log)
    let folder = try Self.lay(mixed)
    for layout in [nil, FireballWatch.layout] {
      #expect(
        throwing(.storeForeignLog) {
          try folder.open(layout: layout, options: OpenOptions(isReadOnly: isReadOnly))
        })
      #expect(try Self.files(of: folder.store) == mixed)
      #expect(try folder.files() == ["test.sqlite", "test.sqlite-wal"])
    }
    // The remedy: with its own log the file is whole.
    try #require(one.log).write(to: URL(fileURLWithPath: folder.store + "-wal"))
    let store = try folder.open(layout: nil)
    #expect(try store.read { try $0.count(of: 0) } == 8)
    try store.close()
  }

  @Test func `the log of another program's database is refused`() throws {
    let other = try TemporaryFolder()
    try Shell.run("PRAGMA journal_mode = WAL; CREATE TABLE t (x)", on: other.store)
    var log = Data()
    try Shell.run("PRAGMA wal_checkpoint(TRUNCATE)", on: other.store)
    // The log is looked at while a connection keeps it.
    try Shell.keeping("INSERT INTO t VALUES (randomblob(9000))", on: other.store) {
      log = try #require(FileManager.default.contents(atPath: other.store + "-wal"))
    }
    #expect(log.count > 9000)
    let mixed = Files(main: try Self.inUse(1...3).main, log: log)
    let folder = try Self.lay(mixed)
    #expect(throwing(.storeForeignLog) { try folder.open() })
    #expect(try Self.files(of: folder.store) == mixed)
  }

  /// A backup was put in place of the file, or of the log, or a log outlived its file.
  @Test func `file and log of different moments open only where together they are a committed state`() throws
  {
    let source = try TemporaryFolder()
    var store = try source.open()
    var moments: [(files: Files, contents: [String])] = []
    for number in 1...48 {
      try Self.write(number, to: store)
      switch number % 16 {
      case 6: try store.maintain()
      case 11:
        try store.close()
        store = try source.open(layout: nil)
      case 13:
        // Half of a log is in the file: a reader keeps the rest from being copied.
        let pin = try store.snapshot()
        try Self.write(100 + number, to: store)
        try store.maintain()
        pin.close()
      default: break
      }
      moments.append((try Self.files(of: source.store), try Self.contents(of: store)))
    }
    try store.close()
    var refused = 0
    for (place, file) in moments.enumerated() {
      for (other, log) in moments.enumerated() where log.files.log?.isEmpty == false {
        let mixed = Files(main: file.files.main, log: log.files.log)
        let folder = try Self.lay(mixed)
        do {
          let store = try folder.open(layout: nil)
          let seen = try Self.contents(of: store)
          try store.close()
          #expect(seen == log.contents, "file \(place) with log \(other)")
          #expect(try Shell.run("PRAGMA integrity_check", on: folder.store) == ["ok"])
        } catch ErrorCode.storeForeignLog {
          refused += 1
          #expect(place != other)
          #expect(try Self.files(of: folder.store) == mixed)
        }
      }
    }
    #expect(refused > 500)
  }

  @Test(arguments: ["-wal", "-journal"])
  func `what is left of a store that is gone is not taken for a new one's`(suffix: String) throws {
    let log = try #require(try Self.inUse(1...9).log)
    let folder = try TemporaryFolder()
    try log.write(to: URL(fileURLWithPath: folder.store + suffix))
    #expect(throwing(.storeForeignLog) { try folder.open() })
    let source = try folder.open("source")
    #expect(throwing(.storeForeignLog) { try source.copy(to: Location(path: folder.store)) })
    try source.close()
    #expect(try folder.files() == ["source", "test.sqlite" + suffix])
    #expect(FileManager.default.contents(atPath: folder.store + suffix) == log)
  }

  @Test func `a journal that SQLite would play back is refused`() throws {
    let other = try TemporaryFolder()
    try Shell.run("CREATE TABLE t (x); INSERT INTO t VALUES (randomblob(90000))", on: other.store)
    var journal = Data()
    try Shell.keeping("PRAGMA cache_size = 1; BEGIN; UPDATE t SET x = randomblob(90000)", on: other.store) {
      journal = try #require(FileManager.default.contents(atPath: other.store + "-journal"))
    }
    #expect(journal.first == 0xD9)
    let folder = try TemporaryFolder()
    let store = try folder.open()
    try Self.write(1, to: store)
    try store.close()
    let before = FileManager.default.contents(atPath: folder.store)
    try journal.write(to: URL(fileURLWithPath: folder.store + "-journal"))
    for isReadOnly in [true, false] {
      #expect(
        throwing(.storeForeignLog) {
          try folder.open(layout: nil, options: OpenOptions(isReadOnly: isReadOnly))
        })
    }
    #expect(FileManager.default.contents(atPath: folder.store) == before)
    #expect(try folder.files() == ["test.sqlite", "test.sqlite-journal"])
  }

  @Test func `an index of a log that is not its own is made anew`() throws {
    let own = try Self.inUse(1...9)
    let other = try TemporaryFolder()
    let store = try other.open()
    for number in 1...30 { try Self.write(number, to: store) }
    let index = try #require(FileManager.default.contents(atPath: other.store + "-shm"))
    try store.close()
    for bytes in [index, Data(index.reversed()), Data(repeating: 0xFF, count: 40_000)] {
      let folder = try Self.lay(own)
      try bytes.write(to: URL(fileURLWithPath: folder.store + "-shm"))
      let store = try folder.open(layout: nil)
      #expect(try store.read { try $0.count(of: 0) } == 8)
      try Self.write(10, to: store)
      try Self.write(11, to: store)
      try store.close()
      #expect(
        try Shell.run("PRAGMA integrity_check; SELECT count(*) FROM Fireball", on: folder.store) == [
          "ok", "9",
        ])
    }
  }

  @Test func `what another program committed is not thrown away, and can be taken over`() throws {
    let folder = try TemporaryFolder()
    try folder.open().close()
    var files = try Self.files(of: folder.store)
    try Shell.keeping("INSERT INTO FireballGroup (_number, name) VALUES (1, 'Pacific')", on: folder.store) {
      files = try Self.files(of: folder.store)
    }
    let left = try Self.lay(files)
    #expect(throwing(.storeForeignLog) { try left.open() })
    #expect(try Self.files(of: left.store) == files)
    try Shell.run("PRAGMA wal_checkpoint(TRUNCATE)", on: left.store)
    let store = try left.open(layout: nil)
    #expect(try store.read { try $0.count(of: 1) } == 1)
    try store.close()
  }

  @Test func `two names of one file share one log`() throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    try FileManager.default.createDirectory(
      atPath: folder.path + "/elsewhere", withIntermediateDirectories: false)
    try FileManager.default.linkItem(atPath: folder.store, toPath: folder.path + "/elsewhere/name")
    let other = try folder.open("elsewhere/name", layout: nil)
    for number in 1...12 { try Self.write(number, to: number.isMultiple(of: 2) ? store : other) }
    let held = try store.begin(until: .now + .seconds(30))
    #expect(throwing(.storeBusy) { try other.begin(until: .now) })
    held.rollback()
    #expect(try Self.contents(of: store) == Self.contents(of: other))
    #expect(try folder.files() == ["elsewhere", "test.sqlite", "test.sqlite-shm", "test.sqlite-wal"])
    try store.close()
    try Self.write(13, to: other)
    try other.close()
    #expect(try folder.files() == ["elsewhere", "test.sqlite"])
    let again = try folder.open("elsewhere/name", layout: nil)
    #expect(try again.read { try $0.count(of: 0) } == 11)
    // A name that went away is none to keep a log by.
    try FileManager.default.removeItem(atPath: folder.path + "/elsewhere/name")
    #expect(throwing(.storeIO) { try folder.open(layout: nil) })
    try again.close()
  }
}

import BolideSQLite
import BolideStorage
import Foundation
import Testing

/// What may stand at a path, and what is left behind.
@Suite struct OpeningTests {
  /// S3: after a clean close the main file alone is the store.
  @Test func `a store is one private file once it is closed`() throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    try store.write { try $0.insert([FireballWatch.sighting(1)], into: 0, FireballWatch.fireball, from: 1) }
    #expect(try folder.files() == ["test.sqlite", "test.sqlite-shm", "test.sqlite-wal"])
    for file in try folder.files() {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/" + file)
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file)")
    }
    let snapshot = try store.snapshot()
    try store.close()
    #expect(try snapshot.count(of: 0) == 1)
    snapshot.close()
    #expect(try folder.files() == ["test.sqlite"])
  }

  @Test func `a store opened for reading leaves nothing behind`() throws {
    let folder = try TemporaryFolder()
    try folder.open().close()
    let before = FileManager.default.contents(atPath: folder.store)
    let store = try folder.open(layout: nil, options: OpenOptions(isReadOnly: true))
    #expect(try store.read { try $0.count(of: 0) } == 0)
    try store.close()
    #expect(FileManager.default.contents(atPath: folder.store) == before)
    #expect(try folder.files() == ["test.sqlite"])
  }

  /// S10: an empty file, text, a page of a web server.
  @Test(arguments: ["", "just a text", String(repeating: "<html>down for maintenance</html>\n", count: 500)])
  func `a file that is no database is refused and kept`(text: String) throws {
    let folder = try TemporaryFolder()
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder.store))
    for layout in [nil, FireballWatch.layout] {
      #expect(throws: BolideError.self) { try folder.open(layout: layout) }
      #expect(throwing(.storeForeign) { try folder.open(layout: layout) })
    }
    #expect(FileManager.default.contents(atPath: folder.store) == Data(text.utf8))
    #expect(try folder.files() == ["test.sqlite"])
  }

  @Test func `a folder, and nothing in no folder, are refused`() throws {
    let folder = try TemporaryFolder()
    #expect(
      throwing(.storeForeign) {
        try SQLiteBackend().open(
          Location(path: folder.path), layout: FireballWatch.layout, options: OpenOptions())
      })
    #expect(throwing(.storeMissing) { try folder.open("no/such.sqlite") })
    #expect(throwing(.storeMissing) { try folder.open(layout: nil) })
    #expect(try folder.files() == [])
  }

  @Test(arguments: ["DELETE", "WAL"])
  func `another program's database is refused and kept`(mode: String) throws {
    let folder = try TemporaryFolder()
    try Shell.run(
      "PRAGMA journal_mode = \(mode); CREATE TABLE t (x); INSERT INTO t VALUES (1)", on: folder.store)
    let before = FileManager.default.contents(atPath: folder.store)
    #expect(throwing(.storeForeign) { try folder.open() })
    #expect(FileManager.default.contents(atPath: folder.store) == before)
    #expect(try folder.files() == ["test.sqlite"])
  }

  @Test func `a newer format is refused and kept`() throws {
    let folder = try TemporaryFolder()
    try folder.open().close()
    try Shell.run("PRAGMA user_version = 2", on: folder.store)
    let before = FileManager.default.contents(atPath: folder.store)
    #expect(throwing(.storeNewer) { try folder.open() })
    #expect(FileManager.default.contents(atPath: folder.store) == before)
  }

  /// S10: a store with a page overwritten.
  @Test func `any page may be overwritten, and reading gives typed errors and changes nothing`() throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    try store.write { transaction in
      try transaction.insert((1...100).map(FireballWatch.sighting), into: 0, FireballWatch.fireball, from: 1)
      try transaction.append([
        ChangeRun(entity: 0, kind: .insert, properties: ColumnSet(), numbers: [1...100])
      ])
    }
    try store.close()
    let url = URL(fileURLWithPath: folder.store)
    let whole = try Data(contentsOf: url)
    var failures = 0
    for page in 0..<(whole.count / 4096) {
      var damaged = whole
      for offset in 0..<4096 {
        damaged[page * 4096 + offset] ^= UInt8(truncatingIfNeeded: offset &* 37 &+ 91)
      }
      try damaged.write(to: url)
      do {
        let store = try folder.open(layout: nil)
        defer { try? store.close() }
        try store.read { reader in
          _ = try reader.values(of: 0, FireballWatch.fireball)
          for index in 0...2 {
            _ = try reader.values(of: 0, FireballWatch.fireball, by: .index(index, lower: nil, upper: nil))
          }
          var runs: [ChangeRun] = []
          try reader.runs(of: 1, into: &runs)
        }
      } catch let error as BolideError {
        failures += 1
        #expect([.storeDamaged, .storeForeign].contains(error.code), "page \(page): \(error)")
      }
      #expect(try Data(contentsOf: url) == damaged, "page \(page)")
      #expect(try folder.files() == ["test.sqlite"], "page \(page)")
    }
    #expect(failures > 10)
  }

  @Test func `a check of all pages finds damage that opening does not meet`() throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    try store.write {
      try $0.insert((1...400).map(FireballWatch.sighting), into: 0, FireballWatch.fireball, from: 1)
    }
    try store.verify()
    try store.close()
    let url = URL(fileURLWithPath: folder.store)
    let whole = try Data(contentsOf: url)
    var found = 0
    for page in (whole.count / 4096 - 12)..<(whole.count / 4096) {
      var damaged = whole
      for offset in 0..<16 { damaged[page * 4096 + offset] ^= 0xFF }
      try damaged.write(to: url)
      guard let store = try? folder.open(layout: nil) else { continue }
      if throwing(.storeDamaged, { try store.verify() }) { found += 1 }
      try store.close()
    }
    #expect(found >= 10)
  }

  @Test func `values of a wrong type are damage, with the place named`() throws {
    for change in [
      "altitude = 'high'", "isSeen = 7", "id = x'00'", "place = x'00'", "thumbnail = 'x'",
      "dateTimeStamp = 'x'",
    ] {
      let folder = try TemporaryFolder()
      let store = try folder.open()
      try store.write { try $0.insert([FireballWatch.sighting(1)], into: 0, FireballWatch.fireball, from: 1) }
      try store.close()
      try Shell.run("UPDATE Fireball SET \(change)", on: folder.store)
      let damaged = try folder.open()
      #expect(throwing(.storeDamaged) { try damaged.read { try $0.values(of: 0, FireballWatch.fireball) } })
      try damaged.close()
    }
    let folder = try TemporaryFolder()
    let store = try folder.open()
    try store.write {
      try $0.append([ChangeRun(entity: 0, kind: .insert, properties: ColumnSet(), numbers: [1...9])])
    }
    for objects in ["3-1", "1,", ",", "1,1", "x", "1-3,9,99", "99999999999999999999"] {
      try Shell.run("UPDATE bolide_change SET objects = '\(objects)'", on: folder.store)
      var runs: [ChangeRun] = []
      #expect(throwing(.storeDamaged) { try store.read { try $0.runs(of: 1, into: &runs) } }, "\(objects)")
    }
    try store.close()
  }

  @Test func `metadata that contradicts itself is damage`() throws {
    for change in [
      "DELETE FROM bolide_metadata WHERE key = '.layout'",
      "UPDATE bolide_metadata SET value = '{}' WHERE key = '.layout'",
      "UPDATE bolide_metadata SET value = '{}' WHERE key = '.names'",
      "UPDATE bolide_metadata SET value = replace(value, '\"columns\":[1]', '\"columns\":[99]')",
      "DROP TABLE bolide_metadata",
    ] {
      let folder = try TemporaryFolder()
      try folder.open().close()
      try Shell.run(change, on: folder.store)
      #expect(throwing(.storeDamaged) { try folder.open() }, "\(change)")
    }
  }

  @Test func `a symbolic link and a relative path lead to the same store`() throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/link", withDestinationPath: folder.store)
    let other = try folder.open("link", layout: nil)
    let held = try store.begin(until: .now + .seconds(30))
    #expect(throwing(.storeBusy) { try other.begin(until: .now) })
    held.rollback()
    try other.write { try $0.insert([FireballWatch.sighting(1)], into: 0, FireballWatch.fireball, from: 1) }
    #expect(try store.read { try $0.count(of: 0) } == 1)
    try other.close()
    try store.close()
    #expect(try folder.files() == ["link", "test.sqlite"])
  }

  @Test func `a path may hold whatever a path may hold`() throws {
    let folder = try TemporaryFolder()
    for name in ["a?b=c&d", "#1", "100%41", "two words", "Größe", "file:x", "it's \"here\""] {
      try folder.open(name).close()
      #expect(try folder.files() == [name])
      let store = try folder.open(name, layout: nil)
      #expect(try store.read { try $0.count(of: 0) } == 0)
      try store.copy(to: Location(path: folder.path + "/copy"))
      try store.close()
      for file in try folder.files() { try FileManager.default.removeItem(atPath: folder.path + "/" + file) }
    }
  }

  @Test func `a copy made while the store is in use is complete, and a taken place is refused`() throws {
    let folder = try TemporaryFolder()
    let store = try folder.open()
    try store.write {
      try $0.insert((1...50).map(FireballWatch.sighting), into: 0, FireballWatch.fireball, from: 1)
    }
    let held = try store.begin(until: .now + .seconds(30))
    try held.delete(Array(1...50), of: 0)
    try store.copy(to: Location(path: folder.path + "/copy"))
    #expect(throwing(.storeIO) { try store.copy(to: Location(path: folder.path + "/copy")) })
    held.rollback()
    try store.close()
    #expect(try folder.files() == ["copy", "test.sqlite"])
    let copy = try folder.open("copy", layout: nil)
    #expect(try copy.read { try $0.count(of: 0) } == 50)
    #expect(try Shell.run("PRAGMA integrity_check", on: folder.path + "/copy") == ["ok"])
    try copy.close()
  }
}

/// Whether the body throws an error with the code.
func throwing<Result>(_ code: ErrorCode, _ body: () throws -> Result) -> Bool {
  do {
    _ = try body()
    Issue.record("no \(code.name) was thrown")
    return false
  } catch let error as BolideError {
    if error.code != code { Issue.record("\(error)") }
    return error.code == code
  } catch {
    Issue.record("\(error)")
    return false
  }
}

import Bolide
import BolideLMDB
import BolidePreview
import BolideSQLite
import BolideStorage
import Foundation
import Testing

/// Stores that an earlier version wrote open, tell the same, and are migrated (S-2, U-11). `Fixtures/stores/README.md`
/// says how they were made.
@Suite struct OldFormatTests {
  private static let folder = Fixture.folder.deletingLastPathComponent().appending(path: "stores")

  /// Runs `body` with a copy of a stored fixture.
  private func withCopy(_ name: String, _ body: (StoreLocation) throws -> Void) throws {
    let manager = FileManager.default
    let folder = manager.temporaryDirectory.appending(path: "bolide-format-\(UUID().uuidString)")
    try manager.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? manager.removeItem(at: folder) }
    let copy = folder.appending(path: name)
    try manager.copyItem(at: Self.folder.appending(path: name), to: copy)
    try body(name.hasSuffix("sqlite") ? .sqlite(copy) : .lmdb(copy))
  }

  private func dump(_ container: PersistentContainer) throws -> [String] {
    var lines: [String] = []
    try withoutActuallyEscaping({ (line: String) throws in lines.append(line) }) {
      try container.dump(to: $0)
    }
    return lines
  }

  @Test(arguments: ["format-1.sqlite", "format-1.lmdb"])
  func `a store of format 1 opens and tells the same`(_ name: String) throws {
    let text = try String(contentsOf: Self.folder.appending(path: "format-1.txt"), encoding: .utf8)
    try withCopy(name) { location in
      let container = try PersistentContainer(at: location)
      #expect(try dump(container) == text.split(separator: "\n").map(String.init))
      #expect(try container.check() == [])
      #expect(container.schema == SampleModel.fireballWatch.schema)
      try container.close()
    }
  }

  @Test(arguments: ["format-1.sqlite", "format-1.lmdb"])
  func `a store of format 1 is migrated and written to`(_ name: String) throws {
    var later = SampleModel.fireballWatch.schema
    let place = try #require(later.entities.firstIndex { $0.name == "Fireball" })
    later.entities[place].attributes.append(
      AttributeDescription(name: "isFavorite", type: .boolean, isOptional: false, defaultValue: .bool(false)))
    try withCopy(name) { location in
      let container = try PersistentContainer(later, at: location)
      let context = container.newContext(author: "test")
      let result = try context.execute(
        BatchUpdateRequest(entity: "Fireball", values: ["isFavorite": .bool(true)]))
      #expect(result.count == 5)
      #expect(result.transaction == 2)
      #expect(try container.check() == [])
      try container.close()
    }
  }
}

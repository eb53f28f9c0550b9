import BolideLMDB
import BolideStorage
import Foundation

/// A temporary folder that is removed with the value, and the table that these tests write.
final class Fixture {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "bolide-lmdb-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// A place in the folder.
  func path(_ name: String = "store") -> String { folder.path + "/" + name }

  func open(
    _ name: String = "store", layout: Layout? = Fixture.layout, mapBytes: Int? = nil,
    options: OpenOptions = OpenOptions()
  ) throws -> any OpenStore {
    try Self.open(path(name), layout: layout, mapBytes: mapBytes, options: options)
  }

  static func open(
    _ path: String, layout: Layout? = Fixture.layout, mapBytes: Int? = nil,
    options: OpenOptions = OpenOptions()
  ) throws -> any OpenStore {
    try LMDBBackend(mapBytes: mapBytes)
      .open(Location(path: path), layout: layout, options: options)
  }

  /// Texts with a unique index, a plain one, and a plain one over both columns.
  static let layout = Layout(
    tables: [
      TableLayout(
        name: "Word",
        columns: [ColumnLayout(name: "text", type: .string), ColumnLayout(name: "note", type: .string)],
        indexes: [
          IndexLayout(name: "text", columns: [0], isUnique: true),
          IndexLayout(name: "note", columns: [1], isUnique: false),
          IndexLayout(name: "note_text", columns: [1, 0], isUnique: false),
        ], properties: ["text", "note"], preserved: [0])
    ], links: [], entities: [EntityLayout(name: "Word", table: 0)])

  static let format = layout.tables[0].format

  static func batch(_ rows: [(String?, String?)], numbers: [Number] = []) -> RowBatch {
    var batch = RowBatch(format)
    var builder = RowBuilder(format)
    for (place, row) in rows.enumerated() {
      builder.clear()
      if let text = row.0 { builder.set(0, text: text) }
      if let note = row.1 { builder.set(1, text: note) }
      builder.append(to: &batch, number: place < numbers.count ? numbers[place] : 0)
    }
    return batch
  }
}

extension OpenStore {
  func write<Result>(_ body: (any WriteTransaction) throws -> Result) throws -> Result {
    let transaction = try begin(until: .now + .seconds(20))
    do {
      let result = try body(transaction)
      _ = try transaction.commit(pinning: false)
      return result
    } catch {
      transaction.rollback()
      throw error
    }
  }

  func read<Result>(_ body: (any Snapshot) throws -> Result) throws -> Result {
    let snapshot = try snapshot()
    defer { snapshot.close() }
    return try body(snapshot)
  }

  /// Inserts words.
  @discardableResult
  func insert(_ rows: [(String?, String?)], from first: Number = 1) throws -> [Taken] {
    try write { (transaction) throws in
      var taken: [Taken] = []
      _ = try transaction.insert(Fixture.batch(rows), of: 0, numberedFrom: first, taken: &taken)
      return taken
    }
  }
}

extension Reader {
  /// The numbers of a range, read in chunks.
  func numbers(
    _ range: KeyRange = .all, backwards: Bool = false, limit: Int = 1000, columns: ColumnSet = .all(2)
  ) throws -> [Number] {
    var place: Place?
    var numbers: [Number] = []
    repeat {
      var batch = RowBatch(Fixture.format)
      try scan(
        range, of: 0, backwards: backwards, from: &place, limit: limit, columns: columns, into: &batch)
      numbers += batch.numbers
    } while place != nil
    return numbers
  }

  /// The words with these numbers; `nil` for one that is not there.
  func texts(_ numbers: [Number]) throws -> [String?] {
    var batch = RowBatch(Fixture.format)
    try rows(numbers, of: 0, columns: .all(2), into: &batch)
    return (0..<batch.count).map { batch.withRow(at: $0) { $0.text(0) } }
  }

  /// The holders of words; 0 for a word that nobody holds.
  func holders(_ texts: [String]) throws -> [Number] {
    var batch = RowBatch(Fixture.format)
    try find(Fixture.batch(texts.map { ($0, nil) }), of: 0, by: 0, columns: ColumnSet(), into: &batch)
    return batch.numbers
  }
}

/// The code of the error that a call throws; `nil` when it throws none.
func code(_ body: () throws -> Void) -> ErrorCode? {
  do {
    try body()
    return nil
  } catch {
    return (error as? BolideError)?.code ?? ErrorCode("test.other", meaning: "\(error)", remedy: "")
  }
}

import Bolide
import BolideConformance
import BolideStorage

/// What a store must hold after so many transactions of a tortured writer.
///
/// A transaction is a function of the seed, its number and what is there, so the writer and whoever checks the store
/// after a kill agree without a word. Every transaction changes something.
package struct TortureModel: Sendable {
  /// A transaction to write.
  enum Plan: Hashable, Sendable {
    case insert(ClosedRange<Int64>)
    case update(ClosedRange<Int64>)
    case delete(ClosedRange<Int64>)
    /// A new folder with members.
    case file([Int64])
    /// Other members for a folder; the entry of `marking` is changed, that of `dropping` deleted.
    case refile(UInt64, [Int64], marking: Int64, dropping: Int64?)
    case dropFolder(UInt64)
  }

  static let schema = Schema(
    name: "Torture",
    entities: [
      EntityDescription(
        name: "Entry",
        attributes: [
          AttributeDescription(name: "code", type: .int64, isOptional: false, isPreservedOnDeletion: true),
          AttributeDescription(name: "value", type: .int64),
        ],
        relationships: [
          RelationshipDescription(
            name: "folders", destination: "Folder", inverse: "entries", isToMany: true)
        ],
        uniquenessConstraints: [["code"]]),
      EntityDescription(
        name: "Folder",
        attributes: [
          AttributeDescription(name: "code", type: .int64),
          AttributeDescription(name: "size", type: .int64, derivation: .count(relationship: "entries")),
        ],
        relationships: [
          RelationshipDescription(
            name: "entries", destination: "Entry", inverse: "folders", isToMany: true)
        ]),
    ])

  private static let codes: Int64 = 600
  /// How many folders there are at most: a writer walks through all transactions again whenever it is started, so that
  /// one must cost the same however many came before.
  private static let mostFolders = 48
  private let seed: UInt64
  /// The number of the newest transaction.
  private(set) var head: UInt64 = 0
  /// Values by code.
  private(set) var entries: [Int64: Int64] = [:]
  /// Members by the number of the transaction that made the folder.
  private(set) var folders: [UInt64: Set<Int64>] = [:]

  package init(seed: UInt64) { self.seed = seed }

  /// The value that the next transaction writes: its number.
  var nextValue: Int64 { Int64(head + 1) }

  /// What the next transaction does.
  func next() -> Plan {
    var random = SplitMix64(seed: seed ^ (head + 1) &* 0x9E37_79B9_7F4A_7C15)
    let first = Int64.random(in: 0..<Self.codes, using: &random)
    let range = first...(first + Int64.random(in: 0..<60, using: &random))
    let present = range.filter { entries[$0] != nil }
    let folder = folders.keys.sorted().randomElement(using: &random)
    guard let one = present.first else { return .insert(range) }
    switch Int.random(in: 0..<12, using: &random) {
    case 0...2: return .insert(range)
    case 3...4: return .update(range)
    case 5: return .delete(range)
    case 6...7:
      if let folder, folders.count >= Self.mostFolders { return .dropFolder(folder) }
      return .file(Array(present.prefix(20)))
    case 8...10:
      guard let folder else { return .file(Array(present.prefix(5))) }
      let dropping = Bool.random(using: &random) ? entries.keys.filter { $0 != one }.min() : nil
      return .refile(folder, present.prefix(30).filter { $0 != dropping }, marking: one, dropping: dropping)
    default:
      return folder.map { .dropFolder($0) } ?? .insert(range)
    }
  }

  /// Does the next transaction.
  mutating func advance() {
    let value = nextValue
    switch next() {
    case .insert(let range): for code in range { entries[code] = value }
    case .update(let range): for code in range where entries[code] != nil { entries[code] = value }
    case .delete(let range): for code in range { remove(code) }
    case .file(let members): folders[head + 1] = Set(members)
    case .refile(let folder, let members, let marked, let dropped):
      folders[folder] = Set(members)
      entries[marked] = value
      if let dropped { remove(dropped) }
    case .dropFolder(let folder): folders[folder] = nil
    }
    head += 1
  }

  private mutating func remove(_ code: Int64) {
    entries[code] = nil
    for folder in folders.keys { folders[folder]?.remove(code) }
  }

  // MARK: Stores

  /// Writes the next transaction into a store; the model itself stays where it is.
  func writeNext(to container: PersistentContainer) throws {
    // The context's name tells the transaction's number, so that history can be checked against it.
    let context = container.newContext(author: "writer", name: String(head + 1))
    let value = Value.int(nextValue)
    switch next() {
    case .insert(let range):
      let records = range.map { ["code": Value.int($0), "value": value] }
      _ = try context.execute(BatchInsertRequest(entity: "Entry", records: records))
    case .update(let range):
      _ = try context.execute(
        BatchUpdateRequest(entity: "Entry", values: ["value": value], where: Self.codes(in: range)))
    case .delete(let range):
      _ = try context.execute(BatchDeleteRequest(entity: "Entry", where: Self.codes(in: range)))
    case .file(let members):
      let folder = try context.insert("Folder")
      try folder.setValue(value, for: "code")
      try folder.addObjects(try Self.entries(members, in: context), for: "entries")
      try context.save()
    case .refile(let code, let members, let marked, let dropped):
      guard let folder = try Self.folder(code, in: context) else { return }
      try folder.replaceObjects(try Self.entries(members, in: context), for: "entries")
      for entry in try Self.entries([marked], in: context) { try entry.setValue(value, for: "value") }
      if let dropped { for entry in try Self.entries([dropped], in: context) { context.delete(entry) } }
      try context.save()
    case .dropFolder(let code):
      if let folder = try Self.folder(code, in: context) { context.delete(folder) }
      try context.save()
    }
  }

  private static func codes(in range: ClosedRange<Int64>) -> Condition {
    .and([
      .compare(.path(["code"]), .greaterOrEqual, .literal(.int(range.lowerBound))),
      .compare(.path(["code"]), .lessOrEqual, .literal(.int(range.upperBound))),
    ])
  }

  private static func entries(
    _ codes: [Int64], in context: ManagedObjectContext
  ) throws -> [ManagedObject] {
    try context.fetch(
      FetchRequest<ManagedObject>(entity: "Entry", where: .in(.path(["code"]), codes.map(Value.int))))
  }

  private static func folder(
    _ code: UInt64, in context: ManagedObjectContext
  ) throws -> ManagedObject? {
    try context.fetch(
      FetchRequest<ManagedObject>(
        entity: "Folder", where: .compare(.path(["code"]), .equal, .literal(.int(Int64(code)))))
    ).first
  }

  /// How a store differs from the model, in data and history; empty when it does not.
  func differences(in container: PersistentContainer) throws -> [String] {
    var problems = try container.check()
    let context = container.newContext()
    var entries: [Int64: Int64] = [:]
    for entry in try context.fetch(FetchRequest<ManagedObject>(entity: "Entry")) {
      guard case .int(let code) = try entry.value("code"), case .int(let value) = try entry.value("value")
      else { continue }
      entries[code] = value
    }
    var folders: [UInt64: Set<Int64>] = [:]
    for folder in try context.fetch(FetchRequest<ManagedObject>(entity: "Folder")) {
      guard case .int(let code) = try folder.value("code") else { continue }
      folders[UInt64(code)] = Set(
        try folder.objects("entries").compactMap {
          if case .int(let code) = try $0.value("code") { code } else { nil }
        })
    }
    for code in Set(entries.keys).union(self.entries.keys).sorted() where entries[code] != self.entries[code]
    {
      let stored = entries[code].map(String.init) ?? "missing"
      problems.append("entry \(code) is \(stored), not \(self.entries[code].map(String.init) ?? "gone")")
    }
    for code in Set(folders.keys).union(self.folders.keys).sorted() where folders[code] != self.folders[code]
    {
      problems.append("folder \(code) has other members than it was given")
    }
    let extent = try container.historyExtent()
    let transactions = try container.history(PersistentHistoryRequest(resultType: .transactions)).transactions
    if transactions.map(\.number) != Array(extent.first..<(head + 1)) {
      problems.append("history does not go from \(extent.first) to \(head) without gaps")
    }
    for transaction in transactions where transaction.contextName != String(transaction.number) {
      problems.append("transaction \(transaction.number) was written as another one")
    }
    return problems
  }
}

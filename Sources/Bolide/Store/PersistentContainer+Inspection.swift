import BolideStorage

extension PersistentContainer {
  /// Every inconsistency of the store, a line each; empty when there is none.
  ///
  /// The files are looked at as a whole first: where they are damaged, that is all that is told, since rows that would be
  /// read from them mean nothing.
  public func check() throws -> [String] {
    do throws(BolideError) {
      try coordinator.store.verify()
    } catch {
      guard error.code == .storeDamaged else { throw error }
      return [error.message]
    }
    return try coordinator.read { try StoreCheck(coordinator, reader: $0).run() }
  }

  /// The canonical text of the store, line by line: equal for equal contents on every store.
  ///
  /// All of it is of one state, whoever writes meanwhile.
  /// - Parameters:
  ///   - entity: prints only this entity's rows and links.
  ///   - generation: the state, such as a context's ``ManagedObjectContext/queryGeneration``; the newest where `nil`.
  /// - Throws: `context.pinned-elsewhere` for a generation of another store, and what reading and `print` throw.
  public func dump(
    entity: String? = nil, at generation: QueryGeneration? = nil, to print: @escaping (String) throws -> Void
  ) throws {
    guard let generation else {
      return try coordinator.read { try StoreDump(coordinator, reader: $0, print: print).run(entity: entity) }
    }
    guard generation.token.storeID == storeID else {
      throw BolideError(.contextPinned, "the generation is of another store")
    }
    try StoreDump(coordinator, reader: generation.snapshot, print: print).run(entity: entity)
  }

  /// How many transactions history has, and the number of the oldest one that is left.
  public func historyExtent() throws(BolideError) -> (first: UInt64, last: UInt64) {
    let snapshot = try coordinator.store.snapshot()
    defer { snapshot.close() }
    return (try snapshot.historyStart().transaction + 1, try snapshot.head().transaction)
  }
}

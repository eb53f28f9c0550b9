import BolideStorage

extension PersistentContainer {
  /// Every inconsistency of the store, a line each; empty when there is none.
  public func check() throws -> [String] {
    try coordinator.read { try StoreCheck(coordinator, reader: $0).run() }
  }

  /// The canonical text of the store, line by line: equal for equal contents on every store.
  ///
  /// - Parameter entity: prints only this entity's rows and links.
  public func dump(entity: String? = nil, to print: @escaping (String) throws -> Void) throws {
    try coordinator.read { try StoreDump(coordinator, reader: $0, print: print).run(entity: entity) }
  }

  /// How many transactions history has, and the number of the oldest one that is left.
  public func historyExtent() throws(BolideError) -> (first: UInt64, last: UInt64) {
    let snapshot = try coordinator.store.snapshot()
    defer { snapshot.close() }
    return (try snapshot.historyStart().transaction + 1, try snapshot.head().transaction)
  }
}

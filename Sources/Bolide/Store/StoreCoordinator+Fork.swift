import BolideStorage

extension StoreCoordinator {
  /// Forks the store: the same contents under a new id, at once where the backend can (rule H-5).
  package func fork(to target: StoreLocation) throws(BolideError) -> StoreCoordinator {
    let store = try self.store.fork(to: target.location)
    do throws(BolideError) {
      let transaction = try store.begin(until: .now + timeout)
      let id = environment.uuid()
      try transaction.setMetadata(MetadataKey.storeID, Array(id.uuidString.lowercased().utf8))
      _ = try transaction.commit(pinning: false)
      // Schema and past are those of this store: working them out again would take longer than the fork.
      return StoreCoordinator(
        location: target, store: store, map: map, names: names, storeID: id, keepsHistory: keepsHistory,
        options: ContainerOptions(
          history: keepsHistory ? .on : .off, environment: environment, timeout: timeout, log: log),
        origin: self)
    } catch {
      try? store.close()
      throw error
    }
  }
}

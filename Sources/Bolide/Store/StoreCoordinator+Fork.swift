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
      // The schema is that of this store: reading it back would take longer than the fork.
      let identity = Identity(schema: map.schema, storeID: id, keepsHistory: keepsHistory, names: names)
      return try StoreCoordinator.adopt(
        store, identity: identity, map: map, at: target,
        options: ContainerOptions(
          history: keepsHistory ? .on : .off, environment: environment, timeout: timeout, log: log))
    } catch {
      try? store.close()
      throw error
    }
  }
}

import BolideStorage

extension StoreCoordinator {
  /// Forks the store: the same contents under a new id, at once where the backend can (rule H-5).
  package func fork(to target: StoreLocation) throws(BolideError) -> StoreCoordinator {
    let id = environment.uuid()
    let store = try self.store.fork(
      to: target.location, setting: [MetadataKey.storeID: Array(id.uuidString.lowercased().utf8)])
    // Schema and past are those of this store: working them out again would take longer than the fork.
    return StoreCoordinator(
      location: target, store: store, map: map, names: names, storeID: id, keepsHistory: keepsHistory,
      options: ContainerOptions(
        history: keepsHistory ? .on : .off, environment: environment, timeout: timeout, log: log),
      origin: self)
  }
}

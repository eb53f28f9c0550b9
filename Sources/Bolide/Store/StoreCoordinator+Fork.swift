import BolideStorage

extension StoreCoordinator {
  /// Forks the store: the same contents under a new id, at once where the backend can (rule H-5).
  package func fork(to target: StoreLocation) throws(BolideError) -> StoreCoordinator {
    let store = try self.store.fork(to: target.location)
    do throws(BolideError) {
      let transaction = try store.begin(until: .now + timeout)
      try transaction.setMetadata(
        MetadataKey.storeID, Array(environment.uuid().uuidString.lowercased().utf8))
      _ = try transaction.commit(pinning: false)
      return try StoreCoordinator.adopt(
        store, map: map, at: target,
        options: ContainerOptions(
          history: keepsHistory ? .on : .off, environment: environment, timeout: timeout, log: log))
    } catch {
      try? store.close()
      throw error
    }
  }
}

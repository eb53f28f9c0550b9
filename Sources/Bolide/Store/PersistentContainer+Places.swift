import BolideStorage

extension PersistentContainer {
  /// Writes a complete copy of the newest state to a free place of the same backend, also while the store is in use: a
  /// backup.
  ///
  /// The copy has the store's id and history, so tokens go on with it until the two part (rule H-5).
  ///
  /// - Throws: `store.io` where the place is taken, `store.disk-full`; nothing is left there then.
  public func copy(to location: StoreLocation) throws(BolideError) {
    try coordinator.store.copy(to: location.location)
  }

  /// Moves the store, with its id and history, to a free place of the same backend, also while it is in use, and closes
  /// this container.
  ///
  /// Contexts of this container get `store.closed`. Other openings, in other processes too, keep the generations that they
  /// hold and get `store.schema-changed` for anything more: nothing can be written to what is left behind.
  ///
  /// - Returns: the store, opened at its new place.
  /// - Throws: `store.io` where the place is taken, `store.busy`, `store.read-only`, `store.disk-full`; the store is where
  ///   it was then, and open. `store.unsupported` where the backend cannot move stores.
  public func move(to location: StoreLocation) throws(BolideError) -> PersistentContainer {
    try coordinator.store.move(to: location.location, until: .now + coordinator.timeout)
    let target = StoreLocation(
      self.location.backend, location.location, options: self.location.options)
    return PersistentContainer(
      try StoreCoordinator.open(
        schema, at: target,
        options: ContainerOptions(
          history: coordinator.keepsHistory ? .on : .off, environment: coordinator.environment,
          timeout: coordinator.timeout, log: coordinator.log)), classes: classes)
  }
}

import BolideStorage

extension PersistentContainer {
  /// Writes a complete copy of the newest state to a free place of the same backend, also while the store is in use: a
  /// backup.
  ///
  /// The copy has the store's id and history, so tokens go on with it until the two part (rule H-5). The options of the
  /// location are for whoever opens it.
  ///
  /// - Throws: `store.unsupported` for a place of another backend, `store.io` where the place is taken, `store.disk-full`; nothing is left there then.
  public func copy(to location: StoreLocation) throws(BolideError) {
    try checkPlace(location)
    try coordinator.store.copy(to: location.location)
  }

  /// Moves the store, with its id and history, to a free place of the same backend, also while it is in use, and closes
  /// this container.
  ///
  /// Contexts of this container get `store.closed`. Other openings, in other processes too, keep the generations that they
  /// hold and get `store.schema-changed` for anything more: nothing can be written to what is left behind.
  ///
  /// - Returns: the store, opened at its new place with the options that it was open with.
  /// - Throws: `store.io` where the place is taken, `store.busy`, `store.read-only`, `store.disk-full`; the store is where
  ///   it was then, and open. `store.unsupported` for a place of another backend, and where the backend cannot move stores.
  public func move(to location: StoreLocation) throws(BolideError) -> PersistentContainer {
    try checkPlace(location)
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

  /// Refuses a place that this store's backend cannot put a store at; stores in memory are of one backend object each.
  func checkPlace(_ target: StoreLocation) throws(BolideError) {
    let own = location.backend
    if own.capabilities.isDurable ? target.backend.name == own.name : target.backend === own { return }
    throw BolideError(
      .storeUnsupported, "a \(own.name) store can only be put where its own backend keeps stores",
      remedy: own.capabilities.isDurable
        ? "give a place of the kind \(own.name), or import an export of the store into the other"
        : "fork it without a location, or give a location that has the backend of this one")
  }
}

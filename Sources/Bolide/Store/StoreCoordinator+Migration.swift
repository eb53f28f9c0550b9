import BolideStorage

/// Opening a store with a later schema than it has (rule U-11).
extension StoreCoordinator {
  /// Brings a store to another schema in one transaction, or refuses it and leaves the store as it was.
  ///
  /// - Throws: `schema.mismatch` where the schema is no later version of the store's, `migration.duplicates`,
  ///   `migration.data`, `store.busy`, and what the store throws.
  static func migrate(
    _ store: any OpenStore, from identity: Identity, to wanted: SchemaMap, at location: StoreLocation,
    options: ContainerOptions
  ) throws(BolideError) {
    let plan = MigrationPlan(from: try SchemaMap(identity.schema), to: wanted)
    guard plan.refusals.isEmpty else { throw mismatch(plan.refusals, at: location) }
    guard options.migration == .automatic, !location.options.isReadOnly else {
      throw mismatch(
        plan.steps, at: location,
        remedy: location.options.isReadOnly
          ? "open it once for writing, so that it is migrated" : "open it with the schema it was made with")
    }
    while try !run(plan, on: store, from: identity, options: options) {}
  }

  /// Runs a plan; `false` where it has to run again with more room.
  private static func run(
    _ plan: MigrationPlan, on store: any OpenStore, from identity: Identity, options: ContainerOptions
  ) throws(BolideError) -> Bool {
    let transaction = try store.begin(until: .now + options.timeout)
    do throws(BolideError) {
      // Another opener may have been first.
      guard try transaction.metadata(MetadataKey.schema) == [UInt8](try identity.schema.json()) else {
        throw BolideError(.storeSchemaChanged, "another opener changed the store's schema in this moment")
      }
      let before = try store.snapshot()
      defer { before.close() }
      try Migration(plan, in: transaction, before: before, environment: options.environment).run(
        stored: store.layout)
      _ = try transaction.commit(pinning: false)
      return true
    } catch {
      transaction.rollback()
      if error.code == .storeMapFull { return false }
      throw error
    }
  }

  static func mismatch(_ lines: [String], at location: StoreLocation, remedy: String? = nil) -> BolideError {
    BolideError(
      .schemaMismatch,
      "the store at \(location.location.path) was made with another schema: "
        + lines.prefix(3).joined(separator: "; ") + (lines.count > 3 ? " and \(lines.count - 3) more" : ""),
      remedy: remedy, details: lines)
  }
}

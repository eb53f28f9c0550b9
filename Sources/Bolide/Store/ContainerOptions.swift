/// How a container opens its store.
public struct ContainerOptions: Sendable {
  /// Whether writes leave history (rule H-9).
  public var history: HistoryOption
  /// Clock, ids and process names.
  public var environment: StoreEnvironment
  /// How long a write waits for other writers (rule S-3).
  public var timeout: Duration
  /// Gets a line for what is allowed and worth knowing: a transaction without an author (rule H-9).
  public var log: (@Sendable (String) -> Void)?

  /// What happens to a store that was made with an earlier version of the schema (rule U-11).
  public var migration: MigrationOption

  /// What happens to a store of another schema.
  public enum MigrationOption: Sendable {
    /// It is brought to the new schema in one transaction, where that is a later version; else it is refused.
    case automatic
    /// It is refused with `schema.mismatch`, and the error's details say what a migration would do.
    case refused
  }

  /// Whether a store keeps history.
  public enum HistoryOption: Sendable {
    /// Every write that changes something is a transaction of the history.
    case on
    /// Nothing is recorded. A store that has history cannot be opened so.
    case off
  }

  /// Usual options: history on, the system's environment, five seconds, automatic migration.
  public init(
    history: HistoryOption = .on, environment: StoreEnvironment = .system, timeout: Duration = .seconds(5),
    migration: MigrationOption = .automatic, log: (@Sendable (String) -> Void)? = nil
  ) {
    self.migration = migration
    self.history = history
    self.environment = environment
    self.timeout = timeout
    self.log = log
  }
}

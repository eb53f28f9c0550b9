import BolideStorage

/// Asks for objects of an entity: which, in what order, how many.
public struct FetchRequest<Object: ManagedObject> {
  /// The name of the entity.
  public var entityName: String
  /// Which objects; `nil` for all.
  public var condition: Condition?
  /// The order (rule V-4); without terms by object number.
  public var sort: [SortTerm]
  /// The most objects to return.
  public var limit: Int?
  /// How many objects to skip first.
  public var offset: Int
  /// Whether objects of sub-entities count.
  public var includesSubentities = true
  /// Whether the context's unsaved edits count: in the objects found, and in all that conditions, orders and columns
  /// reach over relationships. Derived attributes are those stored.
  public var includesPendingChanges = true
  /// How many objects ``ManagedObjectContext/fetchBatches(_:)`` reads together.
  public var fetchBatchSize = 100
  /// Paths of relationships whose objects are read along, in few calls: `groups`, `owner.items`.
  public var relationshipKeyPathsForPrefetching: [String] = []
  /// Whether objects that the context holds already get the stored values; their unsaved edits stay.
  public var shouldRefreshRefetchedObjects = false
  /// What ``ManagedObjectContext/fetchRows(_:)`` gives of each object or group; all attributes, or what is
  /// grouped by, when empty.
  public var propertiesToFetch: [FetchColumn] = []
  /// Paths to group by, such as `net` or `owner.name`; rows then stand for groups of objects.
  public var propertiesToGroupBy: [String] = []
  /// Which groups; a condition on what is grouped by and on aggregates, such as `@count > 10`.
  public var having: Condition?
  /// Whether of equal rows only the first counts.
  public var returnsDistinctRows = false

  /// What is wrong with the request; thrown when it runs.
  var problem: BolideError?

  /// Asks by the entity's name.
  public init(
    entity: String, where condition: Condition? = nil, sort: [SortTerm] = [], limit: Int? = nil,
    offset: Int = 0
  ) {
    entityName = entity
    self.condition = condition
    self.sort = sort
    self.limit = limit
    self.offset = offset
  }
}

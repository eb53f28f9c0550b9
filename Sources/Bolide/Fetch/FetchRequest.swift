import BolideStorage

/// Asks for objects of an entity: which, in what order, how many.
public struct FetchRequest<Object: ManagedObject> {
  /// What is asked; the class of the objects has no part in it.
  @usableFromInline var terms: FetchTerms

  /// The name of the entity.
  public var entityName: String {
    get { terms.entityName }
    set { terms.entityName = newValue }
  }
  /// Which objects; `nil` for all.
  public var condition: Condition? {
    get { terms.condition }
    set { terms.condition = newValue }
  }
  /// The order (rule V-4); without terms by object number.
  public var sort: [SortTerm] {
    get { terms.sort }
    set { terms.sort = newValue }
  }
  /// The most objects to return.
  public var limit: Int? {
    get { terms.limit }
    set { terms.limit = newValue }
  }
  /// How many objects to skip first.
  public var offset: Int {
    get { terms.offset }
    set { terms.offset = newValue }
  }
  /// Whether objects of sub-entities count.
  public var includesSubentities: Bool {
    get { terms.includesSubentities }
    set { terms.includesSubentities = newValue }
  }
  /// Whether the context's unsaved edits count: in the objects found, and in all that conditions, orders and columns
  /// reach over relationships. Derived attributes are those stored.
  public var includesPendingChanges: Bool {
    get { terms.includesPendingChanges }
    set { terms.includesPendingChanges = newValue }
  }
  /// How many objects ``ManagedObjectContext/fetchBatches(_:)`` reads together.
  public var fetchBatchSize: Int {
    get { terms.fetchBatchSize }
    set { terms.fetchBatchSize = newValue }
  }
  /// Paths of relationships whose objects are read along, in few calls: `groups`, `owner.items`.
  public var relationshipKeyPathsForPrefetching: [String] {
    get { terms.relationshipKeyPathsForPrefetching }
    set { terms.relationshipKeyPathsForPrefetching = newValue }
  }
  /// Whether objects that the context holds already get the stored values; their unsaved edits stay.
  public var shouldRefreshRefetchedObjects: Bool {
    get { terms.shouldRefreshRefetchedObjects }
    set { terms.shouldRefreshRefetchedObjects = newValue }
  }
  /// What ``ManagedObjectContext/fetchRows(_:)`` gives of each object or group; all attributes, or what is
  /// grouped by, when empty.
  public var propertiesToFetch: [FetchColumn] {
    get { terms.propertiesToFetch }
    set { terms.propertiesToFetch = newValue }
  }
  /// Paths to group by, such as `net` or `owner.name`; rows then stand for groups of objects.
  public var propertiesToGroupBy: [String] {
    get { terms.propertiesToGroupBy }
    set { terms.propertiesToGroupBy = newValue }
  }
  /// Which groups; a condition on what is grouped by and on aggregates, such as `@count > 10`.
  public var having: Condition? {
    get { terms.having }
    set { terms.having = newValue }
  }
  /// Whether of equal rows only the first counts.
  public var returnsDistinctRows: Bool {
    get { terms.returnsDistinctRows }
    set { terms.returnsDistinctRows = newValue }
  }
  /// What is wrong with the request; thrown when it runs.
  var problem: BolideError? {
    get { terms.problem }
    set { terms.problem = newValue }
  }

  /// Asks by the entity's name.
  public init(
    entity: String, where condition: Condition? = nil, sort: [SortTerm] = [], limit: Int? = nil,
    offset: Int = 0
  ) {
    terms = FetchTerms(
      entityName: entity, condition: condition, sort: sort, limit: limit, offset: offset)
  }

  init(_ terms: FetchTerms) { self.terms = terms }
}

/// What a request asks for, whatever the class of the objects: requests of all classes are answered by the same code.
@usableFromInline
struct FetchTerms {
  var entityName: String
  var condition: Condition?
  var sort: [SortTerm]
  var limit: Int?
  var offset: Int
  var includesSubentities: Bool = true
  var includesPendingChanges: Bool = true
  var fetchBatchSize: Int = 100
  var relationshipKeyPathsForPrefetching: [String] = []
  var shouldRefreshRefetchedObjects: Bool = false
  var propertiesToFetch: [FetchColumn] = []
  var propertiesToGroupBy: [String] = []
  var having: Condition?
  var returnsDistinctRows: Bool = false
  var problem: BolideError?
}

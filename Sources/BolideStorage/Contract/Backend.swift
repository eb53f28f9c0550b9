/// A kind of store: what a storage author writes, and all that the layer above knows of it.
///
/// A backend holds no rules. It keeps canonical rows (``RowBatch``) under their numbers, keeps indexes
/// and link tables true, keeps history records, and offers snapshots and one writer at a time. Every
/// call is synchronous and takes a chunk: 256 to 1,024 rows is the usual size.
public protocol Backend: AnyObject, Sendable {
  /// A short name for messages, such as `sqlite`.
  var name: String { get }
  /// What the backend can do.
  var capabilities: Capabilities { get }
  /// What bounds it.
  var limits: Limits { get }

  /// Opens the store at a location.
  ///
  /// - Parameters:
  ///   - layout: used only to create a store where there is none; an existing store keeps its own
  ///     (``OpenStore/layout``), and the layer above compares. With `nil` nothing is created.
  /// - Throws: `store.missing`, `store.foreign`, `store.damaged`, `store.newer-format`,
  ///   `store.read-only`, `store.busy`, `store.io`. What is at the location is left as it was.
  func open(_ location: Location, layout: Layout?, options: OpenOptions) throws(BolideError) -> any OpenStore
}

/// Where a store is, in the words of its backend: a file for SQLite, a folder for LMDB, a name in memory.
public struct Location: Hashable, Sendable {
  /// The path or name.
  public var path: String
  /// Whether nobody asks for the place again once its store is closed: a backend that keeps stores in memory may
  /// free this one with its last opener. Others need not look at it.
  public var isTransient: Bool

  /// Names a place.
  public init(path: String, isTransient: Bool = false) {
    self.path = path
    self.isTransient = isTransient
  }
}

/// How a store is opened.
public struct OpenOptions: Hashable, Sendable {
  /// Opens for reading only; writes are refused with `store.read-only` and nothing is created.
  public var isReadOnly: Bool
  /// What a commit waits for (rule S-1).
  public var durability: Durability
  /// How long opening may wait for other processes.
  public var timeout: Duration
  /// Page cache in bytes, for engines that have one.
  public var cacheBytes: Int

  /// What a commit survives.
  public enum Durability: String, Hashable, Sendable {
    /// Any kill of the process; a power failure may cost the last transactions, never consistency.
    case process
    /// A power failure, too: each commit is synced.
    case power
  }

  /// Usual options: read and write, ``Durability/process``, five seconds, 32 MiB.
  public init(
    isReadOnly: Bool = false, durability: Durability = .process, timeout: Duration = .seconds(5),
    cacheBytes: Int = 32 << 20
  ) {
    self.isReadOnly = isReadOnly
    self.durability = durability
    self.timeout = timeout
    self.cacheBytes = cacheBytes
  }
}

/// A backend with a location and options: what a container is opened at.
///
/// Stores add static members: `.sqlite(url)`, `.lmdb(url)`, `.inMemory`.
public struct StoreLocation: Sendable {
  /// The kind of store.
  public var backend: any Backend
  /// The place.
  public var location: Location
  /// How to open it.
  public var options: OpenOptions

  /// Names a store.
  public init(_ backend: any Backend, _ location: Location, options: OpenOptions = OpenOptions()) {
    self.backend = backend
    self.location = location
    self.options = options
  }
}

import BolideStorage
import Synchronization

/// Stores that live in memory: the whole of Bolide's behavior without a file.
///
/// A location is a name within one backend: what was stored under it is there again when it is opened
/// again, for as long as the backend lives; a transient one is freed with its last opener. Two backends
/// share nothing.
///
/// ```swift
/// let location = MemoryBackend.freshLocation()   // a store of its own, gone with its last user
/// ```
/// Data are kept in ordered copy-on-write trees, so a snapshot and a fork take constant time, and a
/// writer copies only pages that a snapshot or the last commit can still see.
public final class MemoryBackend: Backend {
  private let places = Mutex(Places())

  /// The stores by their names.
  private struct Places {
    private var all: [Location: Place] = [:]
    /// How many names there may be before those of transient stores that are gone are swept out.
    private var sweepLimit = 64

    subscript(_ location: Location) -> MemoryCore? { all[location]?.core }

    mutating func add(_ core: MemoryCore, at location: Location) {
      if all.count >= sweepLimit {
        all = all.filter { $0.value.core != nil }
        sweepLimit = max(64, 2 * all.count)
      }
      all[location] = Place(core, at: location)
    }

    mutating func remove(_ location: Location) -> Place? { all.removeValue(forKey: location) }

    mutating func remove(_ core: MemoryCore) -> Place? {
      all.first { $0.value.core === core }.flatMap { all.removeValue(forKey: $0.key) }
    }
  }

  /// A store under its name: kept by the backend, or only as long as somebody has it open.
  private struct Place {
    weak var core: MemoryCore?
    private let kept: MemoryCore?

    init(_ core: MemoryCore, at location: Location) {
      self.core = core
      kept = location.isTransient ? nil : core
    }
  }

  /// A backend without stores.
  public init() {}

  /// `memory`.
  public var name: String { "memory" }

  /// In memory nothing outlives the process, nothing is shared with others, and forks are free.
  public var capabilities: Capabilities {
    Capabilities(
      isDurable: false, sharesBetweenProcesses: false, forksInConstantTime: true, opensReadOnly: true,
      moves: true)
  }

  /// Bound by memory alone.
  public var limits: Limits { Limits() }

  /// A location that nobody else knows, in a new backend: its store is freed with the last that refers to it.
  public static func freshLocation() -> StoreLocation {
    StoreLocation(MemoryBackend(), Location(path: "store"))
  }

  /// Opens the store with this name.
  public func open(
    _ location: Location, layout: Layout?, options: OpenOptions
  ) throws(BolideError) -> any OpenStore {
    let core = places.withLock { places -> MemoryCore? in
      if let core = places[location] { return core }
      guard let layout, !options.isReadOnly else { return nil }
      let core = MemoryCore(StoreState(StoreContents(layout), pool: PagePool()))
      places.add(core, at: location)
      return core
    }
    guard let core else {
      throw BolideError(.storeMissing, "there is no store named \(location.path) in memory")
    }
    return MemoryStore(core, of: self, isReadOnly: options.isReadOnly)
  }

  /// Forgets the store with this name; whoever has it open keeps it.
  public func remove(_ location: Location) {
    // Given up outside the lock: that may free many pages.
    let place = places.withLock { $0.remove(location) }
    withExtendedLifetime(place) {}
  }

  /// Forgets a store, whatever its name.
  func remove(_ core: MemoryCore) {
    let place = places.withLock { $0.remove(core) }
    withExtendedLifetime(place) {}
  }

  /// Starts a store at a free location from a state.
  func place(_ state: StoreState, at location: Location) throws(BolideError) -> MemoryCore {
    let core = places.withLock { places -> MemoryCore? in
      guard places[location] == nil else { return nil }
      let core = MemoryCore(state)
      places.add(core, at: location)
      return core
    }
    guard let core else {
      throw BolideError(
        .storeIO, "there is a store named \(location.path) in memory", remedy: "choose another name")
    }
    return core
  }
}

import BolideStorage
import Synchronization

/// Stores that live in memory: the whole of Bolide's behavior without a file.
///
/// A location is a name within one backend: what was stored under it is there again when it is opened
/// again, for as long as the backend lives. Two backends share nothing.
///
/// ```swift
/// let location = MemoryBackend.freshLocation()   // a store of its own, gone with its last user
/// ```
/// Data are kept in ordered copy-on-write trees, so a snapshot and a fork take constant time, and a
/// writer copies only pages that a snapshot or the last commit can still see.
public final class MemoryBackend: Backend {
  private let cores = Mutex<[Location: MemoryCore]>([:])

  /// A backend without stores.
  public init() {}

  /// `memory`.
  public var name: String { "memory" }

  /// In memory nothing outlives the process, nothing is shared with others, and forks are free.
  public var capabilities: Capabilities {
    Capabilities(
      isDurable: false, sharesBetweenProcesses: false, forksInConstantTime: true, opensReadOnly: true)
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
    let core = cores.withLock { cores -> MemoryCore? in
      if let core = cores[location] { return core }
      guard let layout, !options.isReadOnly else { return nil }
      let core = MemoryCore(StoreState(StoreContents(layout), pool: PagePool()))
      cores[location] = core
      return core
    }
    guard let core else {
      throw BolideError(.storeMissing, "there is no store named \(location.path) in memory")
    }
    return MemoryStore(core, of: self, isReadOnly: options.isReadOnly)
  }

  /// Forgets the store with this name; whoever has it open keeps it.
  public func remove(_ location: Location) {
    let core = cores.withLock { $0.removeValue(forKey: location) }
    withExtendedLifetime(core) {}
  }

  /// Starts a store at a free location from a state.
  func place(_ state: StoreState, at location: Location) throws(BolideError) -> MemoryCore {
    let core = cores.withLock { cores -> MemoryCore? in
      guard cores[location] == nil else { return nil }
      let core = MemoryCore(state)
      cores[location] = core
      return core
    }
    guard let core else {
      throw BolideError(
        .storeIO, "there is a store named \(location.path) in memory", remedy: "choose another name")
    }
    return core
  }
}

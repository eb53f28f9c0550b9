import BolideStorage
import Foundation
import Synchronization

/// What one run of a case works with: locations and stores, closed and removed at its end.
public final class CaseStage: Sendable {
  /// Where stores come from.
  public let provider: any StoreProvider
  /// The seed of whatever is random in the case; the same in every run with the same seed.
  public let seed: UInt64
  private let state = Mutex(State())

  private struct State {
    var backend: StageBackend?
    var locations: [URL] = []
    var stores: [any OpenStore] = []
    var endings: [@Sendable () -> Void] = []
    var verifications: [@Sendable () throws -> Void] = []

    mutating func takeAll() -> State {
      let all = self
      self = State()
      return all
    }
  }

  init(_ provider: any StoreProvider, caseID: String, seed: UInt64) {
    self.provider = provider
    // FNV-1a: hashes of the standard library differ from run to run.
    self.seed = seed ^ caseID.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  /// A free location, removed at the end.
  public func makeLocation() throws -> URL {
    let location = try provider.makeLocation()
    state.withLock { $0.locations.append(location) }
    return location
  }

  /// The case's provider as one backend, so that a copy in memory has the backend of its origin.
  var backend: StageBackend {
    state.withLock { state in
      let backend = state.backend ?? StageBackend(self)
      state.backend = backend
      return backend
    }
  }

  /// Opens a store, closed at the end.
  public func open(_ location: URL, layout: Layout) throws -> any OpenStore {
    keep(try provider.open(location, layout: layout))
  }

  /// Opens a store at a new location.
  public func open(_ layout: Layout) throws -> any OpenStore { try open(makeLocation(), layout: layout) }

  /// Has a store closed at the end.
  public func keep(_ store: any OpenStore) -> any OpenStore {
    state.withLock { $0.stores.append(store) }
    return store
  }

  /// Has something done before the stores are closed.
  public func atEnd(_ ending: @escaping @Sendable () -> Void) {
    state.withLock { $0.endings.append(ending) }
  }

  /// Has something checked after the case's own steps, while its stores are open.
  func verifyAtEnd(_ verification: @escaping @Sendable () throws -> Void) {
    state.withLock { $0.verifications.append(verification) }
  }

  /// Makes the checks that were asked for.
  func verify() throws {
    for verification in state.withLock(\.verifications) { try verification() }
  }

  /// Closes all stores and removes all locations.
  func strike() throws {
    let ended = state.withLock { $0.takeAll() }
    for ending in ended.endings.reversed() { ending() }
    for store in ended.stores.reversed() { try close(store) }
    for location in ended.locations { try remove(location) }
  }

  private func close(_ store: any OpenStore) throws {
    do {
      try store.close()
    } catch let error where error.code == .storeClosed {
      return
    }
  }

  private func remove(_ location: URL) throws {
    do {
      try provider.destroy(location)
    } catch let error as CocoaError where error.code == .fileNoSuchFile {
      return  // a location that the case made no store at
    }
  }
}

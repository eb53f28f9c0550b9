import Bolide
import BolideStorage
import Foundation

/// A case's provider as a backend, so that containers can be opened at its locations.
final class StageBackend: Backend {
  private let stage: CaseStage

  init(_ stage: CaseStage) { self.stage = stage }

  var name: String { stage.provider.name }
  var capabilities: Capabilities { stage.provider.capabilities }
  var limits: Limits { stage.provider.backend?.limits ?? Limits() }

  func open(
    _ location: Location, layout: Layout?, options: OpenOptions
  ) throws(BolideError) -> any OpenStore {
    if let backend = stage.provider.backend {
      return stage.keep(try backend.open(location, layout: layout, options: options))
    }
    do {
      // A provider without a backend keeps a store's own layout, so an empty one changes nothing.
      return try stage.open(
        URL(filePath: location.path), layout: layout ?? Layout(tables: [], links: [], entities: []))
    } catch let error as BolideError {
      throw error
    } catch {
      throw BolideError(.storeIO, "the provider could not open a store: \(error)")
    }
  }
}

extension CaseStage {
  /// Where a container is opened at one of this case's locations.
  func storeLocation(_ location: URL) -> StoreLocation {
    StoreLocation(backend, Location(path: location.path))
  }

  /// Opens a container, at a new location unless one is given; at the end it must be consistent.
  func container(
    _ schema: Schema, at location: URL? = nil, options: ContainerOptions = .suite()
  ) throws -> PersistentContainer {
    let location = try location ?? makeLocation()
    return watch(try PersistentContainer(schema, at: storeLocation(location), options: options))
  }

  /// Closes a container and opens its store again.
  func reopen(
    _ container: PersistentContainer, options: ContainerOptions = .suite()
  ) throws -> PersistentContainer {
    try container.close()
    return watch(try PersistentContainer(container.schema, at: container.location, options: options))
  }

  /// Has a container checked for consistency at the end, unless it was closed before.
  func watch(_ container: PersistentContainer) -> PersistentContainer {
    verifyAtEnd {
      do {
        try checkEqual(try container.check(), [], "what the store's own check finds")
      } catch ErrorCode.storeClosed {
        return
      }
    }
    return container
  }
}

extension ContainerOptions {
  /// A clock that stands still, ids and nonces that repeat with the seed.
  static func suite(
    clock: TestClock = TestClock(), seed: UInt64 = 1, history: HistoryOption = .on
  ) -> ContainerOptions {
    ContainerOptions(
      history: history, environment: .fixed(clock: clock, seed: seed, processName: "suite", processID: 7),
      timeout: .seconds(20))
  }
}

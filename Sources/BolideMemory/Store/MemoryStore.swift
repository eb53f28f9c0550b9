import BolideStorage
import Synchronization

/// One opener's view of a store in memory.
final class MemoryStore: OpenStore {
  private let core: MemoryCore
  private let backend: MemoryBackend
  private let isReadOnly: Bool
  private let status: Mutex<Status>

  private struct Status {
    var layout: Layout
    var isClosed = false
  }

  init(_ core: MemoryCore, of backend: MemoryBackend, isReadOnly: Bool) {
    self.core = core
    self.backend = backend
    self.isReadOnly = isReadOnly
    status = Mutex(Status(layout: core.newest.contents.shape.layout))
  }

  var layout: Layout { status.withLock(\.layout) }

  func snapshot() throws(BolideError) -> any Snapshot {
    let opened = core.open()
    do throws(BolideError) {
      try requireOpen(epoch: opened.state.contents.shape.layout.epoch)
    } catch {
      core.close(opened.place)
      throw error
    }
    return MemorySnapshot(opened, of: core)
  }

  func begin(until deadline: ContinuousClock.Instant) throws(BolideError) -> any WriteTransaction {
    try requireOpen()
    if isReadOnly { throw BolideError(.storeReadOnly, "the store in memory was opened for reading only") }
    try core.enter(until: deadline)
    do throws(BolideError) {
      let state = core.newest
      try requireOpen(epoch: state.contents.shape.layout.epoch)
      return MemoryTransaction(from: state, of: core, in: self)
    } catch {
      core.queue.leave()
      throw error
    }
  }

  func onCommit(_ ring: @escaping @Sendable () -> Void) -> any AnyObject & Sendable { core.register(ring) }

  func statistics() throws(BolideError) -> Statistics {
    try requireOpen()
    return core.statistics
  }

  func maintain() throws(BolideError) { try requireOpen() }

  func copy(to location: Location) throws(BolideError) {
    try requireOpen()
    _ = try backend.place(core.newest, at: location)
  }

  func move(to location: Location, until deadline: ContinuousClock.Instant) throws(BolideError) {
    try requireOpen(epoch: core.newest.contents.shape.layout.epoch)
    if isReadOnly { throw BolideError(.storeReadOnly, "the store in memory was opened for reading only") }
    try core.enter(until: deadline)
    defer { core.queue.leave() }
    _ = try backend.place(core.newest, at: location)
    core.retire()
    backend.remove(core)
    try close()
  }

  func fork(
    to location: Location, setting metadata: [String: [UInt8]]
  ) throws(BolideError) -> any OpenStore {
    try requireOpen()
    let state = core.newest.setting(metadata)
    return MemoryStore(try backend.place(state, at: location), of: backend, isReadOnly: false)
  }

  func close() throws(BolideError) {
    let wasClosed = status.withLock { status in
      let wasClosed = status.isClosed
      status.isClosed = true
      return wasClosed
    }
    if wasClosed { throw Self.closed }
  }

  /// Takes over the layout of a committed change.
  func adopt(_ layout: Layout) { status.withLock { $0.layout = layout } }

  /// Refuses calls after the end, and states whose layout this opener does not know.
  private func requireOpen(epoch: UInt64? = nil) throws(BolideError) {
    let (isClosed, known) = status.withLock { ($0.isClosed, $0.layout.epoch) }
    if isClosed { throw Self.closed }
    if let epoch, epoch != known || core.hasMoved {
      throw BolideError(
        .storeSchemaChanged, "another opener changed the layout of the store in memory, or moved it")
    }
  }

  private static let closed = BolideError(.storeClosed, "the store in memory was closed")
}

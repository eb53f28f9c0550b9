import BolideStorage
import Foundation
import Synchronization

/// A small store in one file of a folder: the whole state is in memory and is written anew by each commit.
public final class AcmeStore: OpenStore {
  private let held: Mutex<Shared?>

  /// What all openers of a folder share.
  final class Shared: Sendable {
    let folder: URL
    let writing = NSLock()
    let state: Mutex<AcmeState>
    let rings = Mutex<[ObjectIdentifier: @Sendable () -> Void]>([:])
    let snapshots = Mutex<[ObjectIdentifier: Date]>([:])

    private static let open = Mutex<[String: WeakShared]>([:])
    private struct WeakShared: Sendable { weak let shared: Shared? }

    init(_ folder: URL, _ state: AcmeState) {
      self.folder = folder
      self.state = Mutex(state)
    }

    static func at(_ folder: URL, layout: Layout) throws(BolideError) -> Shared {
      let result = open.withLock { open -> Result<Shared, BolideError> in
        if let shared = open[folder.path]?.shared { return .success(shared) }
        do throws(BolideError) {
          let shared = Shared(folder, try loadOrCreate(folder, layout))
          open[folder.path] = WeakShared(shared: shared)
          return .success(shared)
        } catch { return .failure(error) }
      }
      return try result.get()
    }

    private static func loadOrCreate(_ folder: URL, _ layout: Layout) throws(BolideError) -> AcmeState {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: folder.path, isDirectory: &isFolder) else {
        var map = OrderedBytes()
        map[Name.layout] = try Coding.encode(layout)
        try save(map, in: folder)
        return AcmeState(layout: layout, map: map)
      }
      guard isFolder.boolValue, let file = try? Data(contentsOf: folder.appending(path: "data")) else {
        throw BolideError(.storeForeign, "there is no Acme store at \(folder.lastPathComponent)")
      }
      let map = try OrderedBytes(file: [UInt8](file))
      return AcmeState(layout: try Coding.decode(Layout.self, map[Name.layout] ?? []), map: map)
    }

    static func save(_ map: OrderedBytes, in folder: URL) throws(BolideError) {
      do {
        let manager = FileManager.default
        try manager.createDirectory(
          at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let next = folder.appending(path: "next")
        try Data(map.file).write(to: next)
        try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: next.path)
        guard rename(next.path, folder.appending(path: "data").path) == 0 else {
          throw CocoaError(.fileWriteUnknown)
        }
      } catch { throw BolideError(.storeIO, "writing the Acme store: \(error)") }
    }
  }

  /// Opens the store in a folder, or makes it.
  public convenience init(folder: URL, layout: Layout) throws(BolideError) {
    self.init(try Shared.at(folder, layout: layout))
  }

  private init(_ shared: Shared) { held = Mutex(shared) }

  private static let closed = BolideError(.storeClosed, "the Acme store was closed")

  private func shared() throws(BolideError) -> Shared {
    guard let shared = held.withLock({ $0 }) else { throw Self.closed }
    return shared
  }

  public var layout: Layout {
    held.withLock { $0 }?.state.withLock(\.layout) ?? Layout(tables: [], links: [], entities: [])
  }

  public func snapshot() throws(BolideError) -> any Snapshot {
    let shared = try shared()
    return AcmeSnapshot(shared.state.withLock { $0 }, of: shared)
  }

  public func begin(until deadline: ContinuousClock.Instant) throws(BolideError) -> any WriteTransaction {
    let shared = try shared()
    let left = ContinuousClock.now.duration(to: deadline) / .seconds(1)
    guard shared.writing.try() || shared.writing.lock(before: Date(timeIntervalSinceNow: left)) else {
      throw BolideError(.storeBusy, "another transaction did not end in time")
    }
    return AcmeTransaction(of: shared)
  }

  public func onCommit(_ ring: @escaping @Sendable () -> Void) -> any AnyObject & Sendable {
    Registration(ring, with: held.withLock { $0 })
  }

  private final class Registration: Sendable {
    let shared: Shared?
    init(_ ring: @escaping @Sendable () -> Void, with shared: Shared?) {
      self.shared = shared
      shared?.rings.withLock { $0[ObjectIdentifier(self)] = ring }
    }
    deinit { shared?.rings.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(self)) } }
  }

  public func statistics() throws(BolideError) -> Statistics {
    let shared = try shared()
    let dates = shared.snapshots.withLock { Array($0.values) }
    return Statistics(
      storeBytes: shared.state.withLock(\.map).file.count, logBytes: 0, snapshots: dates.count,
      oldestSnapshotAge: dates.min().map { -$0.timeIntervalSinceNow })
  }

  public func maintain() throws(BolideError) { _ = try shared() }

  public func copy(to location: Location) throws(BolideError) {
    try Self.save(try shared().state.withLock(\.map), at: location)
  }

  private static func save(_ map: OrderedBytes, at location: Location) throws(BolideError) {
    guard !FileManager.default.fileExists(atPath: location.path) else {
      throw BolideError(.storeIO, "the place of the copy is taken")
    }
    try Shared.save(map, in: URL(filePath: location.path))
  }

  public func fork(
    to location: Location, setting metadata: [String: [UInt8]]
  ) throws(BolideError) -> any OpenStore {
    var map = try shared().state.withLock(\.map)
    for (name, value) in metadata { map[Name.metadata(name)] = value }
    try Self.save(map, at: location)
    return try AcmeStore(folder: URL(filePath: location.path), layout: layout)
  }

  public func close() throws(BolideError) {
    let wasOpen = held.withLock { shared in
      let wasOpen = shared != nil
      shared = nil
      return wasOpen
    }
    if !wasOpen { throw Self.closed }
  }
}

/// A copy of a state.
final class AcmeSnapshot: AcmeReader, Snapshot {
  private let held: Mutex<AcmeState?>
  private let shared: AcmeStore.Shared

  init(_ state: AcmeState, of shared: AcmeStore.Shared) {
    held = Mutex(state)
    self.shared = shared
    shared.snapshots.withLock { $0[ObjectIdentifier(self)] = Date() }
  }

  deinit { close() }

  func state() throws(BolideError) -> AcmeState {
    guard let state = held.withLock({ $0 }) else {
      throw BolideError(.storeClosed, "the snapshot was closed")
    }
    return state
  }

  func close() {
    held.withLock { $0 = nil }
    shared.snapshots.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(self)) }
  }
}

import Foundation
import Synchronization

/// Watches a folder for writes to its files: how a store learns that another process may have committed (rule H-8).
///
/// An event says "look", and may come before what was written can be seen, or be the last that a killed
/// writer caused. So `look` is called at once and again after 1, 5, 25, 125 and 500 ms; it finds out
/// itself whether anything is new. Watching ends when the watch is released.
package final class FolderWatch: Sendable {
  private let id: Int

  /// Starts to watch.
  ///
  /// - Parameter look: called on a queue that all watches share; it must be quick and may be called for nothing.
  package init(_ folder: String, look: @escaping @Sendable () -> Void) {
    id = WatchCenter.shared.add(folder, look)
  }

  deinit { WatchCenter.shared.remove(id) }
}

/// All watches of the process, over one descriptor: the system grants few of these.
private final class WatchCenter: Sendable {
  static let shared = WatchCenter()

  private static let delays = [1, 5, 25, 125, 500]
  /// How often folders are looked at that the system does not watch for us.
  private static let pollingInterval = 250

  private struct Watch {
    let descriptor: Int32
    let look: @Sendable () -> Void
    /// Counts events, so that looks scheduled by an earlier one are left out.
    var events = 0
  }

  private struct State {
    var lastID = 0
    var watches: [Int: Watch] = [:]
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "bolide.folder-watch")
  private let events: EventSource?

  private init() {
    events = EventSource(queue: queue)
    events?.start { [weak self] in self?.noteEvents(on: $0) }
  }

  func add(_ folder: String, _ look: @escaping @Sendable () -> Void) -> Int {
    // The system gives one descriptor for one folder, however often it is asked.
    let (id, isWatched) = state.withLock { state in
      state.lastID += 1
      let descriptor = events?.add(folder) ?? -1
      state.watches[state.lastID] = Watch(descriptor: descriptor, look: look)
      return (state.lastID, descriptor >= 0)
    }
    if !isWatched { poll(id) }
    return id
  }

  func remove(_ id: Int) {
    state.withLock { state in
      guard let watch = state.watches.removeValue(forKey: id) else { return }
      if watch.descriptor >= 0, !state.watches.values.contains(where: { $0.descriptor == watch.descriptor }) {
        events?.remove(watch.descriptor)
      }
    }
  }

  private func noteEvents(on descriptors: Set<Int32>) {
    let watches = state.withLock { state in
      // The system gives -1 for events that it had no room to keep: any folder may have had them.
      let ids = state.watches.filter {
        descriptors.contains($0.value.descriptor) || descriptors.contains(-1)
      }.map(\.key)
      for id in ids { state.watches[id]?.events += 1 }
      return ids.compactMap { id in state.watches[id].map { (id, $0) } }
    }
    for (id, watch) in watches {
      watch.look()
      for delay in Self.delays {
        queue.asyncAfter(deadline: .now() + .milliseconds(delay)) { [weak self] in
          self?.lookAgain(id, after: watch.events)
        }
      }
    }
  }

  private func lookAgain(_ id: Int, after events: Int) {
    let look = state.withLock { state -> (@Sendable () -> Void)? in
      guard let watch = state.watches[id], watch.events == events else { return nil }
      return watch.look
    }
    look?()
  }

  private func poll(_ id: Int) {
    queue.asyncAfter(deadline: .now() + .milliseconds(Self.pollingInterval)) { [weak self] in
      guard let self, let look = self.state.withLock({ $0.watches[id]?.look }) else { return }
      look()
      self.poll(id)
    }
  }
}

#if os(Linux)
  /// The events of inotify for the folders that are watched.
  private final class EventSource: @unchecked Sendable {
    private let descriptor: Int32
    private let source: any DispatchSourceRead

    /// - Returns: `nil` where the system grants no more descriptors.
    init?(queue: DispatchQueue) {
      descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
      if descriptor < 0 { return nil }
      source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
    }

    func start(_ note: @escaping @Sendable (Set<Int32>) -> Void) {
      source.setEventHandler { [descriptor] in note(Self.read(descriptor)) }
      source.activate()
    }

    /// Watches a folder; negative where that is refused.
    func add(_ folder: String) -> Int32 {
      inotify_add_watch(descriptor, folder, UInt32(IN_MODIFY | IN_ATTRIB))
    }

    func remove(_ watch: Int32) { inotify_rm_watch(descriptor, watch) }

    /// Takes all events that wait, and says which folders they are about.
    private static func read(_ descriptor: Int32) -> Set<Int32> {
      var folders: Set<Int32> = []
      withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { buffer in
        while true {
          let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
          if count <= 0 { return }
          var offset = 0
          while offset + MemoryLayout<inotify_event>.size <= count {
            let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            folders.insert(event.wd)
            offset += MemoryLayout<inotify_event>.size + Int(event.len)
          }
        }
      }
      return folders
    }
  }
#else
  /// Events of folders that other systems give for their own files only: these folders are polled.
  private final class EventSource: Sendable {
    init?(queue: DispatchQueue) { return nil }
    func start(_ note: @escaping @Sendable (Set<Int32>) -> Void) {}
    func add(_ folder: String) -> Int32 { -1 }
    func remove(_ watch: Int32) {}
  }
#endif

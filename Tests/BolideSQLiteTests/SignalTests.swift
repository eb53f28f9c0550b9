#if os(Linux)
  import BolideSQLite
  import BolideStorage
  import Foundation
  import Testing

  /// Commits of other processes (rule H-8).
  @Suite(.timeLimit(.minutes(1))) struct SignalTests {
    /// Waits until the store's head is at a transaction, looking only when the store rings.
    private static func wait(
      for head: UInt64, in store: any OpenStore, _ rings: AsyncStream<Void>
    ) async throws {
      for await _ in rings where try store.read({ try $0.head().transaction }) >= head { return }
    }

    /// Commits in a process of its own.
    private static func write(_ count: Int, on path: String) async {
      await #expect(processExitsWith: .success) { [path = path as String, count = count as Int] in
        let store = try SQLiteBackend().open(Location(path: path), layout: nil, options: OpenOptions())
        for _ in 0..<count { try store.write { try $0.append([]) } }
        try store.close()
      }
    }

    @Test func `another process's commits ring`() async throws {
      let folder = try TemporaryFolder()
      let store = try folder.open()
      let (rings, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
      let registration = store.onCommit { continuation.yield() }
      async let writer: Void = Self.write(50, on: folder.store)
      try await Self.wait(for: 50, in: store, rings)
      await writer
      withExtendedLifetime(registration) {}
      try store.close()
    }

    @Test func `a writer that was killed before it touched the file is noticed`() async throws {
      let folder = try TemporaryFolder()
      let store = try folder.open()
      try store.write { try $0.append([]) }
      let (rings, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
      let registration = store.onCommit { continuation.yield() }
      // A commit that no store of ours makes, and which therefore touches nothing.
      try Shell.run(
        """
        INSERT INTO bolide_transaction (number, nonce, timestamp, process, process_id)
        VALUES (2, 7, 0, 'other', 1)
        """, on: folder.store)
      try await Self.wait(for: 2, in: store, rings)
      withExtendedLifetime(registration) {}
      try store.close()
    }
  }
#endif

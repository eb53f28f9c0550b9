#if os(Linux)
  import Bolide
  import BolideLMDB
  import BolideSQLite
  import BolideScenario
  import BolideStorage
  import Foundation
  import Testing

  /// What other processes and full disks do to a container. Limits and kills are of a process, so each has one of its own.
  @Suite struct OtherProcessTests {
    private static let schema = Schema(
      name: "Processes",
      entities: [
        EntityDescription(
          name: "Entry",
          attributes: [
            AttributeDescription(name: "code", type: .int64, isOptional: false),
            AttributeDescription(name: "text", type: .string),
          ], uniquenessConstraints: [["code"]])
      ])

    private static func open(_ kind: String, _ path: String) throws -> PersistentContainer {
      let backend: any Backend = kind == "sqlite" ? SQLiteBackend() : LMDBBackend()
      return try PersistentContainer(
        schema, at: StoreLocation(backend, Location(path: path)),
        options: ContainerOptions(timeout: .seconds(30)))
    }

    private static func insert(_ codes: ClosedRange<Int64>, in context: ManagedObjectContext) throws {
      for code in codes { try context.insert("Entry").setValue(.int(code), for: "code") }
    }

    private static func inFolder(_ body: (String) async throws -> Void) async throws {
      let folder = FileManager.default.temporaryDirectory.appending(path: "bolide-other-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      try await body(folder.appending(path: "store").path)
    }

    /// H21: the process is killed after its commits; what it wrote is seen whole, with its author.
    @Test(arguments: ["sqlite", "lmdb"])
    func `a follower sees what a process wrote that was killed after it`(kind: String) async throws {
      try await Self.inFolder { path in
        let container = try Self.open(kind, path)
        let context = container.newContext(author: "view")
        try Self.insert(1...2, in: context)
        try context.save()
        let token = try container.currentToken()
        try container.registerConsumer("view")
        try container.advanceConsumer("view", to: token)
        await #expect(processExitsWith: .signal(SIGKILL)) { [kind = kind as String, path = path as String] in
          let container = try OtherProcessTests.open(kind, path)
          let context = container.newContext(author: "tool")
          try OtherProcessTests.insert(3...5, in: context)
          let known = try context.fetch(FetchRequest<ManagedObject>(entity: "Entry"))
          for entry in known where try entry.value("code") == .int(1) {
            try entry.setValue(.string("changed"), for: "text")
          }
          for entry in known where try entry.value("code") == .int(2) { context.delete(entry) }
          try context.save()
          // What was not saved never was.
          try OtherProcessTests.insert(6...9, in: context)
          kill(getpid(), SIGKILL)
        }
        for try await transaction in container.history(as: "view") {
          #expect(transaction.author == "tool")
          #expect(transaction.number == token.number + 1)
          #expect(
            transaction.changes.map { "\($0.kind) \($0.objectID)" } == [
              "update Entry#1", "delete Entry#2", "insert Entry#3", "insert Entry#4", "insert Entry#5",
            ])
          #expect(transaction.processID != Int64(getpid()))
          break
        }
        #expect(try container.check().isEmpty)
        try container.close()
      }
    }

    /// S7: the context keeps what found no room, and saves it when there is some.
    @Test(arguments: ["sqlite", "lmdb"])
    func `a save that finds the disk full is undone and can be made again`(kind: String) async throws {
      await #expect(processExitsWith: .success) { [kind = kind as String] in
        let folder = FileManager.default.temporaryDirectory.appending(
          path: "bolide-full-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // A small file system where the machine allows one, and the limit of the size of files everywhere.
        let disk = SmallDisk(in: folder)
        defer { disk?.unmount() }
        let path = (disk?.folder ?? folder).appending(path: "store").path
        for full in disk == nil ? [FullDisk.sizeLimit] : FullDisk.allCases {
          let container = try OtherProcessTests.open(kind, path)
          let before = try container.currentToken()
          let context = container.newContext(author: "user")
          let first = Int64(before.number) * 10_000
          try OtherProcessTests.insert(first...(first + 3_000), in: context)
          for entry in context.insertedObjects {
            try entry.setValue(.string(String(repeating: "x", count: 500)), for: "text")
          }
          try full.begin(for: path)
          #expect { try context.save() } throws: { ($0 as? BolideError)?.code == .storeFull }
          #expect(context.insertedObjects.count == 3_001)
          #expect(try container.currentToken() == before)
          full.end(for: path)
          try context.save()
          #expect(try container.currentToken().number == before.number + 1)
          #expect(try container.check().isEmpty)
          try container.close()
        }
      }
    }

    /// L15: a large insert, update and delete, each one transaction, in memory that does not follow their size. At the size
    /// of the case by `bolide torture --large 300000`.
    @Test(arguments: ["sqlite", "lmdb"])
    func `large requests are one transaction each`(kind: String) async throws {
      await #expect(processExitsWith: .success) { [kind = kind as String] in
        let folder = FileManager.default.temporaryDirectory.appending(
          path: "bolide-large-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let backend: any Backend = kind == "sqlite" ? SQLiteBackend() : LMDBBackend()
        let place = Location(path: folder.appending(path: "store").path)
        let figures = try LargeRequests.run(rows: 12_000, at: StoreLocation(backend, place))
        #expect(figures.differences == [])
        #expect(figures.peak > 0)
      }
    }
  }
#endif

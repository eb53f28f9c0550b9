import Bolide
import BolideStorage
import Foundation
import Synchronization

extension Conformance {
  /// Contexts, followers, lists and stores that many threads and tasks use at once: each case holds for itself, and a run
  /// under the thread sanitizer shows that nothing races on the way.
  static var concurrencyCases: [CaseDefinition] {
    [
      CaseDefinition(
        "concurrency/readers-and-writers",
        "Readers on threads of their own see every save whole while writers save.",
        rules: ["S-1", "S-3", "G-1"], body: readersAndWriters),
      CaseDefinition(
        "concurrency/background-tasks",
        "Contexts of background tasks write at once, and each merges what the others wrote.",
        rules: ["M-2", "S-3"], body: backgroundTasks),
      CaseDefinition(
        "concurrency/actors", "Each actor owns a context; objects stay, values and ids leave.",
        rules: ["M-2", "S-3"],
        body: actors),
      CaseDefinition(
        "concurrency/followers", "Followers get each transaction once, in order, while several tasks write.",
        rules: ["H-7", "H-8"], body: followers),
      CaseDefinition(
        "concurrency/lists", "The view's list follows while background tasks import, edit and delete.",
        rules: ["F-1", "M-2"], body: lists),
      CaseDefinition(
        "concurrency/pins", "Pinned contexts on several threads share one state while writers go on.",
        rules: ["G-1", "G-2"], body: pins),
      CaseDefinition(
        "concurrency/listeners", "Listeners come and go while commits ring.", rules: ["H-8"], body: listeners),
      CaseDefinition(
        "concurrency/first-use", "Classes are examined once, whoever asks first.", rules: ["S-3"],
        body: firstUse),
    ]
  }

  /// A transfer changes two rows of one save, so that their sum never differs.
  private static func readersAndWriters(_ stage: CaseStage) throws {
    let container = try stage.container(RuleModel.watch)
    try container.importRecords((1...8).map { sighting(Double($0), energy: 100) })
    try inParallel(6) { thread in
      let context = container.newContext(author: "thread \(thread)")
      if thread < 2 {
        for round in 0..<25 {
          try context.reset()
          let from = Double(thread * 4 + round % 4 + 1)
          let rows = try context.sightings([from, from.truncatingRemainder(dividingBy: 8) + 1])
          for (row, step) in zip(rows, [-1.0, 1.0]) {
            guard case .double(let energy) = try row.value("energy") else {
              throw ConformanceFailure("a sighting has no energy")
            }
            try row.setValue(.double(energy + step), for: "energy")
          }
          do {
            try context.save()
          } catch ErrorCode.conflictVersion {
            context.rollback()
          }
        }
        return
      }
      for _ in 0..<25 {
        let request = FetchRequest<ManagedObject>(entity: "Fireball")
        let rows = try container.newContext().fetch(request)
        let sum = try rows.reduce(into: 0.0) { sum, row in
          if case .double(let energy) = try row.value("energy") { sum += energy }
        }
        try checkEqual(sum, 800, "the sum that a reader sees")
        try checkEqual(try context.count(for: request), 8, "the count")
      }
    }
    try checkEqual(try container.newContext().sightings([1]).count, 1, "the store afterwards")
  }

  private static func backgroundTasks(_ stage: CaseStage) async throws {
    let container = try stage.container(RuleModel.watch)
    try container.makeGroup("all", of: [])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask {
          for round in 0..<5 {
            let time = Double(task * 100 + round)
            let id = try await container.performBackgroundTask(author: "task \(task)") { context in
              let object = try context.insert("Fireball", "time", date(time))
              try context.group("all").addObjects([object], for: "fireballs")
              try context.save()
              return object.objectID
            }
            try await container.performBackgroundTask(author: "task \(task)") { context in
              _ = try context.mergeAll(of: container, after: 0)
              let object = try context.existingObject(with: id)
              try checkEqual(try object.value("time"), date(time), "what the next task reads")
              try checkEqual(
                try context.watchPicture().isEmpty, false, "whether the merged context shows something")
            }
          }
        }
      }
      try await group.waitForAll()
    }
    try checkEqual(try container.members(of: "all").count, 20, "members")
    try checkEqual(try container.values("Group", "size"), [[.int(20)]], "the derived count")
  }

  private actor Writer {
    private let context: ManagedObjectContext
    private let container: PersistentContainer

    init(_ container: PersistentContainer, _ name: String) {
      self.container = container
      context = container.newContext(author: name)
    }

    func insert(_ time: Double) throws -> ManagedObjectID {
      let object = try context.insert("Fireball", "time", date(time))
      try context.save()
      return object.objectID
    }

    func note(_ text: String, of id: ManagedObjectID) throws {
      try context.mergeAll(of: container, after: 0)
      try context.existingObject(with: id).setValue(.string(text), for: "note")
      try context.save(policy: .objectTrump)
    }

    func picture() throws -> [String] {
      try context.mergeAll(of: container, after: 0)
      return try context.watchPicture()
    }
  }

  private static func actors(_ stage: CaseStage) async throws {
    let container = try stage.container(RuleModel.watch)
    let writers = (0..<4).map { Writer(container, "actor \($0)") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (place, writer) in writers.enumerated() {
        group.addTask {
          for round in 0..<5 {
            let id = try await writer.insert(Double(place * 100 + round))
            try await writers[(place + 1) % writers.count].note("seen by \(place + 1)", of: id)
          }
        }
      }
      try await group.waitForAll()
    }
    let expected = try container.newContext().watchPicture()
    try checkEqual(expected.count, 20, "objects")
    for writer in writers { try checkEqual(try await writer.picture(), expected, "what an actor shows") }
  }

  private static func followers(_ stage: CaseStage) async throws {
    let container = try stage.container(RuleModel.watch)
    let last: UInt64 = 20
    try await withThrowingTaskGroup(of: [UInt64].self) { group in
      for reader in 0..<3 {
        group.addTask {
          var seen: [UInt64] = []
          for try await transaction in container.history(as: "reader \(reader)") {
            seen.append(transaction.number)
            if transaction.number == last { break }
          }
          return seen
        }
      }
      for writer in 0..<4 {
        group.addTask {
          for round in 0..<5 {
            try await container.performBackgroundTask(author: "writer \(writer)") { context in
              _ = try context.execute(
                BatchInsertRequest(
                  entity: "Fireball", records: [sighting(Double(writer * 100 + round))]))
            }
          }
          return Array(1...last)
        }
      }
      for try await seen in group { try checkEqual(seen, Array(1...last), "transactions") }
    }
    try checkEqual(try container.numbers().count, Int(last), "objects")
  }

  @MainActor private static func lists(_ stage: CaseStage) async throws {
    let container = try stage.container(ListModel.schema)
    let view = container.viewContext
    // Pinned, so that what the list is compared with is the state it came to, and not what was written since.
    try view.setQueryGeneration(from: .current)
    let list = try WatchedList(.ranked(), in: view, sections: .attribute(\.room))
    let isDone = Mutex(false)
    let seed = stage.seed
    let writers = Task {
      defer { isDone.withLock { $0 = true } }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in 0..<3 {
          group.addTask {
            for round in 0..<8 {
              var random = SplitMix64(seed: seed ^ UInt64(writer * 100 + round))
              let codes = (0..<6).map { _ in Int.random(in: 0..<40, using: &random) }
              try await container.performBackgroundTask(author: "writer \(writer)") { context in
                context.mergePolicy = .objectTrump
                _ = try context.execute(
                  BatchInsertRequest(
                    entity: "Message",
                    records: codes.map { code in
                      [
                        "code": .string("code \(code)"), "rank": .int(Int64(round * 7 % 11 + writer)),
                        "room": .string("room \(code % 3)"),
                      ]
                    }))
                _ = try context.execute(
                  BatchDeleteRequest(entity: "Message", where: .equals("code", .string("code \(codes[0])"))))
              }
            }
          }
        }
        try await group.waitForAll()
      }
    }
    var merged: UInt64 = 0
    var isLast = false
    while !isLast {
      isLast = isDone.withLock { $0 }
      merged = try view.mergeAll(of: container, after: merged)
      _ = try list.events()
      await Task.yield()
    }
    try await writers.value
    try checkEqual(merged, try container.currentToken().number, "the place that the view came to")
    try check(list.controller.count > 0, "the list is empty")
  }

  private static func pins(_ stage: CaseStage) throws {
    let container = try stage.container(RuleModel.watch)
    try container.importRecords((1...10).map { sighting(Double($0), energy: 1) })
    let first = container.newContext()
    try first.setQueryGeneration(from: .current)
    let generation = try checkPresent(first.queryGeneration, "the generation")
    let before = try first.watchPicture()
    try inParallel(5) { thread in
      for round in 0..<10 {
        if thread == 0 {
          try container.importRecords([sighting(Double(round + 1), energy: 2), sighting(Double(100 + round))])
          continue
        }
        let context = container.newContext()
        try context.setQueryGeneration(from: .generation(generation))
        try checkEqual(try context.watchPicture(), before, "the shared state")
        try context.setQueryGeneration(from: .unpinned)
        try check(try context.watchPicture().count >= 10, "the newest state")
      }
    }
    try checkEqual(try first.watchPicture(), before, "the pinned state in the end")
  }

  private static func listeners(_ stage: CaseStage) throws {
    let container = try stage.container(RuleModel.watch)
    let rings = Atomic<Int>(0)
    try inParallel(4) { thread in
      for round in 0..<20 {
        if thread == 0 {
          try container.importRecords([sighting(Double(round))])
        } else {
          let registration = container.onRemoteChange { rings.wrappingAdd(1, ordering: .relaxed) }
          _ = try container.newContext().count(for: FetchRequest<ManagedObject>(entity: "Fireball"))
          withExtendedLifetime(registration) {}
        }
      }
    }
    let before = rings.load(ordering: .relaxed)
    try container.importRecords([sighting(1000)])
    try checkEqual(rings.load(ordering: .relaxed), before, "rings after all listeners went")
    try checkEqual(try container.numbers().count, 21, "objects")
  }

  private static func firstUse(_ stage: CaseStage) throws {
    final class Probe: ManagedObject {
      @Attribute(.unique) var code = ""
      @Attribute var level: Int64?
    }
    let schema = Schema(Probe.self)
    let container = try stage.container(schema)
    try inParallel(8) { thread in
      let context = container.newContext()
      let probe = Probe(context: context)
      probe.code = "\(thread)"
      probe.level = Int64(thread)
      try context.save()
      let request = FetchRequest<Probe>(
        where: #Predicate { ($0.level ?? 0) >= 0 }, sort: [SortDescriptor(\.level)])
      let found = try context.fetch(request)
      try check(found.contains { $0.code == "\(thread)" }, "thread \(thread) sees its own")
    }
    try checkEqual(try container.numbers("Probe").count, 8, "objects")
  }
}

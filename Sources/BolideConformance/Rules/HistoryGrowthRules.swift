import Bolide
import BolideStorage

extension Conformance {
  /// What history costs: to read, and on disk.
  static var historyGrowthCases: [CaseDefinition] {
    [
      CaseDefinition(
        "history/reads-what-follows", "A fetch after a token reads what comes after it, and nothing before.",
        rules: ["H-3"]
      ) { stage in
        let counter = HistoryReads()
        let location = StoreLocation(
          ForwardingBackend(StageBackend(stage), counter.wrapping),
          Location(path: try stage.makeLocation().path))
        let container = stage.watch(
          try PersistentContainer(RuleModel.watch, at: location, options: .suite()))
        try save(100, in: container)
        let token = try container.currentToken()
        try save(20, in: container)
        counter.reset()
        let found = try container.history(PersistentHistoryRequest(after: .token(token)))
        try checkEqual(found.transactions.map(\.number), Array(101...120), "transactions after the token")
        try checkEqual(counter.transactions, 20, "records of transactions read")
        try checkEqual(counter.changes, 20, "transactions whose changes were read")
        counter.reset()
        _ = try container.history(PersistentHistoryRequest(after: .token(token), resultType: .transactions))
        try checkEqual(counter.changes, 0, "transactions whose changes were read for their headings alone")
        counter.reset()
        _ = try container.history(PersistentHistoryRequest(after: .token(try container.currentToken())))
        try checkEqual(counter.transactions, 0, "records read after the newest token")
      },
      CaseDefinition(
        "history/space-is-reused",
        "What a purge drops makes room: the store does not grow when as much is written again.",
        rules: ["H-4", "H11"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        var sizes: [Int] = []
        for round in 1...4 {
          try save(200, in: container)
          let head = try container.currentToken()
          try checkEqual(try container.purgeHistory(before: .token(head)), round == 1 ? 199 : 200, "dropped")
          try checkEqual(try container.historyExtent().first, head.number, "the oldest transaction left")
          try container.coordinator.store.maintain()
          sizes.append(try container.statistics().storeBytes)
        }
        try check(sizes[3] <= sizes[1] + sizes[1] / 10, "the store grew: \(sizes)")
        try checkEqual(try container.numbers("Group"), [1], "objects")
      },
    ]
  }

  /// Saves one object again and again.
  private static func save(_ count: Int, in container: PersistentContainer) throws {
    let context = container.newContext(author: "user")
    let known = try context.fetch(FetchRequest<ManagedObject>(entity: "Group")).first
    let group = try known ?? context.insert("Group")
    let head = try container.currentToken().number
    for number in 0..<count {
      try group.setValue(.string("name \(head) \(number)"), for: "name")
      try context.save()
    }
  }
}

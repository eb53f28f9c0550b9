import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// Random rounds under the event checker, and what following costs (rules F-1 and F-2).
  static var listModelCases: [CaseDefinition] {
    [
      CaseDefinition(
        "results/random-rounds",
        "The reports of random rounds from two contexts lead to what a fresh fetch gives.",
        rules: ["F-1", "M-2", "R3"]
      ) { stage in
        try randomRounds(of: stage, count: 500)
      },
      CaseDefinition(
        "results/random-pinned-rounds", "So do those of a pinned context, and of lists over relationships.",
        rules: ["F-1", "G-2", "R3"]
      ) { stage in
        try randomRounds(of: stage, count: 60, isPinned: true)
      },
      CaseDefinition(
        "results/cost",
        "An import that changes ten of a hundred thousand rows costs a list a few comparisons each.",
        rules: ["F-2"]
      ) { stage in
        // The same ten changes in a list a tenth as long: rows read are the same, comparisons grow as the logarithm.
        let short = try await importWork(stage, rows: 10_000)
        let long = try await importWork(stage, rows: 100_000)
        try checkEqual([short.rowsRead, long.rowsRead], [10, 10], "rows read")
        // Each change is placed in both versions, removed and inserted: some twenty comparisons, a dozen times.
        try check(long.comparisons < 10 * 600, "\(long.comparisons) comparisons")
        try check(
          long.comparisons < short.comparisons * 3 / 2,
          "\(short.comparisons) comparisons in the short list, \(long.comparisons) in the long one")
      },
    ]
  }

  /// What it costs a view's list to follow a background import of a thousand records, ten of which differ.
  @MainActor private static func importWork(_ stage: CaseStage, rows: Int) async throws -> ListWork {
    let container = try stage.container(ListModel.schema)
    func record(_ index: Int, rank: Int) -> [String: Value] {
      [
        "code": .string("code \(index)"), "rank": .int(Int64(rank)), "room": .string("room \(index % 50)"),
      ]
    }
    try container.importRecords("Message", (0..<rows).map { record($0, rank: $0) })
    let view = container.viewContext
    let controller = FetchedResultsController(.ranked(), in: view, sections: .attribute(\.room))
    try controller.performFetch()
    try checkEqual([controller.count, controller.numberOfSections], [rows, 50], "the list")
    var replay = ReportReplay(controller)
    let reports = controller.reports
    let again = (0..<1000).map { place in
      let index = place * (rows / 1000)
      return record(index, rank: place.isMultiple(of: 100) ? (index + 7777) % rows : index)
    }
    let result = try await container.performBackgroundTask(author: "importer") { context in
      try context.execute(BatchInsertRequest(entity: "Message", records: again))
    }
    try checkEqual([result.inserted.count, result.updated.count], [0, 10], "what the import changed")
    try view.mergeAll(of: container, after: 1)
    let work = controller.lastWork
    try checkEqual(controller.rowsLoaded, 0, "rows loaded")
    let report = try checkPresent(reports.nextIfAvailable(), "the report")
    try checkEqual(report.changes.count, 10, "changes")
    try checkEqual(replay.apply(report), [], "the report")
    try checkEqual(replay.differences(fromListOf: controller), [], "what differs from the list")
    return work
  }

  // MARK: Random rounds

  private static func edit(_ context: ManagedObjectContext, with random: inout SplitMix64) throws {
    let objects = try context.fetch(FetchRequest<ListMessage>())
    let authors = try context.fetch(FetchRequest<ListAuthor>())
    for _ in 0..<Int.random(in: 1...10, using: &random) {
      let kind = Int.random(in: 0..<8, using: &random)
      let room = Int.random(in: 0...5, using: &random)
      if objects.isEmpty || kind == 0 || (kind == 1 && objects.count < 40) {
        let message = ListMessage(context: context)
        message.rank = Int64.random(in: 0...12, using: &random)
        message.room = room == 5 ? nil : "room \(room)"
        message.author = authors.randomElement(using: &random)
        continue
      }
      guard let message = objects.randomElement(using: &random), !message.isDeleted else { continue }
      switch kind {
      case 1, 2: context.delete(message)
      case 3: message.rank = Bool.random(using: &random) ? nil : Int64.random(in: 0...12, using: &random)
      case 4: message.room = room == 5 ? nil : "room \(room)"
      case 5: message.isHidden.toggle()
      case 6: message.author = authors.randomElement(using: &random)
      default:
        if Bool.random(using: &random) {
          authors.randomElement(using: &random)?.name = ["Ada", "Bob", "Cy"][room % 3]
        } else {
          message.text += "."
        }
      }
    }
    try context.save(policy: .objectTrump)
  }

  private static func randomRounds(of stage: CaseStage, count: Int, isPinned: Bool = false) throws {
    var random = SplitMix64(seed: stage.seed)
    let container = try stage.container(ListModel.schema)
    let contexts = ["left", "right"].map { container.newContext(author: $0) }
    for name in ["Ada", "Bob", "Cy"] { ListAuthor(context: contexts[0]).name = name }
    _ = try contexts[0].messages((0..<30).map { (rank: Int64($0 % 9), room: "room \($0 % 5)") })
    if isPinned { try contexts[1].setQueryGeneration(from: .current) }
    let visible = FetchRequest<ListMessage>(
      where: #Predicate { !$0.isHidden }, sort: [SortDescriptor(\.rank)])
    let byAuthor = FetchRequest<ListMessage>(
      entity: "Message", sort: [SortTerm("author.name", ascending: false), SortTerm("rank")])
    var lists = [
      [try WatchedList(visible, in: contexts[0], sections: .attribute(\.room))],
      [
        try WatchedList(visible, in: contexts[1], sections: .by(\.rank) { ($0 ?? -1) / 4 }),
        try WatchedList(visible, in: contexts[1]),
      ],
    ]
    // Reading through a relationship is slow without optimization, so the shorter run does it.
    if isPinned {
      lists[0].append(try WatchedList(byAuthor, in: contexts[0], sections: .attribute("author.name")))
    }
    let owners = try contexts.map {
      try WatchedList(FetchRequest<ListAuthor>(sort: [SortDescriptor(\.messageCount)]), in: $0)
    }
    var merged: [UInt64] = [1, 1]
    for round in 0..<count {
      let writer = Int.random(in: 0...1, using: &random)
      do {
        try edit(contexts[writer], with: &random)
      } catch let error as BolideError where error.code == .conflictDeleted {
        contexts[writer].rollback()
      }
      // Both contexts come to the newest state, the other one now and then after several saves.
      for index in [writer, 1 - writer]
      where index == writer || !round.isMultiple(of: 3) || round == count - 1 {
        merged[index] = try contexts[index].mergeAll(of: container, after: merged[index])
        for list in lists[index] { _ = try list.events() }
        _ = try owners[index].events()
      }
    }
    try check(lists[0][0].controller.count > 0, "the list is empty at the end")
  }
}

import Bolide
import BolideStorage
import Foundation
import Testing

/// CASES R3: replaying random reports always gives what a fresh fetch gives.
@Suite struct ListModelTests {
  private func edit(_ context: ManagedObjectContext, with random: inout SeededGenerator) throws {
    let objects = try context.fetch(FetchRequest<Message>())
    let authors = try context.fetch(FetchRequest<Author>())
    for _ in 0..<Int.random(in: 1...10, using: &random) {
      let kind = Int.random(in: 0..<8, using: &random)
      let room = Int.random(in: 0...5, using: &random)
      if objects.isEmpty || kind == 0 || (kind == 1 && objects.count < 40) {
        let message = Message(context: context)
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

  @Test(arguments: [(2026, 500, false), (7, 60, true)])
  func `random rounds from two contexts`(seed: UInt64, rounds: Int, isPinned: Bool) throws {
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let container = try Chat.container()
    let contexts = ["left", "right"].map { container.newContext(author: $0) }
    for name in ["Ada", "Bob", "Cy"] { Author(context: contexts[0]).name = name }
    _ = try Chat.messages((0..<30).map { (rank: Int64($0 % 9), room: "room \($0 % 5)") }, in: contexts[0])
    if isPinned { try contexts[1].setQueryGeneration(from: .current) }
    let visible = FetchRequest<Message>(where: #Predicate { !$0.isHidden }, sort: [SortDescriptor(\.rank)])
    let byAuthor = FetchRequest<Message>(
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
      try WatchedList(FetchRequest<Author>(sort: [SortDescriptor(\.messageCount)]), in: $0)
    }
    var merged: [UInt64] = [1, 1]
    for round in 0..<rounds {
      let writer = Int.random(in: 0...1, using: &random)
      do {
        try edit(contexts[writer], with: &random)
      } catch let error as BolideError where error.code == .conflictDeleted {
        contexts[writer].rollback()
      }
      // Both contexts come to the newest state, the other one now and then after several saves.
      for index in [writer, 1 - writer]
      where index == writer || !round.isMultiple(of: 3) || round == rounds - 1 {
        merged[index] = try Chat.merge(into: contexts[index], of: container, after: merged[index])
        for list in lists[index] { _ = try list.events() }
        _ = try owners[index].events()
      }
    }
    #expect(lists[0][0].controller.count > 0, "seed \(seed)")
  }
}

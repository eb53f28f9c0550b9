import Bolide
import BolideStorage
import Foundation
import Testing

/// Rule F-1: section changes, and one change an object, that lead from the old list to the new one.
@Suite struct ListChangesTests {
  private let container: PersistentContainer
  private let context: ManagedObjectContext

  init() throws {
    container = try Chat.container()
    context = container.newContext(author: "test")
  }

  private func ranked(ascending: Bool = true) -> FetchRequest<Message> {
    FetchRequest(entity: "Message", sort: [SortTerm("rank", ascending: ascending)])
  }

  /// R2.
  @Test func `each object has one change`() throws {
    let rows = try Chat.messages((1...5).map { (rank: Int64($0 * 10), room: nil) }, in: context)
    let list = try WatchedList(ranked(), in: context)
    rows[0].text = "changed"
    rows[1].rank = 21
    rows[2].rank = 99
    context.delete(rows[3])
    Message(context: context).rank = 5
    try context.save()
    #expect(
      try list.events() == [
        "delete 4 0/3", "insert 6 0/0", "move 3 0/2 -> 0/4", "update 1 0/0 -> 0/1", "update 2 0/1 -> 0/2",
      ])
  }

  /// R1.
  @Test func `the only row of a section goes to another`() throws {
    let rows = try Chat.messages([(1, "2019"), (2, "2020"), (3, "2020")], in: context)
    let list = try WatchedList(ranked(), in: context, sections: .attribute(\.room))
    rows[0].room = "2020"
    try context.save()
    #expect(try list.events() == ["delete section 0 2019", "insert 1 0/0"])
    rows[0].room = "2019"
    try context.save()
    #expect(try list.events() == ["insert section 0 2019", "move 1 0/0 -> 0/0"])
    rows[0].room = "2021"
    try context.save()
    #expect(
      try list.events() == ["delete section 0 2019", "insert section 1 2021", "insert 1 1/0"])
  }

  /// R8.
  @Test func `rows that shift with their section have no change`() throws {
    let rows = try Chat.messages(
      [(1, "A"), (2, "B"), (3, "B"), (4, "C"), (5, "C")], in: context)
    let list = try WatchedList(ranked(), in: context, sections: .attribute(\.room))
    context.delete(rows[1])
    context.delete(rows[2])
    rows[4].text = "edited"
    try context.save()
    #expect(
      try list.events()
        == ["delete section 1 B", "delete 2 1/0", "delete 3 1/1", "update 5 2/1 -> 1/1"])
  }

  @Test func `equal keys stay in the order of their numbers`() throws {
    let rows = try Chat.messages((1...20).map { _ in (rank: 7, room: nil) }, in: context)
    let list = try WatchedList(ranked(ascending: false), in: context)
    #expect(list.controller.objectIDs.map(\.number) == (1...20).reversed())
    rows[9].text = "edited"
    try context.save()
    #expect(try list.events() == ["update 10 0/10"])
  }

  @Test(arguments: [true, false]) func `nil is the lowest key`(ascending: Bool) throws {
    let rows = try Chat.messages([(30, nil), (nil, nil), (10, nil), (nil, nil)], in: context)
    let list = try WatchedList(ranked(ascending: ascending), in: context)
    #expect(list.controller.objectIDs.map(\.number) == (ascending ? [2, 4, 3, 1] : [1, 3, 4, 2]))
    rows[1].rank = 20
    try context.save()
    #expect(try list.events() == [ascending ? "move 2 0/0 -> 0/2" : "move 2 0/3 -> 0/1"])
    rows[2].rank = nil
    try context.save()
    #expect(
      try list.events() == ["update 3 " + (ascending ? "0/1 -> 0/0" : "0/2 -> 0/3")]
        || list.controller.objectIDs.map(\.number) == (ascending ? [3, 4, 2, 1] : [1, 2, 4, 3]))
  }

  @Test func `of several that pass each other the fewest move`() throws {
    let rows = try Chat.messages((1...6).map { (rank: Int64($0 * 10), room: nil) }, in: context)
    let list = try WatchedList(ranked(), in: context)
    // Between the unchanged 1 and 6: 2 3 4 5 become 3 4 5 2.
    rows[1].rank = 55
    rows[2].rank = 31
    rows[3].rank = 41
    rows[4].rank = 51
    try context.save()
    #expect(
      try list.events()
        == ["move 2 0/1 -> 0/4", "update 3 0/2 -> 0/1", "update 4 0/3 -> 0/2", "update 5 0/4 -> 0/3"])
  }

  @Test func `a filter lets objects in and out`() throws {
    let rows = try Chat.messages([(1, nil), (2, nil), (3, nil)], in: context)
    rows[1].isHidden = true
    try context.save()
    let request = FetchRequest<Message>(
      where: #Predicate { !$0.isHidden }, sort: [SortDescriptor(\.rank)])
    let list = try WatchedList(request, in: context)
    rows[1].isHidden = false
    rows[2].isHidden = true
    try context.save()
    #expect(try list.events() == ["delete 3 0/1", "insert 2 0/1"])
    try list.controller.changeRequest(to: ranked(ascending: false))
    #expect(list.controller.objectIDs.map(\.number) == [3, 2, 1])
    _ = try list.events()
  }

  /// R12.
  @Test func `a count that changes reaches the list of owners`() throws {
    let author = Author(context: context)
    author.name = "Ada"
    let other = Author(context: context)
    other.name = "Bob"
    try context.save()
    let byName = try WatchedList(
      FetchRequest<Author>(sort: [SortDescriptor(\.name)]), in: context)
    let byCount = try WatchedList(
      FetchRequest<Author>(sort: [SortDescriptor(\.messageCount)]), in: context)
    let message = Message(context: context)
    message.author = author
    try context.save()
    #expect(try byName.events() == ["update 1 0/0"])
    #expect(try byCount.events() == ["move 1 0/0 -> 0/1"])
    let importer = container.newContext(author: "importer")
    let result = try importer.execute(BatchDeleteRequest(ids: [message.objectID]))
    #expect(result.deleted.count == 1)
    #expect(try byName.events() == [])
    _ = try Chat.merge(into: context, of: container, after: 2)
    #expect(try byName.events() == ["update 1 0/0"])
    #expect(try byCount.events() == ["move 1 0/1 -> 0/0"])
  }

  @Test func `a related object's change reaches the rows that see it`() throws {
    let authors = ["Ada", "Bob"].map { name in
      let author = Author(context: context)
      author.name = name
      return author
    }
    let rows = try Chat.messages([(1, nil), (2, nil), (3, nil)], in: context)
    for (index, row) in rows.enumerated() { row.author = authors[index % 2] }
    try context.save()
    let list = try WatchedList(
      FetchRequest(entity: "Message", sort: [SortTerm("author.name"), SortTerm("rank")]), in: context,
      sections: .attribute("author.name"))
    #expect(list.controller.sections.map(\.name) == ["Ada", "Bob"])
    authors[0].name = "Cy"
    try context.save()
    #expect(
      try list.events() == [
        "delete section 0 Ada", "insert section 1 Cy", "insert 1 1/0", "insert 3 1/1",
      ])
    authors[1].messages.remove(rows[1])
    try context.save()
    #expect(try list.events() == ["delete section 0 Bob", "insert section 0 ", "insert 2 0/0"])
  }
}

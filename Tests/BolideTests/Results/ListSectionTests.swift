import Bolide
import BolideStorage
import Foundation
import Testing

/// Rule F-3: sections come from named columns.
@Suite struct ListSectionTests {
  private let container: PersistentContainer
  private let context: ManagedObjectContext

  init() throws {
    container = try Chat.container()
    context = container.newContext(author: "test")
  }

  enum Due: Comparable { case overdue, upcoming, done }

  private func message(sent day: String?, hidden: Bool = false) throws -> Message {
    let message = Message(context: context)
    message.sent = try day.map { try Date($0, strategy: .iso8601) }
    message.isHidden = hidden
    return message
  }

  @Test func `a function of two columns makes sections in its own order`() throws {
    var now = Date(timeIntervalSinceReferenceDate: 1000)
    for (offset, hidden) in [(900.0, false), (1100, false), (1200, true), (1300, false)] {
      let message = Message(context: context)
      message.sent = Date(timeIntervalSinceReferenceDate: offset)
      message.isHidden = hidden
    }
    try context.save()
    let list = try WatchedList(
      FetchRequest<Message>(sort: [SortDescriptor(\.sent)]), in: context,
      sections: .by(\.isHidden, \.sent) { hidden, sent in
        hidden ? Due.done : (sent ?? .distantFuture) < now ? .overdue : .upcoming
      })
    #expect(list.controller.sections.map(\.name) == ["overdue", "upcoming", "done"])
    #expect(list.controller.sections.map(\.numberOfRows) == [1, 2, 1])
    #expect(list.controller.sections[1].value as? Due == .upcoming)
    #expect(list.controller.sectionIndexTitles == ["O", "U", "D"])
    #expect(list.controller.section(forSectionIndexTitle: "D") == 2)
    now = Date(timeIntervalSinceReferenceDate: 1150)
    try list.controller.reevaluateSections()
    #expect(try list.events() == ["move 2 1/0 -> 0/1"])
    now = Date(timeIntervalSinceReferenceDate: 2000)
    try list.controller.reevaluateSections()
    #expect(try list.events() == ["delete section 1 upcoming", "insert 4 0/2"])
  }

  @Test func `days begin where the time zone says`() throws {
    _ = try message(sent: "2020-10-23T22:30:00Z")
    _ = try message(sent: "2020-10-23T23:30:00Z")
    _ = try message(sent: nil)
    try context.save()
    let request = FetchRequest<Message>(sort: [SortDescriptor(\.sent, order: .reverse)])
    let utc = try WatchedList(request, in: context, sections: .day(\.sent))
    let berlin = try WatchedList(
      request, in: context, sections: .day("sent", in: try #require(TimeZone(identifier: "Europe/London"))))
    #expect(utc.controller.sections.map(\.name) == ["2020-10-23", ""])
    #expect(berlin.controller.sections.map(\.name) == ["2020-10-24", "2020-10-23", ""])
    #expect(berlin.controller.sections.map(\.numberOfRows) == [1, 1, 1])
    _ = try message(sent: "2020-10-24T12:00:00Z")
    try context.save()
    #expect(try utc.events() == ["insert section 0 2020-10-24", "insert 4 0/0"])
    #expect(try berlin.events() == ["insert 4 0/0"])
  }

  @Test func `sections follow the direction of the sort`() throws {
    _ = try Chat.messages([(1, "A"), (2, "C"), (3, nil), (4, "B")], in: context)
    func names(_ sort: [SortTerm]) throws -> [String] {
      let list = try WatchedList(
        FetchRequest(entity: "Message", sort: sort), in: context, sections: .attribute("room"))
      return list.controller.sections.map(\.name)
    }
    #expect(try names([SortTerm("rank")]) == ["", "A", "B", "C"])
    #expect(try names([SortTerm("room", ascending: false)]) == ["C", "B", "A", ""])
    #expect(try names([SortTerm("rank", ascending: false)]) == ["", "A", "B", "C"])
  }

  @Test func `places and objects lead to each other`() throws {
    let rows = try Chat.messages([(1, "A"), (2, "C"), (3, nil), (4, "A")], in: context)
    let list = try WatchedList(
      FetchRequest<Message>(sort: [SortDescriptor(\.rank)]), in: context, sections: .attribute(\.room))
    #expect(list.controller.rowPath(for: rows[3]) == RowPath(section: 1, row: 1))
    #expect(list.controller.object(at: RowPath(section: 2, row: 0)) === rows[1])
    #expect(list.controller.objectIfPresent(at: RowPath(section: 2, row: 1)) == nil)
    #expect(list.controller.objectIfPresent(at: RowPath(section: 3, row: 0)) == nil)
    #expect(list.controller.numberOfRows(inSection: 1) == 2)
    #expect(list.controller.numberOfRows(inSection: 7) == 0)
    #expect(list.controller.fetchedObjects == [rows[2], rows[0], rows[3], rows[1]])
  }

  @Test func `a snapshot stays, and tells what leads to a later one`() throws {
    let rows = try Chat.messages([(1, "A"), (2, "B"), (3, "B")], in: context)
    let list = try WatchedList(
      FetchRequest<Message>(sort: [SortDescriptor(\.rank)]), in: context, sections: .attribute(\.room))
    let before = list.controller.snapshot
    rows[1].rank = 9
    context.delete(rows[0])
    try context.save()
    let after = list.controller.snapshot
    #expect(before.sections.map(\.name) == ["A", "B"] && before.count == 3)
    #expect(after.sections.map(\.ids) == [[rows[2].objectID, rows[1].objectID]])
    let difference = after.difference(from: before)
    #expect(difference.sections == [.delete(0, name: "A")])
    #expect(difference.changes.count == 2)
    #expect(after.difference(from: after).changes.isEmpty)
    _ = try list.events()
  }
}

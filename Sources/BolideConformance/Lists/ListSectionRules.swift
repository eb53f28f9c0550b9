import Bolide
import BolideStorage
import Foundation
import Synchronization

extension Conformance {
  /// Rule F-3: sections come from named properties; and what a list says of its places.
  static var listSectionCases: [CaseDefinition] {
    [
      CaseDefinition(
        "results/clock",
        "A section by a function of the clock and two columns is asked again, and reads no row.",
        rules: ["F-3", "F-2"]
      ) { stage in
        enum Due: Comparable { case overdue, upcoming, done }
        let context = try stage.container(ListModel.schema).newContext(author: "view")
        let now = Mutex(Date(timeIntervalSinceReferenceDate: 1000))
        for (offset, hidden) in [(900.0, false), (1100, false), (1200, true), (1300, false)] {
          let message = ListMessage(context: context)
          message.sent = Date(timeIntervalSinceReferenceDate: offset)
          message.isHidden = hidden
        }
        try context.save()
        let list = try WatchedList(
          FetchRequest<ListMessage>(sort: [SortDescriptor(\.sent)]), in: context,
          sections: .by(\.isHidden, \.sent) { hidden, sent in
            let now = now.withLock { $0 }
            return hidden ? Due.done : (sent ?? .distantFuture) < now ? .overdue : .upcoming
          })
        try checkEqual(list.sectionNames, ["overdue", "upcoming", "done"], "sections")
        try checkEqual(list.controller.sections.map(\.numberOfRows), [1, 2, 1], "rows")
        try checkEqual(list.controller.sections.at(1).value as? Due, .upcoming, "the value of a section")
        try checkEqual(list.controller.sectionIndexTitles, ["O", "U", "D"], "index titles")
        try checkEqual(list.controller.section(forSectionIndexTitle: "D"), 2, "the section of a title")
        try checkEqual(list.controller.section(forSectionIndexTitle: "X"), nil, "no section of a title")
        try list.controller.reevaluateSections()
        try list.expectEvents()
        now.withLock { $0 = Date(timeIntervalSinceReferenceDate: 1150) }
        try list.controller.reevaluateSections()
        try checkEqual(list.controller.lastWork.rowsRead, 0, "rows read")
        try list.expectEvents("move 2 1/0 -> 0/1")
        // A save between two looks at the clock places its row by the clock of then.
        let late = ListMessage(context: context)
        late.sent = Date(timeIntervalSinceReferenceDate: 1400)
        try context.save()
        try list.expectEvents("insert 5 1/1")
        now.withLock { $0 = Date(timeIntervalSinceReferenceDate: 2000) }
        try list.controller.reevaluateSections()
        try list.expectEvents("delete section 1 upcoming", "insert 4 0/2", "insert 5 0/3")
      },
      CaseDefinition(
        "results/days", "Sections by day begin where the time zone says.", rules: ["F-3"]
      ) { stage in
        let context = try stage.container(ListModel.schema).newContext(author: "view")
        func message(sent day: String?) throws {
          let message = ListMessage(context: context)
          message.sent = try day.map { try Date($0, strategy: .iso8601) }
        }
        try message(sent: "2020-10-23T22:30:00Z")
        try message(sent: "2020-10-23T23:30:00Z")
        try message(sent: nil)
        try context.save()
        let request = FetchRequest<ListMessage>(sort: [SortDescriptor(\.sent, order: .reverse)])
        let utc = try WatchedList(request, in: context, sections: .day(\.sent))
        let zone = try checkPresent(TimeZone(identifier: "Europe/London"), "the time zone")
        let london = try WatchedList(request, in: context, sections: .day("sent", in: zone))
        try checkEqual(utc.sectionNames, ["2020-10-23", ""], "days of UTC")
        try checkEqual(london.sectionNames, ["2020-10-24", "2020-10-23", ""], "days of London")
        try message(sent: "2020-10-24T12:00:00Z")
        try context.save()
        try utc.expectEvents("insert section 0 2020-10-24", "insert 4 0/0")
        try london.expectEvents("insert 4 0/0")
        // Infinite dates are dates, and so are those out of the calendar.
        for seconds in [Double.infinity, -.infinity, 1e300] {
          ListMessage(context: context).sent = Date(timeIntervalSinceReferenceDate: seconds)
        }
        try context.save()
        try checkEqual(
          utc.sectionNames, ["@inf", "@1e+300", "2020-10-24", "2020-10-23", "@-inf", ""], "days of all dates")
      },
      CaseDefinition(
        "results/section-order", "Sections by an attribute follow the direction of a first sort by it.",
        rules: ["F-3", "V-4"]
      ) { stage in
        let context = try stage.container(ListModel.schema).newContext(author: "view")
        _ = try context.messages([(1, "A"), (2, "C"), (3, nil), (4, "B")])
        func names(_ sort: SortTerm...) throws -> [String] {
          let request = FetchRequest<ListMessage>(entity: "Message", sort: sort)
          let list = try WatchedList(request, in: context, sections: .attribute("room"))
          return list.sectionNames
        }
        try checkEqual(try names(SortTerm("rank")), ["", "A", "B", "C"], "by rank")
        try checkEqual(
          try names(SortTerm("room", ascending: false)), ["C", "B", "A", ""], "by room, descending")
        try checkEqual(
          try names(SortTerm("rank", ascending: false)), ["", "A", "B", "C"], "by rank, descending")
      },
      CaseDefinition(
        "results/places", "Places lead to objects and objects to places, and what is none is nil.",
        rules: ["F-2"]
      ) { stage in
        let context = try stage.container(ListModel.schema).newContext(author: "view")
        let rows = try context.messages([(1, "A"), (2, "C"), (3, nil), (4, "A")])
        let list = try WatchedList(.ranked(), in: context, sections: .attribute(\.room)).controller
        try checkEqual(list.rowPath(for: rows[3]), RowPath(section: 1, row: 1), "the place of a row")
        try check(list.objectIfPresent(at: RowPath(section: 2, row: 0)) === rows[1], "the object at a place")
        for path in [(2, 1), (3, 0), (-1, 0), (0, -1)].map({ RowPath(section: $0, row: $1) }) {
          try check(list.objectIfPresent(at: path) == nil, "there is no place \(path)")
        }
        try checkEqual([1, 7].map { list.numberOfRows(inSection: $0) }, [2, 0], "rows of sections")
        try checkEqual(list.fetchedObjects, [rows[2], rows[0], rows[3], rows[1]], "all objects")
        try checkEqual(list.sectionIndexTitles, ["", "A", "C"], "index titles")
      },
      CaseDefinition(
        "results/snapshots", "A snapshot stays as it is, and tells what leads from it to a later one.",
        rules: ["F-1"]
      ) { stage in
        let context = try stage.container(ListModel.schema).newContext(author: "view")
        let rows = try context.messages([(1, "A"), (2, "B"), (3, "B")])
        let ids = rows.map(\.objectID)
        let list = try WatchedList(.ranked(), in: context, sections: .attribute(\.room))
        let before = list.controller.snapshot
        rows[1].rank = 9
        context.delete(rows[0])
        try context.save()
        let after = list.controller.snapshot
        try checkEqual(before.sections.map(\.name), ["A", "B"], "sections before")
        try checkEqual(before.objectIDs, ids, "ids before")
        try checkEqual(after.sections.map(\.ids), [[ids[2], ids[1]]], "ids after")
        let difference = after.difference(from: before)
        try checkEqual(difference.sections, [.delete(0, name: "A")], "sections that differ")
        try checkEqual(
          difference.changes,
          [
            .delete(ids[0], RowPath(section: 0, row: 0)),
            .move(ids[1], RowPath(section: 1, row: 0), RowPath(section: 0, row: 1)),
          ], "changes")
        try check(after.difference(from: after).changes.isEmpty, "a snapshot does not differ from itself")
        try list.expectEvents("delete section 0 A", "delete 1 0/0", "move 2 1/0 -> 0/1")
      },
    ]
  }
}

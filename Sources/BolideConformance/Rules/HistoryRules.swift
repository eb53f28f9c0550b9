import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// Rules H-1 to H-3, H-8 and H-9.
  static var historyRuleCases: [CaseDefinition] {
    [
      CaseDefinition(
        "history/what-a-transaction-says",
        "A transaction has number, time, author, context, process and store.",
        rules: ["H-1"]
      ) { stage in
        let clock = TestClock(Date(timeIntervalSinceReferenceDate: 1_000.5))
        let container = try stage.container(RuleModel.watch, options: .suite(clock: clock))
        let context = container.newContext(author: "user", name: "list")
        _ = try context.insert("Group")
        try context.save()
        clock.now += 10
        try container.importRecords([sighting(1)], author: nil)
        let transactions = try container.history(PersistentHistoryRequest()).transactions
        try checkEqual(transactions.map(\.number), [1, 2], "numbers")
        try checkEqual(transactions.map(\.author), ["user", nil], "authors")
        try checkEqual(transactions.map(\.contextName), ["list", nil], "context names")
        try checkEqual(
          transactions.map(\.timestamp.timeIntervalSinceReferenceDate), [1_000.5, 1_010.5], "timestamps")
        try checkEqual(transactions.map(\.processName), ["suite", "suite"], "process names")
        try checkEqual(transactions.map(\.processID), [7, 7], "process ids")
        try check(transactions.allSatisfy { $0.storeID == container.storeID }, "store ids")
        try checkEqual(transactions[1].token, try container.currentToken(), "the newest token")
      },
      CaseDefinition(
        "history/every-write-is-a-transaction",
        "Saves and each kind of batch are transactions of their author.",
        rules: ["H-1", "H-2", "H3", "H16"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        let context = container.newContext(author: "import")
        try context.insert("Fireball", "time", date(1))
        try context.save()
        let records = [sighting(1, energy: 9), sighting(2), sighting(3), sighting(4)]
        _ = try context.execute(BatchInsertRequest(entity: "Fireball", records: records))
        _ = try context.execute(
          BatchUpdateRequest(
            entity: "Fireball", values: ["place": .string("x")],
            where: .compare(.path(["time"]), .less, .literal(date(4)))))
        _ = try context.execute(
          BatchDeleteRequest(entity: "Fireball", where: .compare(.path(["time"]), .less, .literal(date(3)))))
        context.transactionAuthor = "other"
        try context.insert("Group", "name", .string("G"))
        try context.save()
        try checkEqual(
          try container.story(),
          [
            "1 import: insert Fireball#1",
            "2 import: update Fireball#1 energy, insert Fireball#2, insert Fireball#3, insert Fireball#4",
            "3 import: update Fireball#1 place, update Fireball#2 place, update Fireball#3 place",
            "4 import: delete Fireball#1 time=\(TimeText.of(1)), delete Fireball#2 time=\(TimeText.of(2))",
            "5 other: insert Group#1",
          ], "history")
      },
      CaseDefinition(
        "history/one-change-an-object", "A transaction has one change an object; what undid itself is none.",
        rules: ["H-2", "M3"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords([1, 2].map { sighting($0) })
        try container.makeGroup("A", of: [1])
        let context = container.newContext(author: "user")
        let passing = try context.insert("Group")
        context.delete(passing)
        let objects = try context.sightings([1, 2])
        try objects[0].setValue(.string("a"), for: "note")
        try objects[0].setValue(.double(3), for: "energy")
        try objects[1].setValue(.string("b"), for: "note")
        try objects[1].setValue(.null, for: "note")
        let group = try context.group("A")
        try group.removeObjects([objects[0]], for: "fireballs")
        try group.addObjects([objects[0]], for: "fireballs")
        let result = try context.save()
        try checkEqual([result.inserted, result.updated, result.deleted], [0, 1, 0], "counts")
        try checkEqual(
          try container.story(after: .number(2)), ["3 user: update Fireball#1 energy note"], "history")
      },
      CaseDefinition(
        "history/both-sides-are-changes",
        "Both sides of a relationship edit are changes, with their properties.",
        rules: ["H-2"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords([1, 2].map { sighting($0) })
        try container.makeGroup("A", of: [1])
        let context = container.newContext(author: "user")
        try context.sightings([2])[0].addObjects([try context.group("A")], for: "groups")
        try context.save()
        try checkEqual(
          try container.story(after: .number(1)),
          [
            "2 user: update Fireball#1 groups, insert Group#1",
            "3 user: update Fireball#2 groups, update Group#1 fireballs size",
          ], "history")
      },
      CaseDefinition(
        "history/tombstones", "A delete keeps the attributes marked for it, on every path, until the purge.",
        rules: ["H-2", "H15"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords([1, 2].map { sighting($0, energy: 5) })
        let context = container.newContext(author: "user")
        context.delete(try context.sightings([1])[0])
        try context.save()
        _ = try context.execute(BatchDeleteRequest(entity: "Fireball"))
        let result = try container.history(PersistentHistoryRequest(after: .number(1)))
        try checkEqual(
          result.changes.map(\.tombstone), [["time": date(1)], ["time": date(2)]], "tombstones")
        try checkEqual(try container.purgeHistory(before: .number(3)), 2, "transactions purged")
        try checkEqual(
          try container.story(), ["3 user: delete Fireball#2 time=\(TimeText.of(2))"], "history left")
      },
      CaseDefinition(
        "history/author-filter-keeps-nil", "A filter on authors treats nil as a value.", rules: ["H-3", "H1"]
      ) {
        stage in
        let container = try stage.container(RuleModel.watch)
        for (time, author) in [(1, "FireballWatch"), (2, "import"), (3, nil)] as [(Double, String?)] {
          try container.importRecords([sighting(time)], author: author)
        }
        let authors = { (text: String) in
          try container.history(
            PersistentHistoryRequest(where: HistoryFilter(try Condition(parsing: text)))
          ).transactions.map(\.author)
        }
        try checkEqual(try authors("author != \"FireballWatch\""), ["import", nil], "author is not")
        try checkEqual(try authors("author == nil"), [nil], "author is nil")
        try checkEqual(try authors("author != nil"), ["FireballWatch", "import"], "author is not nil")
        try checkEqual(try authors("NOT author == \"import\""), ["FireballWatch", nil], "NOT author is")
        let typed = HistoryFilter(#Predicate<PersistentHistoryTransaction> { $0.author != "FireballWatch" })
        let seen = try container.history(PersistentHistoryRequest(where: typed)).transactions
        try checkEqual(seen.map(\.author), ["import", nil], "author is not, as #Predicate")
      },
      CaseDefinition(
        "history/anchors-are-exclusive",
        "History after a token, number or date begins behind it, in commit order.",
        rules: ["H-3", "H-4", "H13", "H14"]
      ) { stage in
        let clock = TestClock()
        let container = try stage.container(RuleModel.watch, options: .suite(clock: clock))
        var tokens: [PersistentHistoryToken] = []
        // The clock stands still once and goes back once.
        for (time, seconds) in [(1, 10), (2, 20), (3, 20), (4, 5), (5, 6)] as [(Double, Double)] {
          clock.now = Date(timeIntervalSinceReferenceDate: seconds)
          try container.importRecords([sighting(time)])
          tokens.append(try container.currentToken())
        }
        func numbers(_ anchor: PersistentHistoryRequest.Anchor, limit: Int? = nil) throws -> [UInt64] {
          try container.history(PersistentHistoryRequest(after: anchor, limit: limit)).transactions.map(
            \.number)
        }
        func at(_ seconds: Double) -> PersistentHistoryRequest.Anchor {
          .date(Date(timeIntervalSinceReferenceDate: seconds))
        }
        try checkEqual(try numbers(.start), [1, 2, 3, 4, 5], "from the start")
        for index in 0..<5 {
          let rest = Array(UInt64(index + 2)..<6)
          try checkEqual(try numbers(.token(tokens[index])), rest, "after token \(index + 1)")
          try checkEqual(try numbers(.number(UInt64(index + 1))), rest, "after number \(index + 1)")
        }
        try checkEqual(try numbers(at(10)), [2, 3, 4, 5], "after the date of the first")
        try checkEqual(try numbers(at(15)), [2, 3, 4, 5], "after a date between")
        try checkEqual(try numbers(at(20)), [], "after the latest date")
        try checkEqual(try numbers(.start, limit: 2), [1, 2], "the first two")
        try checkEqual(
          try container.purgeHistory(before: .date(Date(timeIntervalSinceReferenceDate: 8))), 0,
          "transactions before 8 that begin history")
        try checkEqual(
          try container.purgeHistory(before: .date(Date(timeIntervalSinceReferenceDate: 20))), 1,
          "transactions before 20 that begin history")
        try checkEqual(
          try container.purgeHistory(before: .token(tokens[3])), 2, "transactions before token 4")
        try checkEqual(try numbers(.start), [4, 5], "what is left")
        try checkEqual(try numbers(.token(tokens[3])), [5], "after the token that was purged up to")
      },
      CaseDefinition(
        "history/filters-and-results", "History is filtered by entity, kind and object; ids and counts fit.",
        rules: ["H-3"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords([1, 2].map { sighting($0) })
        try container.makeGroup("A", of: [2])
        _ = try container.newContext(author: "user").execute(BatchDeleteRequest(entity: "Group"))
        func lines(_ text: String) throws -> [String] {
          try container.story(where: HistoryFilter(try Condition(parsing: text)))
        }
        try checkEqual(
          try lines("entity == \"Group\""), ["2 user: insert Group#1", "3 user: delete Group#1"], "by entity")
        try checkEqual(try lines("kind == \"insert\"").count, 2, "transactions with inserts")
        try checkEqual(
          try lines("entity == \"Fireball\" AND object == 2"),
          [
            "1 import: insert Fireball#2", "2 user: update Fireball#2 groups",
            "3 user: update Fireball#2 groups",
          ],
          "by object")
        let result = try container.history(PersistentHistoryRequest(after: .number(1), resultType: .ids))
        try checkEqual(result.objectIDs.map(\.description), ["Fireball#2", "Group#1"], "ids")
      },
      CaseDefinition(
        "history/commits-ring", "Each commit rings, and what rang can be read; bookkeeping is silent.",
        rules: ["H-8", "H16"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        let rings = Counter()
        let registration = container.onRemoteChange { rings.increment() }
        try container.importRecords([sighting(1)])
        let first = rings.count
        try check(first >= 1, "no ring after an import")
        let context = container.newContext()
        _ = try context.insert("Group")
        try context.save()
        try check(rings.count > first, "no ring after a save")
        let second = rings.count
        _ = try context.execute(BatchDeleteRequest(entity: "Group"))
        try check(rings.count > second, "no ring after a batch delete")
        let third = rings.count
        try container.purgeHistory(before: .number(2))
        _ = try context.execute(BatchDeleteRequest(entity: "Group"))
        try checkEqual(rings.count, third, "rings after a purge and after nothing")
        withExtendedLifetime(registration) {}
      },
      CaseDefinition(
        "history/on-unless-off", "History is on by default; a store that has it is not opened without.",
        rules: ["H-9"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords([sighting(1)])
        try container.close()
        let error = try checkThrows(.historyRequired, label: "opening without history") {
          _ = try PersistentContainer(
            RuleModel.watch, at: container.location, options: .suite(history: .off))
        }
        try check(!error.remedy.isEmpty, "the way out is named")
        let silent = try stage.container(RuleModel.watch, options: .suite(history: .off))
        try silent.importRecords([sighting(1)])
        try checkEqual(try silent.numbers(), [1], "objects of a store without history")
        try checkEqual(try silent.currentToken().number, 0, "its transactions")
      },
    ]
  }
}

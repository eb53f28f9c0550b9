import Bolide
import BolideStorage

extension Conformance {
  /// Rules Q-1 to Q-3: what a request gives, beside its condition and order.
  static var requestRules: [CaseDefinition] { unsavedCases + resultCases }

  // MARK: Unsaved edits

  private static var unsavedCases: [CaseDefinition] {
    [
      CaseDefinition(
        "queries/unsaved-edits",
        "Conditions, orders, groups and counts see a context's unsaved edits, over relationships too.",
        rules: ["Q-1", "V-4"]
      ) { stage in
        let container = try stage.container(RuleModel.items)
        try container.makeItems()
        let edits = RequestProbe(context: container.newContext())
        let items = try edits.context.fetch(FetchRequest<ManagedObject>(entity: "Item"))
        let people = try edits.context.fetch(FetchRequest<ManagedObject>(entity: "Person"))
        try checkEqual([items.count, people.count], [4, 3], "items and persons stored")
        try items[0].setValue(.string("z"), for: "title")
        try people[0].setValue(.string("Eve"), for: "name")
        edits.context.delete(people[1])
        edits.context.delete(items[3])
        let newPerson = try edits.context.insert("Person")
        try newPerson.setValue(.string("Dee"), for: "name")
        let newItem = try edits.context.insert("Item")
        try newItem.setValue(.string("new"), for: "title")
        try newItem.setValue(.bool(true), for: "done")
        try newItem.setObject(newPerson, for: "owner")
        let (item, person) = (newItem.objectID.number, newPerson.objectID.number)
        try edits.check(
          "Item",
          [
            ("title == 'z'", [1]), ("title == 'a'", []), ("owner.name == 'Ada'", []), ("owner == nil", [3]),
            ("owner.name == 'Eve'", [1, 2]), ("owner.name == 'Dee'", [item]), ("done == true", [1, item]),
            ("ANY owner.items.title == 'new'", [item]), ("title > 'aa'", [1, 2, 3, item]),
          ])
        try edits.check(
          "Person",
          [
            ("TRUEPREDICATE", [1, 3, person]), ("ANY items.title == 'z'", [1]),
            ("items.@count == 1", [person]), ("ALL items.done == false", [3]),
            ("NONE items.done == true", [3]), ("items.title.@max == 'z'", [1]),
            ("items.@count == 2 AND name == 'Eve'", [1]),
          ])
        try checkEqual(
          try edits.numbers("Item", sort: "-owner.name,title"), [2, 1, item, 3], "items by their owners")
        try checkEqual(
          try edits.numbers("Item", sort: "title", limit: 2, offset: 1), [3, item], "a page of items")
        var groups = FetchRequest<ManagedObject>(entity: "Item", sort: [SortTerm("owner.name")])
        groups.propertiesToFetch = try FetchColumn.list(parsing: "owner.name,@count,title.@max")
        groups.propertiesToGroupBy = ["owner.name"]
        try checkEqual(
          try edits.context.fetchRows(groups).map { QueryRequest.line($0.values) },
          [#"null  1  "bb""#, #""Dee"  1  "new""#, #""Eve"  2  "z""#], "groups of edited items")
        groups.includesPendingChanges = false
        try checkEqual(
          try edits.context.fetchRows(groups).map { QueryRequest.line($0.values) },
          [#"null  1  "c""#, #""Ada"  2  "b""#, #""Bo"  1  "bb""#], "groups of stored items")
        try checkEqual(
          try edits.numbers("Item", where: "title == 'a'", pending: false), [1], "stored items alone")
        let dropped = try edits.context.insert("Person")
        try items[2].setObject(dropped, for: "owner")
        edits.context.delete(dropped)
        try edits.check(
          "Item", [("owner == nil", [3]), ("owner.name == nil", [3]), ("owner != nil", [1, 2, item])])
        try edits.context.save()
        try checkEqual(
          try edits.numbers("Item", where: "owner.name == 'Eve'", pending: false), [1, 2], "after the save")
      },
      CaseDefinition(
        "queries/unsaved-links",
        "Conditions see unsaved edits of many-to-many relationships from both sides.",
        rules: ["Q-1", "R-1"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords([sighting(1, energy: 5), sighting(2, energy: 0.1), sighting(3)])
        try container.makeGroup("a", of: [1, 2])
        try container.makeGroup("b", of: [2, 3])
        let edits = RequestProbe(context: container.newContext())
        let found = try edits.context.sightings([1, 2, 3])
        try edits.context.group("b").addObjects([found[0]], for: "fireballs")
        try edits.context.group("a").removeObjects([found[1]], for: "fireballs")
        let new = try edits.context.insert("Group")
        try new.addObjects([found[2]], for: "fireballs")
        try edits.check(
          "Group",
          [
            ("ANY fireballs.energy > 1", [1, 2]), ("fireballs.@count == 1", [1, new.objectID.number]),
            ("NONE fireballs.energy == nil", [1]), ("fireballs.energy.@sum == 5.1", [2]),
            // Derived attributes follow with the save.
            ("size == 2", [1, 2]),
          ])
        try edits.check(
          "Fireball",
          [
            ("ANY groups.name == 'a'", [1]), ("groups.@count == 2", [1, 3]),
            ("ANY groups.fireballs.energy == 5", [1, 2, 3]),
          ])
        edits.context.delete(found[2])
        try edits.check(
          "Group", [("fireballs.@count == 0", [new.objectID.number]), ("ANY fireballs.energy == nil", [])])
        let dropped = try edits.context.insert("Fireball")
        try new.addObjects([dropped], for: "fireballs")
        edits.context.delete(dropped)
        try edits.check(
          "Group",
          [("fireballs.@count == 0", [new.objectID.number]), ("fireballs.@count IN {1, 2}", [1, 2])])
        try edits.context.save()
        try edits.check("Group", [("size == 2", [2]), ("fireballs.@count == 0", [3])])
      },
    ]
  }

  // MARK: Results

  private static var resultCases: [CaseDefinition] {
    [
      CaseDefinition(
        "queries/results-agree",
        "Objects, batches, ids, rows and counts of a request are those of the same objects in the same order.",
        rules: ["Q-2"]
      ) { stage in
        let container = try stage.container(RuleModel.catalog)
        try container.importRecords(
          "Station", (0..<30).map { ["serial": .int($0), "height": .double(Double($0 % 7))] })
        let context = container.newContext()
        for (limit, offset) in [(nil, 0), (4, 0), (4, 27), (0, 0), (10, 30), (5, -3), (-1, 2), (nil, 40)]
          as [(Int?, Int)]
        {
          for (text, sort) in [
            ("height >= 2", "-height"), ("serial < 20", "serial"), ("height != 3", "height,-code"),
          ] {
            var request = FetchRequest<ManagedObject>(
              entity: "Station", where: try Condition(parsing: text), sort: try SortTerm.list(parsing: sort),
              limit: limit, offset: offset)
            request.fetchBatchSize = 3
            request.propertiesToFetch = try FetchColumn.list(parsing: "serial,height")
            let label = "\(text) by \(sort), \(limit.map(String.init) ?? "all") from \(offset)"
            let ids = try context.fetchIDs(request)
            try checkEqual(try context.fetch(request).map(\.objectID), ids, "objects: \(label)")
            let batches = try context.fetchBatches(request)
            try checkEqual(batches.map(\.objectID), ids, "batches: \(label)")
            try checkEqual(try context.count(for: request), ids.count, "count: \(label)")
            let rows = try batches.map { [try $0.value("serial"), try $0.value("height")] }
            try checkEqual(try context.fetchRows(request).map(\.values), rows, "rows: \(label)")
            var all = request
            (all.limit, all.offset) = (nil, 0)
            let wanted = try context.fetchIDs(all).dropFirst(max(0, offset)).prefix(max(0, limit ?? .max))
            try checkEqual(ids, Array(wanted), "a part of all: \(label)")
          }
        }
      },
      CaseDefinition(
        "queries/counts-of-rows", "The count of a request for groups or distinct rows is that of its rows.",
        rules: ["Q-2"]
      ) { stage in
        let container = try stage.container(RuleModel.catalog)
        try container.importRecords(
          "Station", (0..<30).map { ["serial": .int($0), "height": .double(Double($0 % 7))] })
        let context = container.newContext()
        var request = FetchRequest<ManagedObject>(entity: "Station", sort: [SortTerm("height")])
        func checkCount(_ expected: Int, _ label: String) throws {
          try checkEqual(try context.fetchRows(request).count, expected, "rows \(label)")
          try checkEqual(try context.count(for: request), expected, "the count \(label)")
        }
        request.propertiesToFetch = try FetchColumn.list(parsing: "height")
        request.returnsDistinctRows = true
        try checkCount(7, "that differ")
        request.offset = 5
        try checkCount(2, "that differ, from the fifth")
        request.returnsDistinctRows = false
        request.offset = 0
        request.propertiesToGroupBy = ["height"]
        try checkCount(7, "of groups")
        request.having = try Condition(parsing: "@count > 4")
        try checkCount(2, "of groups of five")
        request.limit = 1
        try checkCount(1, "of a limited group")
        request.condition = try Condition(parsing: "height > 100")
        try checkCount(0, "of no group")
        request.propertiesToGroupBy = []
        request.having = nil
        request.sort = []
        request.propertiesToFetch = try FetchColumn.list(parsing: "height.@max")
        try checkCount(1, "of all rows together")
      },
      CaseDefinition(
        "queries/batches-show-one-state", "Objects read in batches are those of the state that was fetched.",
        rules: ["Q-2", "G-1"]
      ) { stage in
        let container = try stage.container(RuleModel.catalog)
        try container.importRecords("Station", (0..<30).map { ["serial": .int($0), "height": .double(1)] })
        let reading = container.newContext()
        var request = FetchRequest<ManagedObject>(
          entity: "Station", where: try Condition(parsing: "height == 1"),
          sort: [SortTerm("serial", ascending: false)])
        request.fetchBatchSize = 8
        let objects = try reading.fetchBatches(request)
        try checkEqual(objects.count, 30, "stations found")
        try checkEqual(try objects[0].value("serial"), .int(29), "the first serial")
        let writing = container.newContext()
        _ = try writing.execute(
          BatchUpdateRequest<ManagedObject>(entity: "Station", values: ["height": .double(2)]))
        _ = try writing.execute(
          BatchDeleteRequest(entity: "Station", where: try Condition(parsing: "serial < 5")))
        try checkEqual(
          try objects.map { try $0.value("height") }, Array(repeating: .double(1), count: 30), "heights")
        try checkEqual(try reading.fetchBatches(request).count, 0, "stations of the old height now")
      },
      CaseDefinition(
        "queries/prefetching", "Objects along paths that a request names are read with it.", rules: ["Q-3"]
      ) { stage in
        let container = try stage.container(RuleModel.items)
        try container.makeItems()
        let context = container.newContext()
        context.retainsRegisteredObjects = true
        var request = FetchRequest<ManagedObject>(
          entity: "Person", where: try Condition(parsing: "name BEGINSWITH 'B'"))
        request.relationshipKeyPathsForPrefetching = ["items.owner.items"]
        let people = try context.fetch(request)
        let held = context.registeredObjects
        try checkEqual(held.map(\.objectID.description).sorted(), ["Item#3", "Person#2"], "objects read")
        try check(held.allSatisfy { !$0.isFault }, "an object was not read")
        try checkEqual(try people[0].objects("items").map(\.objectID.number), [3], "members")
        // What is read along is held until the next request that prefetches, or a reset.
        let loose = container.newContext()
        let first = try loose.fetch(request)
        try check(try first[0].objects("items").allSatisfy { !$0.isFault }, "a member was let go")
        request.relationshipKeyPathsForPrefetching = []
        _ = try loose.fetch(request)
        try checkEqual(loose.registeredObjects.count, 2, "after a request that does not prefetch")
        try loose.reset()
        try checkEqual(loose.registeredObjects.count, 0, "after a reset")
        request = FetchRequest(entity: "Item")
        request.relationshipKeyPathsForPrefetching = ["owner"]
        _ = try context.fetchBatches(request).map(\.objectID)
        try checkEqual(context.registeredObjects.count, 6, "items and their owners")
        for (path, code) in [("nme", ErrorCode.predicateUnknownPath), ("title", .fetchColumn)] {
          request.relationshipKeyPathsForPrefetching = [path]
          try checkThrows(code, label: "prefetching \(path)") { _ = try context.fetch(request) }
        }
      },
      CaseDefinition(
        "queries/refetched-objects",
        "Objects that a context holds keep their values, or get the stored ones under their edits when asked.",
        rules: ["Q-3"]
      ) { stage in
        let container = try stage.container(RuleModel.items)
        try container.makeItems()
        let context = container.newContext()
        var request = FetchRequest<ManagedObject>(entity: "Item", sort: [SortTerm("title")])
        let items = try context.fetch(request)
        try checkEqual(items.count, 4, "items stored")
        try items[0].setValue(.bool(false), for: "done")
        let other = container.newContext()
        for item in try other.fetch(request) { try item.setValue(.string("now"), for: "title") }
        try other.save()
        _ = try context.fetch(request)
        try checkEqual(try items[0].value("title"), .string("a"), "the title held")
        request.shouldRefreshRefetchedObjects = true
        _ = try context.fetch(request)
        try checkEqual(
          try items.map { try $0.value("title") }, Array(repeating: .string("now"), count: 4), "titles")
        try checkEqual(try items[0].value("done"), .bool(false), "the edit")
        try check(items[0].hasChanges, "the edit is gone")
      },
    ]
  }
}

/// A context whose requests are checked.
private struct RequestProbe {
  let context: ManagedObjectContext

  /// The numbers of the objects found, which are negative for unsaved ones.
  func numbers(
    _ entity: String, where text: String = "TRUEPREDICATE", sort: String? = nil, limit: Int? = nil,
    offset: Int = 0, pending: Bool = true
  ) throws -> [Number] {
    var request = FetchRequest<ManagedObject>(
      entity: entity, where: try Condition(parsing: text), limit: limit, offset: offset)
    request.sort = try sort.map { try SortTerm.list(parsing: $0) } ?? []
    request.includesPendingChanges = pending
    let ids = try context.fetchIDs(request)
    try checkEqual(try context.count(for: request), ids.count, "the count of \(text)")
    try checkEqual(try context.fetch(request).map(\.objectID), ids, "the objects of \(text)")
    return ids.map(\.number)
  }

  func check(_ entity: String, _ cases: [(text: String, numbers: [Number])]) throws {
    for (text, expected) in cases {
      try checkEqual(try numbers(entity, where: text), expected, "\(entity) where \(text)")
    }
  }
}

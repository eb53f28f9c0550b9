import Bolide
import BolideStorage

// What the cases about queries fill stores with, and ask.

extension CaseStage {
  /// A container with stations of some codes.
  func stations(_ codes: [String?]) throws -> PersistentContainer {
    let container = try container(RuleModel.catalog)
    let context = container.newContext()
    for code in codes { try context.insert("Station").setValue(code.map(Value.string) ?? .null, for: "code") }
    try context.save()
    return container
  }
}

extension PersistentContainer {
  /// Ada with items a (done) and b, Bo with bb, Cy without, and an item of nobody.
  func makeItems() throws {
    let context = newContext()
    let persons = try ["Ada", "Bo", "Cy"].map { name in
      let person = try context.insert("Person")
      try person.setValue(.string(name), for: "name")
      return person
    }
    for (title, isDone, owner) in [("a", true, 0), ("b", false, 0), ("bb", false, 1), ("c", false, nil)]
      as [(String, Bool, Int?)]
    {
      let item = try context.insert("Item")
      try item.setValue(.string(title), for: "title")
      try item.setValue(.bool(isDone), for: "done")
      if let owner { try item.setObject(persons[owner], for: "owner") }
    }
    try context.save()
  }

  /// The numbers of the objects a predicate holds for, by number.
  func numbers(_ entity: String, where text: String, sort: [SortTerm] = []) throws -> [Number] {
    let scope = EntityScope(try map.entity(entity), in: map)
    let condition = try Condition(parsing: text, in: scope)
    try BolideConformance.check(
      try Condition(parsing: condition.description, in: scope) == condition, "\(condition) does not read back"
    )
    let request = FetchRequest<ManagedObject>(entity: entity, where: condition, sort: sort)
    let context = newContext()
    let numbers = try context.fetchIDs(request).map(\.number)
    try checkEqual(try context.count(for: request), numbers.count, "the count of \(text.prefix(60))")
    return numbers
  }

  func check(_ entity: String, _ cases: [(text: String, numbers: [Number])]) throws {
    for (text, expected) in cases {
      try checkEqual(try numbers(entity, where: text), expected, "\(entity) where \(text.prefix(60))")
    }
  }

  func checkOrder(_ entity: String, _ cases: [(terms: String, numbers: [Number])]) throws {
    for (terms, expected) in cases {
      let sort = try SortTerm.list(parsing: terms)
      try checkEqual(
        try numbers(entity, where: "TRUEPREDICATE", sort: sort), expected, "\(entity) by \(terms)")
    }
  }

  func rows(
    _ entity: String, _ columns: String, where text: String? = nil, by path: String? = nil,
    having: String? = nil,
    sort: String? = nil, limit: Int? = nil, distinct: Bool = false
  ) throws -> [String] {
    var request = FetchRequest<ManagedObject>(entity: entity, limit: limit)
    request.condition = try text.map { try Condition(parsing: $0) }
    request.propertiesToFetch = try FetchColumn.list(parsing: columns)
    request.propertiesToGroupBy = path.map { [$0] } ?? []
    request.having = try having.map { try Condition(parsing: $0) }
    request.sort = try sort.map { try SortTerm.list(parsing: $0) } ?? []
    request.returnsDistinctRows = distinct
    return try newContext().fetchRows(request).map { QueryRequest.line($0.values) }
  }
}

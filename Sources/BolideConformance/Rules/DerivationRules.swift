import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// Rule R-3 for every kind of derivation, right after every kind of write.
  static var derivationCases: [CaseDefinition] {
    [
      CaseDefinition(
        "derived/every-kind",
        "Counts, sums, values of owners, text forms and times are true right after every kind of write.",
        rules: ["R-3", "R-2", "U-9", "C1", "C8"]
      ) { stage in
        let clock = TestClock()
        let container = try stage.container(library, options: .suite(clock: clock))
        let context = container.newContext(author: "user")
        // Reads what the writing context shows of loaded objects, and what a fresh one does.
        func verify(_ label: String) throws {
          try checkEqual(
            try problems(in: context, container), [], "what the writing context shows after \(label)")
          try checkEqual(
            try problems(in: container.newContext(), container), [], "what is stored after \(label)")
          clock.now += 60
        }
        let rooms = try ["CAFÉ", "Bar"].map { try context.insert("Room", "name", .string($0)) }
        let shelves = try ["Ñu", "Bar", "CAFÉ"].map { try context.insert("Shelf", "name", .string($0)) }
        let books = try (0..<6).map { try context.insert("Book", "title", .string("b\($0)")) }
        for (place, book) in books.enumerated() {
          try book.setValue(.int(Int64(place + 1)), for: "pages")
          try book.setObject(shelves[place % 2], for: "shelf")
        }
        try shelves[0].setObject(rooms[0], for: "room")
        try context.save()
        try checkEqual(
          try shelves.map { [try $0.value("bookCount"), try $0.value("pages")] },
          [[.int(3), .int(9)], [.int(3), .int(12)], [.int(0), .int(0)]],
          "counts and sums right after the save")
        try verify("inserting")

        try rooms[1].addObjects([shelves[1], shelves[2]], for: "shelves")
        try shelves[2].addObjects([books[0], books[1]], for: "books")
        try context.save()
        try checkEqual(try books[0].value("roomName"), .string("Bar"), "a value along two links")
        try verify("linking from the other side")

        try rooms[1].setValue(.string("Ñu"), for: "name")
        try shelves[0].setValue(.string("CAFÉ"), for: "name")
        try context.save()
        try verify("renaming")

        try shelves[2].removeObjects([books[0]], for: "books")
        try shelves[1].replaceObjects([books[2]], for: "books")
        try context.save()
        try verify("taking out and replacing")

        try shelves[0].addObjects([books[0]], for: "books")
        context.rollback()
        try verify("a rollback")

        func batch(_ label: String, _ request: () throws -> [ManagedObjectID]) throws {
          for id in try request() {
            if let object = context.registeredObject(for: id) { context.refresh(object, mergeChanges: false) }
          }
          try context.mergeAll(of: container, after: 0)
          try verify(label)
        }
        try batch("a batch insert") {
          let records: [[String: Value]] = ["b0", "b1", "b9"].map {
            ["title": .string($0), "pages": .int(100)]
          }
          context.mergePolicy = .objectTrump
          let result = try context.execute(BatchInsertRequest(entity: "Book", records: records))
          return Array(result.inserted) + Array(result.updated)
        }
        try batch("a batch update of names") {
          Array(
            try context.execute(BatchUpdateRequest(entity: "Room", values: ["name": .string("Bar")])).updated)
        }
        try batch("a batch update of pages") {
          let more = ["pages": try RowExpression(parsing: "pages + 1")]
          return Array(try context.execute(BatchUpdateRequest(entity: "Book", expressions: more)).updated)
        }
        try batch("a batch delete of members") {
          let request = BatchDeleteRequest(entity: "Book", where: .equals("title", .string("b4")))
          return Array(try context.execute(request).deleted)
        }
        context.delete(books[2])
        try context.save()
        try verify("deleting a member")

        // The room takes its shelves along; their books stay, on none.
        context.delete(rooms[0])
        try context.save()
        try checkEqual(try container.numbers("Shelf").count, 2, "shelves after a cascade")
        try checkEqual(try books[0].value("shelfName"), .null, "the name of a shelf that is gone")
        try verify("a cascade in a save")
        try batch("a cascade in a batch delete") {
          Array(try context.execute(BatchDeleteRequest(ids: [rooms[1].objectID])).deleted)
        }
        try checkEqual(try container.numbers("Shelf"), [], "shelves after both cascades")
      }
    ]
  }

  /// Rooms with shelves with books: each kind of derivation, and one along two links.
  private static let library = Schema(
    name: "Library",
    entities: [
      EntityDescription(
        name: "Room",
        attributes: [
          text("name"),
          AttributeDescription(name: "shelfCount", type: .int64, derivation: .count(relationship: "shelves")),
          AttributeDescription(name: "changed", type: .date, derivation: .now),
        ],
        relationships: [
          RelationshipDescription(
            name: "shelves", destination: "Shelf", inverse: "room", isToMany: true, deleteRule: .cascade)
        ]),
      EntityDescription(
        name: "Shelf",
        attributes: [
          text("name"), text("lowered", .lowercase(attribute: "name")),
          text("uppered", .uppercase(attribute: "name")), text("plain", .canonical(attribute: "name")),
          text("roomName", .value(path: ["room", "name"])),
          AttributeDescription(name: "bookCount", type: .int64, derivation: .count(relationship: "books")),
          AttributeDescription(
            name: "pages", type: .int64, derivation: .sum(relationship: "books", attribute: "pages")),
          AttributeDescription(name: "changed", type: .date, derivation: .now),
        ],
        relationships: [
          RelationshipDescription(name: "room", destination: "Room", inverse: "shelves"),
          RelationshipDescription(name: "books", destination: "Book", inverse: "shelf", isToMany: true),
        ]),
      EntityDescription(
        name: "Book",
        attributes: [
          text("title"), AttributeDescription(name: "pages", type: .int64),
          text("shelfName", .value(path: ["shelf", "name"])),
          text("roomName", .value(path: ["shelf", "room", "name"])),
        ],
        relationships: [RelationshipDescription(name: "shelf", destination: "Shelf", inverse: "books")],
        uniquenessConstraints: [["title"]]),
    ])

  private static func text(_ name: String, _ derivation: Derivation? = nil) -> AttributeDescription {
    AttributeDescription(name: name, type: .string, derivation: derivation)
  }

  /// The forms of the names that the case uses, written out: lower case, upper case, and without case and accents.
  private static let forms: [String: [Value]] = [
    "CAFÉ": ["café", "CAFÉ", "cafe"].map(Value.string), "Bar": ["bar", "BAR", "bar"].map(Value.string),
    "Ñu": ["ñu", "ÑU", "nu"].map(Value.string),
  ]

  /// Counts everything again from plain attributes, links and history; what differs, in words.
  private static func problems(
    in context: ManagedObjectContext, _ container: PersistentContainer
  ) throws -> [String] {
    var times: [ManagedObjectID: Value] = [:]
    for transaction in try container.history(PersistentHistoryRequest()).transactions {
      for change in transaction.changes { times[change.objectID] = .date(transaction.timestamp) }
    }
    var problems: [String] = []
    func expect(_ object: ManagedObject, _ key: String, _ expected: Value) throws {
      let seen = try object.value(key)
      if seen != expected {
        problems.append(
          "\(object.objectID).\(key) is \(CanonicalText.text(seen)), not \(CanonicalText.text(expected))")
      }
    }
    func all(_ entity: String) throws -> [ManagedObject] {
      try context.fetch(FetchRequest<ManagedObject>(entity: entity))
    }
    for room in try all("Room") {
      try expect(room, "shelfCount", .int(Int64(try room.objects("shelves").count)))
      try expect(room, "changed", times[room.objectID] ?? .null)
    }
    for shelf in try all("Shelf") {
      guard case .string(let text) = try shelf.value("name"), let forms = forms[text] else { continue }
      for (key, form) in zip(["lowered", "uppered", "plain"], forms) { try expect(shelf, key, form) }
      let books = try shelf.objects("books")
      let pages = try books.reduce(into: Int64(0)) { sum, book in
        if case .int(let pages) = try book.value("pages") { sum += pages }
      }
      try expect(shelf, "bookCount", .int(Int64(books.count)))
      try expect(shelf, "pages", .int(pages))
      try expect(shelf, "roomName", try name(of: try shelf.object("room")))
      try expect(shelf, "changed", times[shelf.objectID] ?? .null)
    }
    for book in try all("Book") {
      let shelf = try book.object("shelf")
      try expect(book, "shelfName", try name(of: shelf))
      try expect(book, "roomName", try name(of: try shelf?.object("room")))
    }
    return problems
  }

  private static func name(of object: ManagedObject?) throws -> Value { try object?.value("name") ?? .null }
}

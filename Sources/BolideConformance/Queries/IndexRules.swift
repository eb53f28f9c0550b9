import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// Rule Q-3: indexes change how much is read, never what is found.
  static var indexCases: [CaseDefinition] {
    [
      CaseDefinition(
        "queries/indexes",
        "Lists, prefixes, ranges, alternatives and named objects find the same with indexes and without.",
        rules: ["Q-3", "V-2", "V-4", "V-5", "V-6"]
      ) { stage in
        let container = try stage.container(indexedStones)
        try fill(container, count: 120)
        let sorts = ["", "name", "-mass", "kind,rank", "rank", "-kind,-rank", "-code"]
        for (place, text) in indexedPredicates.enumerated() {
          let sort = sorts[place % sorts.count]
          let limit = place.isMultiple(of: 2) ? nil : 7
          func found(_ entity: String) throws -> [Number] {
            let condition = try Condition(parsing: text.replacing("STONE", with: entity))
            let request = FetchRequest<ManagedObject>(
              entity: entity, where: condition, sort: sort.isEmpty ? [] : try SortTerm.list(parsing: sort),
              limit: limit, offset: limit == nil ? 0 : 2)
            return try container.newContext().fetchIDs(request).map(\.number)
          }
          try checkEqual(try found("Stone"), try found("Pebble"), "\(text), by “\(sort)”")
        }
      },
      CaseDefinition(
        "queries/index-cost", "What an index leads to is read, and little besides.", rules: ["Q-3", "V-6"]
      ) { stage in
        let counter = RowReads()
        let location = StoreLocation(
          ForwardingBackend(StageBackend(stage), counter.wrapping),
          Location(path: try stage.makeLocation().path))
        let container = stage.watch(
          try PersistentContainer(indexedStones, at: location, options: .suite()))
        try fill(container, count: 1000)
        let codes = (0..<200).map { "'s\($0 * 5)'" }.joined(separator: ", ")
        for (text, sort, limit) in [
          ("code IN {'s3', 's999', 's70', 'none'}", "", nil), ("code IN {\(codes)}", "", nil),
          ("mass IN {3, 5.5, 100}", "", nil), ("mass == 3 OR mass == 7 OR mass > 399", "", nil),
          ("mass BETWEEN {100, 103}", "mass", nil), ("mass IN {50, 60, 70, 80}", "mass", 3),
          ("mass IN {50, 60, 70, 80}", "-mass", 3), ("NOT mass > 2 AND mass != nil", "", nil),
          ("name BEGINSWITH 'e\u{301}'", "", nil), ("name BEGINSWITH 'ez'", "name", nil),
          ("name LIKE 'ez*2'", "", nil), ("name BEGINSWITH '\(longText)b'", "", nil),
          ("name BEGINSWITH '\u{10FFFF}'", "", nil), ("link BEGINSWITH 'x:e'", "", nil),
          ("kind == 'a' AND rank IN {1, 3}", "", nil), ("kind IN {'a', 'b'} AND rank < 1", "", nil),
          ("SELF == Stone#999", "", nil), ("SELF IN {Stone#7, Stone#1, Stone#99999}", "", nil),
          ("SELF == Stone#5 AND mass == nil", "", nil), ("mass > 5 AND mass < 4", "", nil),
        ] as [(String, String, Int?)] {
          let request = FetchRequest<ManagedObject>(
            entity: "Stone", where: try Condition(parsing: text),
            sort: sort.isEmpty ? [] : try SortTerm.list(parsing: sort), limit: limit)
          counter.reset()
          let found = try container.newContext().fetchIDs(request).count
          // A key that is not there is looked for all the same, and chunks end where they end.
          let bound = 2 * found + 16
          try check(
            counter.count <= bound, "\(text.prefix(60)) read \(counter.count) rows to find \(found)")
        }
        // Updates look at what an index leads to, too: once to find it, once to change it.
        for text in ["code IN {'s3', 's70', 'none'}", "mass BETWEEN {100, 103}", "name BEGINSWITH 'ez'"] {
          var request = BatchUpdateRequest(entity: "Stone", where: try Condition(parsing: text))
          request.expressions = ["rank": try RowExpression(parsing: "coalesce(rank, 0) + 1")]
          counter.reset()
          let updated = try container.newContext().execute(request).updated.count
          try check(
            counter.count <= 4 * updated + 16, "\(text) read \(counter.count) rows to update \(updated)")
        }
      },
    ]
  }

  /// Stones with an index for nearly everything, and pebbles like them without.
  private static let indexedStones: Schema = {
    func entity(_ name: String) -> EntityDescription {
      EntityDescription(
        name: name,
        attributes: [
          AttributeDescription(name: "code", type: .string),
          AttributeDescription(name: "name", type: .string),
          AttributeDescription(name: "link", type: .uri), AttributeDescription(name: "mass", type: .double),
          AttributeDescription(name: "price", type: .decimal),
          AttributeDescription(name: "kind", type: .string),
          AttributeDescription(name: "rank", type: .int16), AttributeDescription(name: "found", type: .date),
          AttributeDescription(name: "mark", type: .binary),
        ])
    }
    var stone = entity("Stone")
    stone.uniquenessConstraints = [["code"]]
    stone.indexes = [["name"], ["link"], ["mass"], ["price"], ["kind", "rank"], ["found"], ["mark"]]
    return Schema(name: "Stones", entities: [stone, entity("Pebble")])
  }()

  /// Longer than the keys of any index may be in one piece.
  private static let longText = String(repeating: "k", count: 600)

  /// Texts that stand close together: marks and what may follow a letter, the last scalars, NULs, long ones.
  private static let closeTexts = [
    "", "d\u{10FFFF}", "e", "e\u{2FF}", "e\u{301}", "é", "e\u{36F}", "ez", "é\u{323}", "f", "\0", "a\0b",
    "a\0c", "a",
    longText, longText + "a", longText + "b", longText + "bc", longText + "\0", "\u{D7FF}", "\u{E000}",
    "\u{10FFFF}", "\u{10FFFF}\u{10FFFF}", "a*b", "a?b", "가", "\u{1100}", "\u{1100}\u{1161}", "E", "É",
  ]

  private static func fill(_ container: PersistentContainer, count: Int) throws {
    let records: [[String: Value]] = (0..<count).map { number in
      var record: [String: Value] = [:]
      if number % 11 != 0 { record["code"] = .string("s\(number)") }
      if number % 7 != 0 {
        let text = closeTexts[number % closeTexts.count]
        record["name"] = .string(number % 3 == 0 ? text : text + "\(number % 5)")
        record["link"] = .uri("x:" + text)
      }
      if number % 5 != 0 { record["mass"] = .double(Double(number % 401)) }
      if number % 6 != 0 { record["price"] = .decimal(Decimal(number % 9) / 4) }
      if number % 8 != 0 { record["kind"] = .string(["a", "b", "c"][number % 3]) }
      if number % 9 != 0 { record["rank"] = .int(Int64(number % 40)) }
      record["found"] = .date(Date(timeIntervalSinceReferenceDate: Double(number / 3)))
      record["mark"] = .binary(number % 4 == 0 ? [] : [UInt8(number % 4), 0, UInt8(number % 256)])
      return record
    }
    for entity in ["Stone", "Pebble"] {
      _ = try container.newContext().execute(BatchInsertRequest(entity: entity, records: records))
    }
  }

  private static let indexedPredicates =
    [
      "code IN {'s3', 's77', nil, 's5', 's5', 'none'}", "code IN {}", "NOT code IN {'s3', nil}",
      "mass IN {3, 5, 100, 2.5}", "mass == 3 OR mass == 7 OR 90 < mass", "mass BETWEEN {10, 14}",
      "mass != 3", "NOT (mass > 5 OR mass == 3)", "mass == nil OR mass > 290", "mass > 5 AND mass < 4",
      "(mass == 3 OR kind == 'a') AND mass IN {1, 3, 9}", "price IN {0.25, 1, 2}",
      "price > 1.75 OR price == 0",
      "kind == 'a' AND rank IN {1, 3, 39}", "kind IN {'a', 'b'} AND rank < 3",
      "kind IN {'c', nil} AND rank == nil",
      "found IN {2001-01-01T00:00:05Z, 2001-01-01T00:01:00Z}",
      "found < 2001-01-01T00:00:02Z OR found > 2001-01-01T00:01:30Z",
      "mark IN {0x, 0x0100ff, 0x010011}", "mark >= 0x03 AND NOT mark == 0x030003",
      "SELF == STONE#5", "SELF IN {STONE#9, STONE#2, STONE#9000}", "SELF != STONE#5 AND mass < 5",
      "SELF IN {STONE#3, STONE#4, STONE#5} AND mass != nil", "NOT SELF IN {STONE#3}", "rank > 40000",
      "SELF == STONE#5 OR code == 's9'", "TRUEPREDICATE", "FALSEPREDICATE", "name LIKE 'e*'",
      "name LIKE 'e?'",
      "name LIKE 'a\\\\*b*'", "name LIKE '*1'", "NOT name LIKE 'e*'", "NOT name LIKE 'ez?'", "name LIKE 'ez'",
      "name LIKE[c] 'E*'", "name BEGINSWITH[d] 'e'", "name BEGINSWITH[cd] 'E'",
    ]
    + closeTexts.flatMap { text in
      let quoted = CanonicalText.quoted(text)
      return [
        "name BEGINSWITH \(quoted)", "NOT name BEGINSWITH \(quoted)",
        "link BEGINSWITH \(CanonicalText.quoted("x:" + text))",
      ]
    }
}

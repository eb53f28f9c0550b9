import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// Each operator on each type of attribute, and each aggregate wherever one may stand.
  static var operatorCases: [CaseDefinition] {
    [
      CaseDefinition(
        "queries/every-operator",
        "Each operator finds the same objects by attributes of each type, nils among them.",
        rules: ["V-2", "V-3", "V-4", "V-5", "S14", "S16"]
      ) { stage in
        let container = try stage.container(RuleModel.sample)
        for type in RuleModel.types {
          try container.importRecords("Sample", ([.null] + ascending(type)).map { ["a_\(type)": $0] })
        }
        for (place, type) in RuleModel.types.enumerated() {
          // Objects of the other types have no value of this one.
          let first = Number(place * 4 + 1)
          let values = ascending(type).map(CanonicalText.text)
          func check(_ text: String, _ expected: [Number]) throws {
            let own = "a_\(type) \(text)"
            let found = try container.numbers("Sample", where: own).filter { first <= $0 && $0 < first + 4 }
            try checkEqual(found, expected.map { first + $0 }, own)
            let others = try container.numbers("Sample", where: "NOT \(own)").filter {
              first <= $0 && $0 < first + 4
            }
            try checkEqual(others, (0..<4).filter { !expected.contains($0) }.map { first + $0 }, "NOT \(own)")
          }
          let tests: [(String, [Number])] = [
            ("== \(values[1])", [2]), ("!= \(values[1])", [0, 1, 3]), ("< \(values[1])", [1]),
            ("<= \(values[1])", [1, 2]), ("> \(values[1])", [3]), (">= \(values[1])", [2, 3]),
            ("== nil", [0]), ("!= nil", [1, 2, 3]), ("< nil", []), ("<= nil", []), ("> nil", []),
            (">= nil", []),
            ("IN {\(values[0]), \(values[2])}", [1, 3]), ("IN {nil, \(values[1])}", [0, 2]), ("IN {}", []),
            ("BETWEEN {\(values[0]), \(values[1])}", [1, 2]), ("BETWEEN \(values[2]) AND \(values[0])", []),
            ("== a_\(type)", [0, 1, 2, 3]), ("< a_\(type)", []), ("<= a_\(type)", [1, 2, 3]),
          ]
          // Of booleans there are two values, and true comes twice.
          let booleans: [(String, [Number])] = [
            ("== true", [2, 3]), ("!= true", [0, 1]), ("< true", [1]), ("<= false", [1]),
            ("> false", [2, 3]),
            (">= true", [2, 3]), ("IN {nil, false}", [0, 1]), ("BETWEEN {false, true}", [1, 2, 3]),
            ("== nil", [0]), (">= nil", []), ("== a_boolean", [0, 1, 2, 3]),
          ]
          for (text, expected) in type == .boolean ? booleans : tests { try check(text, expected) }
          for (terms, order) in [("a_\(type)", [0, 1, 2, 3]), ("-a_\(type)", [3, 2, 1, 0])]
            as [(String, [Number])]
          {
            let sort = try SortTerm.list(parsing: terms)
            let found = try container.numbers("Sample", where: "TRUEPREDICATE", sort: sort)
            try checkEqual(
              found.filter { first <= $0 && $0 < first + 4 }, order.map { first + $0 },
              "the order by \(terms)")
          }
        }
      },
      CaseDefinition(
        "queries/uris", "URIs are kept and compared as they came, in their own rows and over paths.",
        rules: ["V-2"]
      ) { stage in
        var page = EntityDescription(
          name: "Page", attributes: [AttributeDescription(name: "link", type: .uri)],
          relationships: [
            RelationshipDescription(name: "next", destination: "Page", inverse: "previous"),
            RelationshipDescription(name: "previous", destination: "Page", inverse: "next", isToMany: true),
          ])
        for isIndexed in [false, true] {
          page.indexes = isIndexed ? [["link"]] : []
          let container = try stage.container(Schema(name: "Pages", entities: [page]))
          let context = container.newContext()
          for text in ["x:\u{e9}", "x:e\u{301}"] {
            let (one, other) = (try context.insert("Page"), try context.insert("Page"))
            try one.setValue(.uri(text), for: "link")
            try other.setObject(one, for: "next")
          }
          try context.save()
          for (path, first) in [("link", Number(1)), ("next.link", 2)] {
            try container.check(
              "Page",
              [
                ("\(path) == 'x:\u{e9}'", [first]), ("\(path) == 'x:e\u{301}'", [first + 2]),
                ("\(path) CONTAINS '\u{e9}'", [first]), ("\(path) CONTAINS 'e'", [first + 2]),
                ("\(path) BEGINSWITH 'x:e\u{301}'", [first + 2]), ("\(path) LIKE '*:\u{e9}'", [first]),
                ("\(path) IN {'x:\u{e9}', 'x:'}", [first]), ("\(path) > 'x:f'", [first]),
                ("\(path) ==[c] 'x:\u{c9}'", [first, first + 2]),
                ("\(path) ENDSWITH[d] 'e'", [first, first + 2]),
              ])
          }
          try checkEqual(
            try container.rows("Page", "link", where: "link != nil", sort: "link", distinct: true).count, 2,
            "links")
          // Other bytes are another value, also where Unicode finds no difference.
          let edited = try context.fetch(
            FetchRequest<ManagedObject>(entity: "Page", where: try Condition(parsing: "link == 'x:\u{e9}'")))
          try edited.at(0).setValue(.uri("x:e\u{301}"), for: "link")
          try checkEqual(try context.save().updated, 1, "pages saved")
          try container.check(
            "Page", [("link == 'x:\u{e9}'", []), ("link == 'x:e\u{301}'", [1, 3])])
        }
      },
      CaseDefinition(
        "queries/infinities", "Infinities are compared, sorted and added; of both signs they have no sum.",
        rules: ["V-3", "V-8"]
      ) { stage in
        let container = try stage.container(RuleModel.sample)
        for number in [1, .infinity, -.infinity, nil, 0] as [Double?] {
          try container.importRecords(
            "Sample",
            [
              [
                "a_double": number.map(Value.double) ?? .null,
                "a_float": number.map { .float(Float($0)) } ?? .null,
                "a_date": number.map { .date(Date(timeIntervalSinceReferenceDate: $0)) } ?? .null,
              ]
            ])
        }
        for (name, infinity, negative) in [
          ("a_double", "inf", "-inf"), ("a_float", "inf", "-inf"), ("a_date", "@inf", "@-inf"),
        ] {
          try container.check(
            "Sample",
            [
              ("\(name) == \(infinity)", [2]), ("\(name) == \(negative)", [3]),
              ("\(name) < \(infinity)", [1, 3, 5]),
              ("\(name) > \(negative)", [1, 2, 5]), ("\(name) IN {\(infinity), nil}", [2, 4]),
            ])
          try container.checkOrder("Sample", [(name, [4, 3, 5, 1, 2]), ("-\(name)", [2, 1, 5, 3, 4])])
        }
        for name in ["a_double", "a_float"] {
          let columns = "\(name).@sum,\(name).@avg,\(name).@max"
          try checkEqual(
            try container.rows("Sample", columns, where: "\(name) > -inf"), ["inf  inf  inf"],
            "a sum with infinity")
          try checkThrows(.aggregateOverflow, label: "infinities of both signs") {
            _ = try container.rows("Sample", columns)
          }
        }
      },
      CaseDefinition(
        "queries/every-aggregate",
        "Each aggregate is compared, sorted by, shown, grouped and asked of groups.",
        rules: ["V-4", "V-7", "V-8"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords([
          sighting(1, energy: 5), sighting(2, energy: 0.5), sighting(3), sighting(4),
        ])
        for (name, members) in [("a", [1, 2]), ("b", [2, 3]), ("c", []), ("d", [3, 4])]
          as [(String, [Double])]
        {
          try container.makeGroup(name, of: members)
        }
        let path = "fireballs.energy"
        try container.check(
          "Group",
          [
            ("fireballs.@count == 2", [1, 2, 4]), ("\(path).@sum == 5.5", [1]),
            ("\(path).@sum == 0", [3, 4]), ("fireballs.@sum.energy <= 0.5", [2, 3, 4]),
            ("\(path).@avg == 0.5", [2]),
            ("\(path).@avg == nil", [3, 4]), ("\(path).@min == 0.5", [1, 2]),
            ("\(path).@max != 5", [2, 3, 4]),
            ("\(path).@max IN {5, nil}", [1, 3, 4]), ("\(path).@min BETWEEN {0, 1}", [1, 2]),
            ("\(path).@min < \(path).@max", [1]), ("NOT \(path).@max > 1", [2, 3, 4]),
            ("ANY \(path) < 1", [1, 2]), ("ALL \(path) < 1", [3]), ("NONE \(path) < 1", [3, 4]),
            ("ANY \(path) == nil", [2, 4]), ("ALL \(path) IN {nil}", [3, 4]),
            ("NONE \(path) BETWEEN {1, 9}", [2, 3, 4]),
          ])
        try container.checkOrder(
          "Group",
          [
            ("fireballs.@count,-name", [3, 4, 2, 1]), ("-\(path).@sum", [1, 2, 4, 3]),
            ("\(path).@avg", [3, 4, 2, 1]),
            ("\(path).@min,-\(path).@max", [4, 3, 1, 2]), ("-\(path).@max", [1, 2, 4, 3]),
          ])
        try checkEqual(
          try container.rows(
            "Group", "name,fireballs.@count,\(path).@sum,\(path).@avg,\(path).@min,\(path).@max"),
          [
            #""a"  2  5.5  2.75  0.5  5.0"#, #""b"  2  0.5  0.5  0.5  0.5"#,
            #""c"  0  0.0  null  null  null"#,
            #""d"  2  0.0  null  null  null"#,
          ], "aggregates of members as columns")
        let columns = "isFavorite,@count,energy.@sum,energy.@avg,energy.@min,energy.@max"
        try checkEqual(
          try container.rows("Fireball", columns, by: "isFavorite"), ["false  4  5.5  2.75  0.5  5.0"],
          "a group")
        for (having, count) in [
          ("@count == 4", 1), ("energy.@sum > 5.5", 0), ("energy.@avg == 2.75", 1), ("energy.@min < 0.5", 0),
          ("energy.@max >= 5", 1), ("isFavorite == false", 1), ("energy.@max IN {1, 5}", 1),
        ] {
          try checkEqual(
            try container.rows("Fireball", columns, by: "isFavorite", having: having).count, count,
            "having \(having)")
        }
      },
    ]
  }

  /// Three values of a type in ascending order; of booleans there are two, and the last comes twice.
  private static func ascending(_ type: ValueType) -> [Value] {
    func dates(_ seconds: [Double]) -> [Value] {
      seconds.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    }
    func uuid(_ first: UInt8, _ last: UInt8) -> Value {
      .uuid(UUID(uuid: (first, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last)))
    }
    switch type {
    case .int16, .int32, .int64:
      let range = type.integerRange ?? 0...0
      return [.int(range.lowerBound), .int(range.upperBound - 1), .int(range.upperBound)]
    case .decimal: return [.decimal(-1), .decimal(Decimal(1) / 10), .decimal(Decimal(11) / 100)]
    case .double: return [.double(-1e300), .double(0.1), .double(0.1.nextUp)]
    case .float: return [.float(-1), .float(0.1), .float(Float(0.1).nextUp)]
    case .boolean: return [.bool(false), .bool(true), .bool(true)]
    case .date: return dates([-6.3e10, 0.1, 0.1.nextUp])
    case .string: return [.string(""), .string("a\0"), .string("a\0b")]
    case .uri: return [.uri("x:A"), .uri("x:a"), .uri("x:é")]
    case .uuid: return [uuid(0, 1), uuid(0, 2), uuid(255, 0)]
    case .binary: return [.binary([]), .binary([0]), .binary([255])]
    case .reference: return [.reference(1), .reference(2), .reference(3)]
    }
  }
}

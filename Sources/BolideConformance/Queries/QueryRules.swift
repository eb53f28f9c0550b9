import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// Rules V-2 to V-8 as requests show them, and each operator.
  static var queryCases: [CaseDefinition] {
    textCases + memberCases + aggregateCases + requestCases + operatorCases + requestRules
  }

  private static var textCases: [CaseDefinition] {
    [
      CaseDefinition(
        "queries/text-operators", "Texts are searched scalar by scalar, NULs included; nil is in no text.",
        rules: ["V-2", "V-5", "S17"]
      ) { stage in
        let container = try stage.stations(["abc", nil, "a\0b", "a\0c", "*a?", "é", "😀", ""])
        try container.check(
          "Station",
          [
            ("code CONTAINS 'b'", [1, 3]), ("code CONTAINS ''", [1, 3, 4, 5, 6, 7, 8]),
            ("NOT code CONTAINS ''", [2]), ("code CONTAINS nil", []), ("code BEGINSWITH 'a'", [1, 3, 4]),
            ("code BEGINSWITH 'a\\u0000c'", [4]), ("code ENDSWITH '\\u0000b'", [3]),
            ("code ENDSWITH 'c'", [1, 4]),
            ("code LIKE 'a?c'", [1, 4]), ("code LIKE '*a*'", [1, 3, 4, 5]), ("code LIKE '\\\\**'", [5]),
            ("code LIKE '?'", [6, 7]), ("code LIKE ''", [8]), ("code CONTAINS 'e'", []),
            ("code CONTAINS '\\u0301'", []), ("code == 'e\\u0301'", [6]), ("'xabcx' CONTAINS code", [1, 8]),
            ("code IN {'', nil, 'a\\u0000c'}", [2, 4, 8]), ("code NOT IN {'abc'}", [2, 3, 4, 5, 6, 7, 8]),
          ])
      },
      CaseDefinition(
        "queries/folding", "Case and accents are folded by Unicode's rules where an option says so.",
        rules: ["V-2", "D4"]
      ) { stage in
        let container = try stage.stations([
          "nc731", "NC731", "É1", "é1", "e\u{301}2", "straße", "STRASSE", "ΟΔΟΣ", "οδος", "ı", "I", "각",
        ])
        try container.check(
          "Station",
          [
            ("code ==[c] 'Nc731'", [1, 2]), ("code == 'nc731'", [1]), ("code ==[c] 'É1'", [3, 4]),
            ("code ==[d] 'e1'", [4]), ("code ==[cd] 'E1'", [3, 4]), ("code LIKE[cd] 'e?'", [3, 4, 5]),
            ("code ==[c] 'strasse'", [6, 7]), ("code BEGINSWITH[c] 'STRAß'", [6, 7]),
            ("code ENDSWITH[c] 'σ'", [8, 9]), ("code ==[c] 'i'", [11]), ("code CONTAINS[d] '가'", []),
            ("code IN[cd] {'e1', 'STRASSE'}", [3, 4, 6, 7]), ("code !=[c] 'NC731'", Array(3...12)),
            ("code <[cd] 'nc'", [3, 4, 5, 11]), ("NOT code >=[c] 'o'", [1, 2, 11]),
          ])
      },
      CaseDefinition(
        "queries/folded-order", "Sort terms fold texts and know natural order.", rules: ["V-2", "V-4", "R5"]
      ) { stage in
        let container = try stage.stations(["b", "A", "a", nil, "É", "item 10", "Item 2", "item 02", "e"])
        try container.checkOrder(
          "Station",
          [
            ("code", [4, 2, 7, 3, 1, 9, 8, 6, 5]), ("code[c]", [4, 2, 3, 1, 9, 8, 6, 7, 5]),
            ("code[cd]", [4, 2, 3, 1, 5, 9, 8, 6, 7]), ("-code[cd]", [7, 6, 8, 9, 5, 1, 3, 2, 4]),
            ("code[cn]", [4, 2, 3, 1, 9, 7, 8, 6, 5]), ("code[n],-height", [4, 2, 7, 3, 1, 9, 8, 6, 5]),
          ])
      },
    ]
  }

  private static var memberCases: [CaseDefinition] {
    [
      CaseDefinition(
        "queries/members", "ANY, ALL and NONE ask the members of a to-many relationship.", rules: ["V-5"]
      ) { stage in
        let container = try stage.container(RuleModel.items)
        try container.makeItems()
        try container.check(
          "Person",
          [
            ("ANY items.done == true", [1]), ("ALL items.done == true", [3]),
            ("NONE items.done == true", [2, 3]),
            ("NOT ANY items.done == true", [2, 3]),
            ("ANY items (done == false AND title BEGINSWITH 'b')", [1, 2]),
            ("ANY items == Item#3", [2]), ("items CONTAINS Item#3", [2]),
            ("ANY items.title IN {'a', 'x'}", [1]),
            ("ANY items.owner.name == 'Ada'", [1]), ("items.@count == 2", [1]), ("items.@count == 0", [3]),
            ("items.title.@max == 'b'", [1]), ("items.title.@min == nil", [3]),
            ("items.@count BETWEEN {1, 2}", [1, 2]), ("ALL items (NONE owner.items.title == 'a')", [2, 3]),
          ])
        try container.check(
          "Item",
          [("owner.name == 'Ada'", [1, 2]), ("owner.items.@count > 1", [1, 2]), ("owner == nil", [4])])
        try container.checkOrder("Person", [("items.@count", [3, 2, 1]), ("-items.title.@max", [2, 1, 3])])
      },
      CaseDefinition(
        "queries/members-of-links", "Members of many-to-many relationships are asked from both sides.",
        rules: ["V-5", "R-1"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords([sighting(1, energy: 5), sighting(2, energy: 0.1), sighting(3)])
        try container.makeGroup("a", of: [1, 2])
        try container.makeGroup("b", of: [2, 3])
        try container.makeGroup("c", of: [])
        try container.check(
          "Group",
          [
            ("ANY fireballs.energy > 1", [1]), ("ALL fireballs.energy != nil", [1, 3]),
            ("fireballs.energy.@sum == 5.1", [1]), ("fireballs.energy.@avg == 0.1", [2]),
            ("ANY fireballs.groups.name == 'b'", [1, 2]), ("fireballs.groups.@count == 2", [1, 2]),
          ])
        try container.check(
          "Fireball", [("ANY groups.name == 'b'", [2, 3]), ("ALL groups.size == 2", [1, 2, 3])])
      },
    ]
  }

  private static var aggregateCases: [CaseDefinition] {
    [
      CaseDefinition(
        "queries/exact-sums", "Sums and averages of doubles are rounded once, in whatever order they come.",
        rules: ["V-8"]
      ) { stage in
        let container = try stage.container(RuleModel.catalog)
        let numbers: [Double] = [1e16, 0.1, 1, -1e16, 0.2, 1e300, 0.3, -1e300]
        for order in [numbers, numbers.reversed(), numbers.sorted()] {
          try container.importRecords("Station", order.map { ["height": .double($0)] })
        }
        let columns = "@count,height.@sum,height.@avg,height.@min,height.@max"
        // 1.6 three times, as exactly as doubles have 0.1, 0.2 and 0.3.
        try checkEqual(
          try container.rows("Station", columns), ["24  4.8  0.2  -1e+300  1e+300"], "over all stations")
        try checkEqual(
          try container.rows("Station", columns, where: "height > 0 AND height < 1"),
          ["9  1.8  0.2  0.1  0.3"], "over some")
        try checkEqual(
          try container.rows("Station", columns, where: "height > 1e301"), ["0  0.0  null  null  null"],
          "over none")
      },
      CaseDefinition(
        "queries/exact-decimals", "Sums of decimals are exact; what no decimal is exactly is an error.",
        rules: ["V-8"]
      ) { stage in
        let container = try stage.container(RuleModel.sample)
        let texts = [
          "99999999999999999999999999999999999999", "0.1", "-99999999999999999999999999999999999999",
        ]
        try container.importRecords(
          "Sample", texts.map { ["a_decimal": DecimalText.value(of: $0).map(Value.decimal) ?? .null] })
        try checkEqual(try container.rows("Sample", "a_decimal.@sum"), ["0.1"], "the sum")
        try checkThrows(.aggregateOverflow, label: "a sum of 39 digits") {
          _ = try container.rows("Sample", "a_decimal.@sum", where: "a_decimal > 0")
        }
      },
      CaseDefinition(
        "queries/integer-overflow",
        "An integer sum out of range is an error; on the way to the sum it is none.",
        rules: ["V-7", "S14"]
      ) { stage in
        let container = try stage.container(RuleModel.sample)
        let integers: [Int64] = [.max, 1, -1, 1_606_780_800_123, 1 << 31, 1 << 32 + 1, 1 << 53 + 1, .min]
        try container.importRecords("Sample", integers.map { ["a_int64": .int($0)] })
        try checkEqual(
          try container.rows(
            "Sample", "a_int64.@sum", where: "a_int64 >= 9223372036854775807 OR a_int64 IN {1, -1}"),
          ["9223372036854775807"], "a sum that comes back into range")
        try checkThrows(.aggregateOverflow, label: "a sum out of range") {
          _ = try container.rows("Sample", "a_int64.@sum", where: "a_int64 > 0")
        }
        try container.check(
          "Sample",
          [
            ("a_int64 == 9007199254740993", [7]), ("a_int64 == -9223372036854775808", [8]),
            ("a_int64 > 1606780800122 AND a_int64 < 1606780800124", [4]), ("a_int64 <= -1", [3, 8]),
          ])
        try container.checkOrder("Sample", [("a_int64", [8, 3, 2, 5, 6, 4, 7, 1])])
      },
      CaseDefinition(
        "queries/groups", "Groups have aggregates, conditions and an order that no store decides.",
        rules: ["V-4", "V-8"]
      ) { stage in
        let container = try stage.container(RuleModel.catalog)
        let quakes: [(String?, Double?)] = [
          ("us", 1), ("ak", 0.1), (nil, nil), ("us", 2), ("ak", 0.2), ("ci", nil), ("ak", 0.3),
        ]
        try container.importRecords(
          "Quake",
          quakes.enumerated().map { index, quake in
            [
              "net": quake.0.map(Value.string) ?? .null, "code": .string("\(index)"),
              "magnitude": quake.1.map(Value.double) ?? .null,
            ]
          })
        let columns = "net,@count,magnitude.@sum,magnitude.@max"
        try checkEqual(
          try container.rows("Quake", columns, by: "net"),
          [#"null  1  0.0  null"#, #""ak"  3  0.6  0.3"#, #""ci"  1  0.0  null"#, #""us"  2  3.0  2.0"#],
          "groups")
        try checkEqual(
          try container.rows("Quake", "net", by: "net", having: "@count > 1", sort: "-magnitude.@avg"),
          [#""us""#, #""ak""#], "groups of more than one")
        try checkEqual(
          try container.rows("Quake", "net", sort: "-net", limit: 2, distinct: true), [#""us""#, #""ci""#],
          "distinct rows")
      },
    ]
  }

  private static var requestCases: [CaseDefinition] {
    [
      CaseDefinition(
        "queries/dates-to-the-last-bit", "Dates are found by equality and range, to the last bit.",
        rules: ["V-3", "S16"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        let seconds = [0.1, 0.1.nextUp, -978_307_200.000001, -63_114_076_800, 628_473_540.123456]
        try container.importRecords(seconds.map { sighting($0) })
        for (index, time) in seconds.enumerated() {
          let text = CanonicalText.text(Date(timeIntervalSinceReferenceDate: time))
          try container.check("Fireball", [("time == \(text)", [Number(index + 1)])])
        }
        let border = CanonicalText.text(Date(timeIntervalSinceReferenceDate: 0.1))
        try container.check("Fireball", [("time > \(border)", [2, 5]), ("time <= \(border)", [1, 3, 4])])
      },
      CaseDefinition(
        "queries/many-values", "A list after IN may be longer than a statement has parameters.",
        rules: ["S18"]
      ) { stage in
        let container = try stage.stations((0..<40).map { "s\($0)" })
        let values = (20..<40_020).map { Value.string("s\($0)") }
        let context = container.newContext()
        let request = FetchRequest<ManagedObject>(entity: "Station", where: .in(.path(["code"]), values))
        try checkEqual(try context.fetchIDs(request).map(\.number), Array(21...40), "stations in a long list")
        let numbers = FetchRequest<ManagedObject>(
          entity: "Station", where: .in(.itself, (20...40_000).map { Value.reference($0) }))
        try checkEqual(try context.count(for: numbers), 21, "stations by number")
      },
      CaseDefinition(
        "queries/bad-input",
        "A predicate that makes no sense is an error that says where, and harms nothing.",
        rules: ["E-1"]
      ) { stage in
        let container = try stage.container(RuleModel.items)
        try container.makeItems()
        let deep = String(repeating: "(", count: 10_000)
        for (text, code) in [
          ("done ==", ErrorCode.predicateSyntax), ("wdone == 1", .predicateUnknownPath),
          ("title > 3", .predicateType), ("owner.items == nil", .predicateToMany), (deep, .predicateDepth),
          (String(repeating: "NOT ", count: 10_000) + "done == true", .predicateDepth),
          ("done CONTAINS 'x'", .predicateType), ("ANY owner.name == 'x'", .predicateType),
          ("title MATCHES 'x'", .predicateUnsupported), ("title == %@", .predicateArgument),
        ] {
          try checkThrows(code, label: String(text.prefix(40))) {
            _ = try container.numbers("Item", where: text)
          }
        }
        try container.check(
          "Item", [("title == '\(String(repeating: "x", count: 100_000))'", []), ("done == true", [1])])
      },
      CaseDefinition(
        "queries/random-requests", "Random requests give what a plain evaluation of plain values gives.",
        rules: ["V-2", "V-4", "V-5", "V-6", "V-7", "V-8"]
      ) { stage in
        let fuzzer = QueryFuzzer(seed: stage.seed) { schema, body in
          try body([(stage.provider.name, try stage.container(schema))])
        }
        _ = try fuzzer.run(requests: 60)
      },
    ]
  }
}

import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// Rules V-1 to V-6.
  static var valueCases: [CaseDefinition] {
    [
      CaseDefinition(
        "values/every-type-round-trips", "Values of every type come back as they were, after reopening.",
        rules: ["V-1", "V-3"]
      ) { stage in
        let container = try stage.container(RuleModel.sample)
        let keys = RuleModel.types.map { "a_\($0.rawValue)" }
        let columns = RuleModel.types.map { ContractLayout.ascendingValues(of: $0) }
        let rows = (0..<(columns.map(\.count).max() ?? 0)).map { row in columns.map { $0[row % $0.count] } }
        let context = container.newContext()
        for row in rows {
          let object = try context.insert("Sample")
          for (key, value) in zip(keys, row) { try object.setValue(value, for: key) }
        }
        try context.save()
        let batch = rows.map { Dictionary(uniqueKeysWithValues: zip(keys, $0)) }
        try container.importRecords("Sample", batch)
        let again = try stage.reopen(container).newContext()
        try checkEqual(try again.values("Sample", keys), rows + rows, "values")
      },
      CaseDefinition(
        "values/zero-has-no-sign", "Negative zero is stored as zero; infinities are kept.", rules: ["V-3"]
      ) {
        stage in
        let container = try stage.container(RuleModel.sample)
        try container.importRecords(
          "Sample", [["a_double": .double(-0.0), "a_float": .float(-0.0), "a_date": date(-0.0)]])
        let context = container.newContext()
        let object = try context.insert("Sample", "a_double", .double(-0.0))
        try object.setValue(.float(-.infinity), for: "a_float")
        try context.save()
        let rows = try container.values("Sample", "a_double", "a_float", "a_date")
        for case .double(let number) in rows.flatMap({ $0 }) {
          try check(number.sign == .plus, "a zero with a sign")
        }
        try checkEqual(try rows.at(1).at(1), .float(-.infinity), "infinity")
      },
      CaseDefinition(
        "values/wrong-types-refused", "A value of another type or out of range is refused, on every path.",
        rules: ["V-1"]
      ) { stage in
        let container = try stage.container(RuleModel.sample)
        let wrong: [(String, Value)] = [
          ("a_int16", .int(40_000)), ("a_int32", .int(1 << 31)), ("a_string", .int(1)), ("a_double", .int(1)),
          ("a_date", .string("2020-01-01")), ("a_boolean", .int(1)), ("a_uuid", .string("x")),
        ]
        for (key, value) in wrong {
          try checkThrows(.validationType, label: "\(key) set to \(value)") {
            try container.newContext().insert("Sample").setValue(value, for: key)
          }
          try checkThrows(.validationType, label: "\(key) inserted as \(value)") {
            try container.importRecords("Sample", [[:], [key: value]])
          }
        }
        try checkEqual(try container.numbers("Sample"), [], "objects after refused batches")
        try checkEqual(try container.story(), [], "history after refused batches")
      },
      CaseDefinition("values/nan-refused", "NaN is refused, on every path.", rules: ["V-3"]) { stage in
        let container = try stage.container(RuleModel.sample)
        for (key, value) in [
          ("a_double", Value.double(.nan)), ("a_float", .float(.nan)), ("a_date", date(.nan)),
        ] {
          try checkThrows(.validationNaN, label: "\(key) set to NaN") {
            try container.newContext().insert("Sample").setValue(value, for: key)
          }
          try checkThrows(.validationNaN, label: "\(key) inserted as NaN") {
            try container.importRecords("Sample", [[key: value]])
          }
        }
        try checkEqual(try container.numbers("Sample"), [], "objects")
      },
      CaseDefinition(
        "values/text-is-normalized", "Text is brought to NFC; case and accents count.",
        rules: ["V-2", "U-2", "D4"]
      ) { stage in
        let container = try stage.container(RuleModel.catalog)
        let codes = ["nc731", "NC731", "É1", "é1", "e\u{301}1"]
        let result = try container.importRecords("Station", codes.map { ["code": .string($0)] })
        try checkEqual(result.inserted.count, 4, "stations inserted")
        let seen = try container.values("Station", "code").map { $0[0] }
        try checkEqual(
          seen.map { CanonicalText.text($0) }, codes.prefix(4).map { CanonicalText.text(.string($0)) },
          "codes")
        for case .string(let text) in seen {
          try checkEqual(
            Array(text.unicodeScalars), Array(text.precomposedStringWithCanonicalMapping.unicodeScalars),
            "scalars of \(text)")
        }
      },
      CaseDefinition(
        "values/text-with-nul", "Text may hold U+0000; keys that differ after it differ.",
        rules: ["V-2", "V-6"]
      ) {
        stage in
        let container = try stage.container(RuleModel.catalog)
        try container.importRecords("Station", ["a\u{0}b", "a\u{0}c", "a"].map { ["code": .string($0)] })
        let context = container.newContext()
        let found = try context.fetch(
          FetchRequest<ManagedObject>(entity: "Station", where: .equals("code", .string("a\u{0}c"))))
        try checkEqual(found.map(\.objectID.number), [2], "stations with the code a, NUL, c")
        try checkEqual(
          try container.values("Station", "code"), ["a\u{0}b", "a\u{0}c", "a"].map { [.string($0)] }, "codes")
      },
      CaseDefinition(
        "values/nil-sorts-lowest", "Nil sorts lowest; ties go by number, in the direction of the last term.",
        rules: ["V-4", "R5", "R6"]
      ) { stage in
        let container = try stage.container(RuleModel.catalog)
        let heights: [Double?] = [30, nil, 10, nil, 30]
        try container.importRecords("Station", heights.map { ["height": $0.map(Value.double) ?? .null] })
        let context = container.newContext()
        func order(_ terms: String) throws -> [Number] {
          let sort = try SortTerm.list(parsing: terms)
          return try context.fetch(FetchRequest<ManagedObject>(entity: "Station", sort: sort)).map(
            \.objectID.number)
        }
        try checkEqual(try order("height"), [2, 4, 3, 1, 5], "ascending")
        try checkEqual(try order("-height"), [5, 1, 3, 4, 2], "descending")
        try checkEqual(try order("code,-height"), [5, 1, 3, 4, 2], "descending by the last term")
        try checkEqual(
          try context.values("Station", ["height"]).map { $0[0].isNull }.count, 5, "without terms")
        let limited = FetchRequest<ManagedObject>(
          entity: "Station", sort: [SortTerm("height", ascending: false)], limit: 2, offset: 1)
        try checkEqual(try context.fetch(limited).map(\.objectID.number), [1, 3], "a page")
        try checkEqual(try context.count(for: limited), 2, "the count of a page")
      },
      CaseDefinition(
        "values/logic-is-two-valued", "Comparisons with nil are Swift's on optionals; NOT is exact.",
        rules: ["V-5"]
      ) { stage in
        let container = try stage.container(RuleModel.catalog)
        try container.importRecords(
          "Station", [1, nil, 3].map { (height: Double?) in ["height": height.map(Value.double) ?? .null] })
        let context = container.newContext()
        for (text, expected) in [
          ("height == nil", [2]), ("height != nil", [1, 3]), ("height == 1", [1]), ("height != 1", [2, 3]),
          ("height < 3", [1]), ("NOT height < 3", [2, 3]), ("height >= nil", []), ("NOT (height > 0)", [2]),
          ("height IN {1, nil}", [1, 2]), ("NOT height IN {1, nil}", [3]),
          ("height == 1 OR height == nil", [1, 2]), ("height > 0 AND NOT height == 3", [1]),
          ("nil == nil", [1, 2, 3]),
        ] as [(String, [Number])] {
          let request = FetchRequest<ManagedObject>(entity: "Station", where: try Condition(parsing: text))
          try checkEqual(try context.fetch(request).map(\.objectID.number), expected, text)
          try checkEqual(try context.count(for: request), expected.count, "count of \(text)")
        }
      },
      CaseDefinition(
        "values/long-keys", "Keys of any length are exact, on every path.", rules: ["V-6", "L2"]
      ) { stage in
        let container = try stage.container(RuleModel.catalog)
        var codes: [String] = []
        for length in [400, 510, 511, 512, 2_000] {
          let stem = String(repeating: "k", count: length - 1)
          codes += [stem, stem + "a", stem + "b"]
        }
        codes.append(String(repeating: "😀", count: 200))
        codes = Array(Set(codes)).sorted()
        let records = codes.map { ["net": Value.string($0), "code": .string($0)] }
        try checkEqual(try container.importRecords("Quake", records).inserted.count, codes.count, "inserted")
        let changed = records.map { $0.merging(["magnitude": .double(1)]) { $1 } }
        let result = try container.importRecords("Quake", changed)
        try checkEqual(result.updated.count, codes.count, "updated by the same keys")
        let sorted = try container.newContext().fetch(
          FetchRequest<ManagedObject>(entity: "Quake", sort: [SortTerm("code")]))
        try checkEqual(try sorted.map { try $0.value("code") }, codes.map(Value.string), "codes in order")
      },
    ]
  }

  static func date(_ seconds: Double) -> Value {
    .date(Date(timeIntervalSinceReferenceDate: seconds))
  }
}

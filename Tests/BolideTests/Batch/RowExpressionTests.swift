import Bolide
import BolideMemory
import BolideStorage
import Foundation
import Testing

/// Rule R-6: what expressions over a row mean, as text and as values.
@Suite struct RowExpressionTests {
  // MARK: Text

  @Test(arguments: [
    "count + 1", "a - b - c", "a - (b - c)", "a + (b + c)", "(a + b) * c", "a * (b / c)", "-count",
    "-(a + b)",
    "-(1)", "1 - -1", "coalesce(name, \"none\")", "concat(\"a \", name, \"\\u0000\")",
    "replace(name, \"x\", uppercase(trim(other)))", "now()", "due + 3600", "#and", "owner.name",
    "items.@count",
    "items.amount.@sum * 2", "true", "null", "2020-10-23T22:19:00Z", "0x0aff", "length(#now.name)",
  ])
  func `prints as it is read`(_ text: String) throws {
    let expression = try RowExpression(parsing: text)
    #expect(expression.description == text.replacing("#now", with: "now"))
    #expect(try RowExpression(parsing: expression.description) == expression)
    let json = try JSONEncoder().encode([expression])
    #expect(try JSONDecoder().decode([RowExpression].self, from: json) == [expression])
  }

  @Test(arguments: [
    ("", 1, "empty"), ("count +", 8, "found the end"), ("count + + 1", 9, "found `+`"),
    ("upper(name)", 1, "no function upper"), ("trim()", 1, "takes one argument"),
    ("replace(a, b)", 1, "takes three arguments"), ("(a", 3, "`)`"), ("a b", 3, "an operator or the end"),
    ("a ==", 3, "an operator or the end"), ("now(1)", 1, "takes no arguments"), ("%@", 1, "found `%@`"),
    ("name.", 6, "an attribute after"), ("\"open", 1, "does not end"),
  ])
  func `a mistake is named with its column`(_ text: String, _ column: Int, _ words: String) {
    let error = #expect(throws: BolideError.self) { try RowExpression(parsing: text) }
    #expect(error?.code == .expressionSyntax)
    #expect(error?.message.hasPrefix("column \(column): ") == true, "\(error?.message ?? "")")
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
  }

  @Test func `nesting has an end, whatever is nested`() {
    let deep = 100_000
    for text in [
      String(repeating: "(", count: deep) + "1" + String(repeating: ")", count: deep),
      String(repeating: "- ", count: deep) + "count", String(repeating: "1 + ", count: deep) + "1",
      String(repeating: "trim(", count: deep),
    ] {
      #expect(throws: BolideError.self) { try RowExpression(parsing: text) }
    }
  }

  // MARK: Values

  private static let schema = Schema(entities: [
    EntityDescription(
      name: "Row",
      attributes: [
        AttributeDescription(name: "small", type: .int16), AttributeDescription(name: "count", type: .int64),
        AttributeDescription(name: "ratio", type: .double), AttributeDescription(name: "part", type: .float),
        AttributeDescription(name: "price", type: .decimal), AttributeDescription(name: "due", type: .date),
        AttributeDescription(name: "name", type: .string), AttributeDescription(name: "flag", type: .boolean),
        AttributeDescription(name: "bytes", type: .binary), AttributeDescription(name: "link", type: .uri),
        AttributeDescription(name: "must", type: .int64, isOptional: false, defaultValue: .int(1)),
        AttributeDescription(
          name: "shout", type: .string, derivation: try? Derivation(parsing: "uppercase:(name)")),
      ],
      relationships: [RelationshipDescription(name: "owner", destination: "Owner", inverse: "rows")]),
    EntityDescription(
      name: "Owner", attributes: [AttributeDescription(name: "name", type: .string)],
      relationships: [
        RelationshipDescription(name: "rows", destination: "Row", inverse: "owner", isToMany: true)
      ]),
  ])

  /// What an attribute of a fresh row becomes.
  private func result(
    _ attribute: String, _ text: String, _ values: [String: Value]
  ) throws -> Value {
    let container = try PersistentContainer(
      Self.schema, at: StoreLocation(MemoryBackend(), Location(path: "", isTransient: true)))
    let context = container.newContext()
    try context.execute(BatchInsertRequest(entity: "Row", records: [values]))
    try context.execute(
      BatchUpdateRequest(entity: "Row", expressions: [attribute: try RowExpression(parsing: text)]))
    return try #require(try context.fetch(FetchRequest<ManagedObject>(entity: "Row")).first).value(attribute)
  }

  @Test(
    arguments: [
      ("count", "count * 3 - 1", ["count": .int(5)], .int(14)),
      ("count", "count / 2", ["count": .int(-5)], .int(-2)),
      ("count", "count + 1", [:], .null), ("count", "coalesce(count, 0) + 1", [:], .int(1)),
      ("count", "ifnil(count, null, small)", ["small": .int(4)], .int(4)),
      ("count", "length(name)", ["name": .string("e\u{301}\u{1F1E9}\u{1F1EA}")], .int(2)),
      ("count", "length(bytes)", ["bytes": .binary([1, 2, 3])], .int(3)),
      ("small", "abs(small) - -1", ["small": .int(-7)], .int(8)),
      ("ratio", "count / 2", ["count": .int(5)], .double(2)),
      ("ratio", "count / 2.0", ["count": .int(5)], .double(2.5)),
      ("ratio", "part * 2 + ratio", ["part": .float(0.5), "ratio": .double(0.25)], .double(1.25)),
      ("ratio", "due - 2001-01-01", ["due": .date(Date(timeIntervalSinceReferenceDate: 90))], .double(90)),
      ("part", "part + 0.5", ["part": .float(1)], .float(1.5)),
      ("price", "price * 1.19", ["price": .decimal(10)], .decimal(Decimal(119) / 10)),
      (
        "price", "price + count", ["price": .decimal(Decimal(1) / 4), "count": .int(1)],
        .decimal(Decimal(5) / 4)
      ),
      (
        "due", "due + 3600", ["due": .date(Date(timeIntervalSinceReferenceDate: 1))],
        .date(Date(timeIntervalSinceReferenceDate: 3601))
      ),
      (
        "due", "due - 0.5", ["due": .date(Date(timeIntervalSinceReferenceDate: 1))],
        .date(Date(timeIntervalSinceReferenceDate: 0.5))
      ),
      ("name", "trim(name)", ["name": .string("\u{2003} a b \n")], .string("a b")),
      ("name", "uppercase(name)", ["name": .string("straße ı")], .string("STRASSE I")),
      ("name", "lowercase(name)", ["name": .string("ÄÖ İ")], .string("äö i\u{307}")),
      ("name", "canonical(name)", ["name": .string("Éa")], .string("ea")),
      ("name", "concat(name, \"-\", name)", ["name": .string("a")], .string("a-a")),
      ("name", "append(name, \"\u{301}\")", ["name": .string("e")], .string("\u{E9}")),
      ("name", "concat(name, \"x\")", [:], .null),
      ("name", "lowercase:(shout)", ["name": .string("Ab")], .string("ab")),
      ("name", "replace(name, \"aa\", \"b\")", ["name": .string("aaaxa")], .string("baxa")),
      ("name", "replace(name, \"\", \"b\")", ["name": .string("a")], .string("a")),
      ("name", "owner.name", ["name": .string("a")], .null), ("flag", "1", [:], .bool(true)),
      ("link", "\"https://example.org/\"", [:], .uri("https://example.org/")),
      ("name", "null", ["name": .string("a")], .null),
    ] as [(String, String, [String: Value], Value)])
  func `a value follows from the row`(
    _ attribute: String, _ text: String, _ values: [String: Value], _ expected: Value
  ) throws {
    #expect(try result(attribute, text, values) == expected)
  }

  @Test(
    arguments: [
      ("count", "count + 1", ["count": .int(.max)], .expressionOverflow),
      ("count", "-count", ["count": .int(.min)], .expressionOverflow),
      ("count", "count / -1", ["count": .int(.min)], .expressionOverflow),
      ("count", "abs(count)", ["count": .int(.min)], .expressionOverflow),
      ("small", "small * 2", ["small": .int(20000)], .expressionOverflow),
      ("ratio", "ratio * 10", ["ratio": .double(1e308)], .expressionOverflow),
      ("ratio", "ratio - ratio", ["ratio": .double(.infinity)], .expressionOverflow),
      ("part", "part * 10", ["part": .float(3e38)], .expressionOverflow),
      (
        "price", "price * price",
        ["price": .decimal(Decimal(string: "12345678901234567890123456789012345678") ?? 0)],
        .expressionOverflow
      ),
      ("price", "price + 1", ["price": .decimal(Decimal(string: "1e60") ?? 0)], .expressionOverflow),
      ("count", "count / small", ["count": .int(1), "small": .int(0)], .expressionDivision),
      ("ratio", "ratio / 0", ["ratio": .double(1)], .expressionDivision),
      ("price", "price / 0", ["price": .decimal(1)], .expressionDivision),
      ("must", "count", [:], .validationRequired), ("must", "null", [:], .validationRequired),
      ("count", "name", [:], .expressionType), ("count", "ratio", [:], .expressionType),
      ("count", "1.5", [:], .expressionType), ("name", "name + \"x\"", [:], .expressionType),
      ("name", "concat(count)", [:], .expressionType), ("due", "due * 2", [:], .expressionType),
      ("due", "1 - due", [:], .expressionType), ("price", "price + ratio", [:], .expressionType),
      ("flag", "-flag", [:], .expressionType), ("name", "owner", [:], .expressionType),
      ("name", "coalesce(name, 1)", [:], .expressionType), ("count", "abs(name)", [:], .expressionType),
      ("count", "length(count)", [:], .expressionType), ("link", "name", [:], .expressionType),
      ("count", "cuont + 1", [:], .schemaUnknownProperty), ("cuont", "count", [:], .schemaUnknownProperty),
      ("owner", "null", [:], .batchRelationship), ("shout", "name", [:], .batchDerived),
    ] as [(String, String, [String: Value], ErrorCode)])
  func `what cannot be is refused with names`(
    _ attribute: String, _ text: String, _ values: [String: Value], _ code: ErrorCode
  ) throws {
    let error = #expect(throws: BolideError.self) { try result(attribute, text, values) }
    #expect(error?.code == code, "\(error.map(String.init(describing:)) ?? "")")
    #expect(error?.message.contains("Row") == true, "\(error?.message ?? "")")
  }

  @Test func `typed requests take expressions`() throws {
    let container = try PersistentContainer(
      Schema(Counter.self), at: StoreLocation(MemoryBackend(), Location(path: "", isTransient: true)))
    let context = container.newContext()
    try context.execute(BatchInsertRequest(entity: "Counter", records: [[:], ["count": .int(4)]]))
    let result = try context.execute(
      BatchUpdateRequest(Counter.self, where: #Predicate { $0.count >= 0 })
        .set(\.count, to: .attribute(\Counter.count) + 1)
        .set(\.label, to: .expression("concat(\"was \", label)"))
        .set(\.done, to: true))
    #expect(result.count == 2 && result.didChange)
    let counters = try context.fetch(FetchRequest<Counter>())
    #expect(counters.map(\.count) == [1, 5])
    #expect(counters.map(\.label) == ["was new", "was new"])
    #expect(try context.execute(BatchUpdateRequest(Counter.self).set(\.done, to: true)).didChange == false)
  }
}

private final class Counter: ManagedObject {
  @Attribute var count: Int64 = 0
  @Attribute var label = "new"
  @Attribute var done = false
}

import BolideStorage
import Foundation
import Testing

@testable import Bolide

@Suite struct ConditionTextTests {
  @Test(
    arguments: [
      ("impactEnergy >= 100", "impactEnergy >= 100"),
      ("a=1", "a == 1"), ("a <> 1", "a != 1"), ("a =< 1 && b => 2", "a <= 1 AND b >= 2"),
      ("a = 1 or b = 2 and c = 3", "a == 1 OR b == 2 AND c == 3"),
      ("(a = 1 or b = 2) and c = 3", "(a == 1 OR b == 2) AND c == 3"),
      ("a = 1 and (b = 2 and c = 3)", "a == 1 AND (b == 2 AND c == 3)"),
      ("((a = 1))", "a == 1"),
      ("!a = 1", "NOT a == 1"), ("not not a = 1", "NOT NOT a == 1"),
      ("NOT (a = 1 || b = 2)", "NOT (a == 1 OR b == 2)"),
      ("a in {1, -2, null}", "a IN {1, -2, null}"), ("a NOT IN {}", "NOT a IN {}"),
      ("a BETWEEN {1, 2}", "a >= 1 AND a <= 2"),
      ("a between 1 and 2 or b = 1", "a >= 1 AND a <= 2 OR b == 1"),
      ("name == 'it\\'s'", #"name == "it's""#), (#"name = "a\"\u00e9\n""#, #"name == "a\"é\n""#),
      ("name == nil or name != NULL", "name == null OR name != null"),
      ("t > 2020-10-23T22:19:00.5Z", "t > 2020-10-23T22:19:00.5Z"),
      ("t > 2020-10-23", "t > 2020-10-23T00:00:00Z"),
      ("t < -0044-03-15T12:00:00+01:00", "t < -0044-03-15T11:00:00Z"), ("t < @inf", "t < @inf"),
      ("id = 0A1B2C3D-0000-4000-8000-00000000FFFF", "id == 0a1b2c3d-0000-4000-8000-00000000ffff"),
      ("data == 0xFF00", "data == 0xff00"), ("x == -1.50", "x == -1.5"), ("x > 1e3", "x > 1000.0"),
      ("x > -inf and x < INF", "x > -inf AND x < inf"),
      ("x == -9223372036854775808", "x == -9223372036854775808"),
      ("x == 0.1234567890123456789012345", "x == 0.1234567890123456789012345"),
      ("owner.home.name == \"x\"", "owner.home.name == \"x\""), ("5 < a", "5 < a"),
      ("#in == 1 AND #Self.#not == #other", "#in == 1 AND #Self.#not == other"),
      ("done = yes AND b = FALSE", "done == true AND b == false"),
      ("SELF == Group#3 or owner in {#1,#2}", "SELF == Group#3 OR owner IN {#1, #2}"),
      ("owner in {Group#3}", "owner == Group#3"),
      ("owner in {Group#3, #2, Group#4, nil}", "owner == Group#3 OR owner == Group#4 OR owner IN {#2, null}"),
      ("TRUEPREDICATE", "TRUEPREDICATE"), ("not falsepredicate", "NOT FALSEPREDICATE"),
      ("größe > 1", "größe > 1"),
      ("a contains 'x' and b BeginsWith[C] 'y'", #"a CONTAINS "x" AND b BEGINSWITH[c] "y""#),
      ("a endswith[d]'x' or a like[dc] '*a?\\\\*'", #"a ENDSWITH[d] "x" OR a LIKE[cd] "*a?\\*""#),
      ("a ==[cd] 'x'", #"a ==[cd] "x""#), ("a <[c] b", "a <[c] b"), ("a in[c] {'x'}", #"a IN[c] {"x"}"#),
      ("not a !=[d] 'x'", #"NOT a !=[d] "x""#), ("'abc' CONTAINS a", #""abc" CONTAINS a"#),
      ("any items.price > 3", "ANY items.price > 3"),
      ("SOME items.name ==[c] 'x'", #"ANY items.name ==[c] "x""#),
      ("all items.#all != nil", "ALL items.#all != null"), ("NONE items == Item#3", "NONE items == Item#3"),
      ("ANY items.price BETWEEN {1, 3}", "ANY items.price (SELF >= 1 AND SELF <= 3)"),
      ("ANY items.name NOT IN {'a'}", #"ANY items.name (NOT SELF IN {"a"})"#),
      ("ANY items (price > cost AND NOT SELF == Item#1)", "ANY items (price > cost AND NOT SELF == Item#1)"),
      ("ANY items (price > 3)", "ANY items (price > 3)"), ("NOT ANY a.b IN {1}", "NOT ANY a.b IN {1}"),
      ("ALL a (ANY b (c == 1 OR d == 2))", "ALL a (ANY b (c == 1 OR d == 2))"),
      ("groups CONTAINS Group#1", "ANY groups == Group#1"), ("Group#1 in groups", "ANY groups == Group#1"),
      ("items.@count > 2", "items.@count > 2"), ("items.@sum.price = 1", "items.price.@sum == 1"),
      ("items.price.@AVG < 2", nil),
      ("items.price.@avg < items.price.@max", "items.price.@avg < items.price.@max"),
      ("@count > 3 AND 3 < items.#in.@min", "@count > 3 AND 3 < items.#in.@min"),
      ("ANY #any.#like (x == 1)", "ANY #any.#like (x == 1)"),
    ] as [(String, String?)])
  func `text is understood and printed in one way`(_ text: String, _ printed: String?) throws {
    guard let printed else {
      #expect(throws: BolideError.self) { try Condition(parsing: text) }
      return
    }
    let condition = try Condition(parsing: text)
    #expect(condition.description == printed)
    #expect(try Condition(parsing: printed) == condition)
  }

  @Test(arguments: [
    ("", 1, "the predicate is empty"), ("  ", 3, "the predicate is empty"),
    ("a", 2, "expected a comparison such as == or <, found the end"),
    ("a ==", 5, "expected a property or a value, found the end"),
    ("a == 1 b", 8, "expected AND, OR or the end, found `b`"),
    ("(a == 1", 8, "expected `)` to close the parenthesis, found the end"),
    ("a == 1)", 7, "expected AND, OR or the end, found `)`"),
    ("a IN 1", 6, "expected `{` and the values, found `1`"),
    ("a IN {1 2}", 9, "expected `,` or `}`, found `2`"),
    ("a IN {b}", 7, "expected a value, found b"),
    ("a LIKE", 7, "expected a property or a value, found the end"),
    ("a LIKE[x] 'b'", 8, "expected c, d or cd, found `x`"), ("a ==[cc] 'b'", 6, "expected c, d or cd"),
    ("a ==[n] 'b'", 6, "expected c, d or cd, found `n`"), ("a ==[c 'b'", 8, "expected `]` after the options"),
    ("ANY == 1", 5, "expected a path over a to-many relationship, found `==`"),
    ("ANY a", 6, "expected a comparison such as == or <, found the end"),
    ("ANY a.@count > 1", 5, "expected a path over a to-many relationship, found @count"),
    ("ANY a (b == 1", 14, "expected `)` to close the parenthesis"),
    ("a == $", 6, "expected a variable's name"),
    ("a.@sum.@sum == 1", 8, "expected a property after `.`"),
    ("a BETWEEN {1}", 13, "expected `,` between the bounds, found `}`"),
    ("a NOT = 1", 7, "expected IN or BETWEEN, found `=`"),
    ("a == \"x", 6, "the string that begins here does not end"),
    ("a == \"\\q\"", 6, "the string has a control character"),
    ("a == 1x", 6, "1x is neither a number nor a name"), ("a == 0xF", 6, "0xF is no binary"),
    ("a == 2021-13-01", 6, "2021-13-01 is no date"), ("a == 1e999", 6, "1e999 is out of range"),
    ("a ; b", 3, "unexpected character \";\""), ("a. == 1", 4, "expected a property after `.`"),
    ("and == 1", 1, "expected a property or a value, found `and`"),
    ("é == ☄", 6, "unexpected character"),
    ("a == 1 AND", 11, "expected a property or a value, found the end"),
    ("a == 1 OR OR b == 2", 11, "expected a property or a value, found `OR`"),
    ("NOT", 4, "expected a property or a value, found the end"),
    ("()", 2, "expected a property or a value, found `)`"),
    ("a == 1 AND (b == 2 OR (c == 3)", 31, "expected `)` to close the parenthesis, found the end"),
    ("a == == 1", 6, "expected a property or a value, found `==`"),
    ("a === 1", 5, "expected a property or a value, found `=`"),
    ("== 1", 1, "expected a property or a value, found `==`"),
    ("a b", 3, "expected a comparison such as == or <, found `b`"),
    ("a NOT", 6, "expected IN or BETWEEN, found the end"),
    ("a IN", 5, "expected `{` and the values, found the end"),
    ("a IN {", 7, "expected a property or a value, found the end"),
    ("a IN {1, 2", 11, "expected `,` or `}`, found the end"),
    ("a IN {1,}", 9, "expected a property or a value, found `}`"),
    ("a IN {1, b.c}", 10, "expected a value, found b.c"),
    ("a BETWEEN 1", 12, "expected AND and the upper bound, found the end"),
    ("a BETWEEN 1, 2", 12, "expected AND and the upper bound, found `,`"),
    ("a BETWEEN {1, 2", 16, "expected `}` after the bounds, found the end"),
    ("a == -b", 7, "expected a number after `-`, found `b`"),
    ("a == - inf2", 8, "expected a number after `-`, found `inf2`"),
    ("SELF.a == 1", 5, "expected a comparison: SELF has no path, found `.`"),
    ("a == SELF.b", 10, "expected a comparison: SELF has no path, found `.`"),
    ("ANY items.", 11, "expected a property after `.`, found the end"),
    ("ANY items (", 12, "expected a property or a value, found the end"),
    ("ANY items.x ()", 14, "expected a property or a value, found `)`"),
    ("NONE", 5, "expected a path over a to-many relationship, found the end"),
    ("ALL 3 > 2", 5, "expected a path over a to-many relationship, found `3`"),
    ("a CONTAINS[", 12, "expected c, d or cd, found the end"),
    ("a CONTAINS[] 'b'", 12, "expected c, d or cd, found `]`"),
    ("a == 'it''s' 1", 10, "expected AND, OR or the end, found"),
    ("a == 'x\ny'", 6, "the string has a control character"),
    ("a == '\\u12'", 6, "the string has a control character or an escape other than"),
    ("a == 0xGG", 6, "0xGG is no binary"),
    ("a == 12abc", 6, "12abc is neither a number nor a name"),
    ("a == 1.5.2", 9, "expected AND, OR or the end"),
    ("a == 2020-02-30", 6, "2020-02-30 is no date"), ("a == 2020-10-23T25:00:00Z", 6, "is no date"),
    ("a == -1e999", 6, "-1e999 is out of range"),
    ("a == #", 6, "expected a name or a number after `#`"), ("#== 1", 1, "expected a name or a number"),
    ("a == Group#99999999999999999999", 6, "99999999999999999999 is no object's number"),
    ("a == \u{7}", 6, "unexpected character \"\\u0007\""),
    ("größe == ", 10, "expected a property or a value"),
    ("😀", 1, "unexpected character \"😀\""), ("a\n==\nb\n~", 8, "unexpected character \"~\""),
  ])
  func `errors name the column and what was expected`(_ text: String, _ column: Int, _ message: String) {
    let error = #expect(throws: BolideError.self) { try Condition(parsing: text) }
    #expect(error?.code == .predicateSyntax)
    #expect((error?.payload as? TextPosition)?.column == column)
    let said = error?.message ?? ""
    #expect(said.hasPrefix("column \(column): ") && said.contains(message), "\(said)")
  }

  @Test(arguments: [
    ("a MATCHES 'x'", 3, "MATCHES"), ("a + 1 > 2", 3, "+"), ("a == 1 * 2", 8, "*"), ("a - 1 > 2", 3, "-"),
    ("a == 2 ** 3", 8, "**"), ("a == b / c", 8, "/"), ("a[0] == 1", 2, "[…]"),
    ("a.@stddev > 1", 3, "@stddev"),
    ("a.@distinctUnionOfObjects.b == 1", 3, "@distinctUnionOfObjects"),
    ("a == %x", 6, "%x"), ("abs(a) > 1", 4, "abs(…)"), ("SUBQUERY(a, $x, 1) = 1", 1, "SUBQUERY"),
    ("CAST(a, 'NSNumber') == 1", 1, "CAST"), ("TERNARY(a, 1, 2) == 1", 1, "TERNARY"),
    ("a == FUNCTION(b, 'c')", 6, "FUNCTION"), ("now() > a", 4, "now(…)"),
    ("sum:(a) > 1", 4, "sum:"), ("ANY items.price > cost", 19, "not with cost"),
    ("ANY items.price > SELF", 19, "not with SELF"),
  ])
  func `what is not supported is named`(_ text: String, _ column: Int, _ name: String) {
    let error = #expect(throws: BolideError.self) { try Condition(parsing: text) }
    #expect(error?.code == .predicateUnsupported)
    #expect(error?.message.contains(name) == true, "\(error?.message ?? "")")
    #expect((error?.payload as? TextPosition)?.column == column, "\(error?.message ?? "")")
    #expect(error?.remedy.isEmpty == false)
  }

  @Test(arguments: ["(", "NOT ", "!", "ANY a (", "NOT (", "a == 1 AND (", "ALL a (NONE b ("])
  func `deep nesting is an error, not a crash`(_ piece: String) {
    let text = String(repeating: piece, count: 10_000) + "a == 1"
    let error = #expect(throws: BolideError.self) { try Condition(parsing: text) }
    #expect(error?.code == .predicateDepth)
  }

  @Test func `a long literal is read, and shown in no message`() throws {
    let long = String(repeating: "x", count: 10_000_000)
    guard case .compare(_, _, .literal(.string(let text)), _) = try Condition(parsing: "a == '\(long)'")
    else {
      Issue.record("no comparison with a text")
      return
    }
    #expect(text.utf8.count == 10_000_000)
    let digits = String(repeating: "9", count: 10_000)
    let word = String(repeating: "x", count: 10_000)
    for text in [
      "a == 1 \(long)", "a == \(digits)", "a == \(digits)x", "a == 0x\(digits)x", "a == \(digits)-10-10",
      "a == Group#\(digits)", "a.@\(word) > 1", "a == %\(word)", "\(word)(a) > 1", "a == 1 \(digits)",
    ] {
      let error = #expect(throws: BolideError.self) { try Condition(parsing: text) }
      #expect((error?.message.utf8.count ?? .max) < 300, "\(error?.message.prefix(200) ?? "")")
      #expect(error?.payload is TextPosition)
    }
  }

  @Test func `arguments and variables stand for constants and paths`() throws {
    let names: Set<String> = ["x"]
    let id = ManagedObjectID(storeID: UUID(), entityName: "Group", number: 3)
    let none: Double? = nil
    #expect(
      try Condition(parsing: "%K == %@ AND b.%K > %d", arguments: ["a", "it's", "c.d", 3]).description
        == #"a == "it's" AND b.c.d > 3"#)
    #expect(
      try Condition(
        parsing: "a IN $names AND b == $id AND c BETWEEN %@ AND d == $none AND e IN {%@, 2}",
        arguments: [[1, 2], 1], variables: ["names": names, "id": id, "none": none]
      ).description
        == #"a IN {"x"} AND b == Group#3 AND (c >= 1 AND c <= 2) AND d == null AND e IN {1, 2}"#)
    #expect(
      try Condition(parsing: "ANY %K.price == %@", arguments: ["items", Decimal(3)]).description
        == "ANY items.price == 3")
    #expect(
      try Condition(parsing: "a LIKE[c] $p", variables: ["p": "*"]).description == #"a LIKE[c] "*""#)
  }

  @Test(
    arguments: [
      ("a == %@ AND b == %@", 18, "there is no argument for %@"),
      ("a == 1", 7, "the text takes 0 arguments, but 1 are given"),
      ("a == $nams", 6, "no value is given for $nams; did you mean names?"),
      ("a == $names AND b == %@", 6, "a list stands where one value is needed"),
      ("a BETWEEN $names", 11, "BETWEEN takes two bounds, not 1"), ("%K == 1", 1, "is no path"),
    ] as [(String, Int, String)])
  func `arguments that do not fit are named with a column`(
    _ text: String, _ column: Int, _ message: String
  ) {
    let error = #expect(throws: BolideError.self) {
      try Condition(parsing: text, arguments: ["x y"], variables: ["names": ["n"]])
    }
    #expect(error?.code == .predicateArgument)
    #expect((error?.payload as? TextPosition)?.column == column, "\(error?.message ?? "")")
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  @Test func `long chains are no nesting`() throws {
    let text = (0..<5000).map { "(a == \($0))" }.joined(separator: " OR ")
    guard case .or(let parts) = try Condition(parsing: text) else {
      Issue.record("a chain of OR is not one list")
      return
    }
    #expect(parts.count == 5000)
  }

  @Test func `sort terms read back`() throws {
    let terms = try SortTerm.list(parsing: "-impactEnergy, owner.name,+time")
    #expect(terms == [SortTerm("impactEnergy", ascending: false), SortTerm("owner.name"), SortTerm("time")])
    #expect(terms.map(\.description).joined(separator: ",") == "-impactEnergy,owner.name,time")
    let more = try SortTerm.list(parsing: "-name[nc],items.@count")
    #expect(more[0] == SortTerm("name", ascending: false, options: [.caseInsensitive, .natural]))
    #expect(more[1].operand == .aggregate(.count, ["items"]))
    #expect(more.map(\.description) == ["-name[cn]", "items.@count"])
  }

  @Test(arguments: [
    ("", 1), ("a,", 3), ("a,--b", 3), ("a b.c,.", 1), ("1a", 1), ("a,b;c", 3), ("a[", 1), ("a[x]", 1),
    ("a[]", 1), ("a[cc]", 1), ("a[c]b", 1), ("-", 1), ("+,a", 1), ("a..b", 1), ("@stddev", 1),
    ("a,@count.b", 3),
    ("a ASC", 1), ("größe,b c d,*", 7), ("a,'b'", 3),
  ])
  func `other sort texts are refused with a column`(_ text: String, _ column: Int) {
    let error = #expect(throws: BolideError.self) { try SortTerm.list(parsing: text) }
    #expect(error?.code == .predicateSyntax)
    #expect((error?.payload as? TextPosition)?.column == column)
    #expect(error?.message.hasPrefix("column \(column): expected a property, or `-` and a property") == true)
  }
}

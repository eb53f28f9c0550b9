import Foundation
import Testing

/// Predicates that make no sense, wherever the program takes them: a clear error with a column, the right status,
/// and nothing written.
@Suite(.serialized) struct BadPredicateTests {
  /// A text, the code and column of its error, and words of its message.
  private struct Bad {
    let text: String
    let code: String
    let column: Int
    let words: String

    init(_ text: String, _ code: String, _ column: Int, _ words: String) {
      (self.text, self.code, self.column, self.words) = (text, code, column, words)
    }
  }

  private static let depth = 10_000

  private static let bad: [Bad] = [
    Bad("impactEnergy >=", "predicate.syntax", 16, "expected a property or a value, found the end"),
    Bad("impactEnergy > 1 AND", "predicate.syntax", 21, "expected a property or a value, found the end"),
    Bad("(impactEnergy > 1", "predicate.syntax", 18, "expected `)` to close the parenthesis"),
    Bad("impactEnergy", "predicate.syntax", 13, "expected a comparison such as == or <, found the end"),
    Bad("", "predicate.syntax", 1, "the predicate is empty"),
    Bad("impactEnergie > 1", "predicate.unknown-path", 1, "did you mean impactEnergy?"),
    Bad("latitude > 1 AND impactEnergy.size > 1", "predicate.unknown-path", 18, "impactEnergy"),
    Bad("impactEnergy == 'high'", "predicate.type", 17, "compared with a string"),
    Bad("'high' < impactEnergy", "predicate.type", 10, "compared with a string"),
    Bad("impactEnergy IN {1, 'two'}", "predicate.type", 1, "compared with a string"),
    Bad("impactEnergy CONTAINS '1'", "predicate.type", 23, "CONTAINS is about texts"),
    Bad("dateTimeStamp > 5", "predicate.type", 17, "compared with an integer"),
    Bad("groups.name == 'Bright'", "predicate.to-many", 1, "groups"),
    Bad("groups == nil", "predicate.to-many", 1, "groups"),
    Bad("ANY latitude > 1", "predicate.type", 5, "no to-many relationship on its way"),
    Bad("ANY groups.name == 5", "predicate.type", 20, "compared with an integer"),
    Bad(String(repeating: "(", count: depth) + "latitude > 1", "predicate.depth", 201, "more than 200 deep"),
    Bad(
      String(repeating: "NOT ", count: depth) + "latitude > 1", "predicate.depth", 805, "more than 200 deep"),
    Bad(
      String(repeating: "latitude > 1 AND (", count: depth / 4), "predicate.depth", 3618, "more than 200 deep"
    ),
    Bad(String(repeating: "!(", count: depth), "predicate.depth", 202, "more than 200 deep"),
    Bad("impactEnergy > 1 + 1", "predicate.unsupported", 18, "arithmetic with `+`"),
    Bad("impactEnergy > $limit", "predicate.argument", 16, "no value is given for $limit"),
  ]

  private static func filled(_ body: (BolideProgram, [String: String]) async throws -> Void) async throws {
    try await BolideProgram.inFolder { bolide in
      try bolide.write(Document.fireballs, to: "one.json")
      let environment = ["BOLIDE_STORE": "sqlite:a"]
      let run = try await bolide("import", "jpl", "one.json", environment: environment)
      try #require(run.status == 0, "\(run.errors)")
      try await body(bolide, environment)
    }
  }

  /// An error that names what is wrong and where, in few words, and leaves the status of unreadable input.
  private static func check(_ run: BolideProgram.Run, _ bad: Bad, _ label: String) {
    let shown = "\(label): \(bad.text.prefix(60)): \(run.errors.prefix(400))"
    #expect(!run.wasKilled, "\(shown)")
    #expect(run.status == 2, "\(shown)")
    #expect(run.output == "", "\(shown)")
    #expect(run.errors.hasPrefix("error \(bad.code): column \(bad.column): "), "\(shown)")
    #expect(run.errors.contains(bad.words), "\(shown)")
    #expect(run.errors.utf8.count < 600, "\(shown)")
  }

  @Test func `fetch refuses a bad predicate`() async throws {
    try await Self.filled { bolide, environment in
      for bad in Self.bad {
        let run = try await bolide("fetch", "Fireball", "--where", bad.text, environment: environment)
        Self.check(run, bad, "--where")
        let explained = try await bolide(
          "fetch", "Fireball", "--where", bad.text, "--explain", environment: environment)
        #expect(explained.status == 2)
      }
      for (sort, column) in [("", 1), ("latitude,", 10), ("a b c-", 1)] {
        let run = try await bolide("fetch", "Fireball", "--sort", sort, environment: environment)
        Self.check(run, Bad(sort, "predicate.syntax", column, "expected a property"), "--sort")
      }
      let having = try await bolide(
        "fetch", "Fireball", "--group", "latitude", "--having", "@count >", environment: environment)
      Self.check(having, Bad("@count >", "predicate.syntax", 9, "found the end"), "--having")
      let history = try await bolide("history", "--where", "author ==", environment: environment)
      Self.check(history, Bad("author ==", "predicate.syntax", 10, "found the end"), "history")
    }
  }

  @Test func `a literal of ten megabytes is read from a file`() async throws {
    try await Self.filled { bolide, environment in
      let long = String(repeating: "x", count: 10_000_000)
      func fetch(_ text: String) async throws -> BolideProgram.Run {
        try bolide.write(text, to: "long.txt")
        return try await bolide(
          "fetch", "Fireball", "--where-file", "long.txt", "--count", environment: environment)
      }
      let right = try await fetch("impactEnergy == nil OR 'xx' == '\(long)'\n")
      #expect(right.status == 0, "\(right.errors.prefix(400))")
      #expect(right.output == "0\n")
      Self.check(
        try await fetch("impactEnergy == '\(long)'"),
        Bad("", "predicate.type", 17, "impactEnergy is of type double, but it is compared with a string"),
        "a text")
      Self.check(
        try await fetch("impactEnergy == '\(long)"),
        Bad("", "predicate.syntax", 17, "the string that begins here does not end"), "half a text")
      Self.check(
        try await fetch("impactEnergy == 1 \(long.prefix(1_000_000))"),
        Bad("", "predicate.syntax", 19, "expected AND, OR or the end"), "a long word")
      let digits = String(repeating: "9", count: 1_000_000)
      Self.check(
        try await fetch("impactEnergy == \(digits)"), Bad("", "predicate.syntax", 17, "is out of range"),
        "a number")
      let both = try await bolide(
        "fetch", "Fireball", "--where", "latitude > 1", "--where-file", "long.txt", environment: environment)
      #expect(both.status == 64)
      let none = try await bolide("fetch", "Fireball", "--where-file", "none.txt", environment: environment)
      #expect(none.status == 3 && none.errors.hasPrefix("error file.unreadable: "), "\(none.errors)")
    }
  }

  @Test func `a list of many values is read from a file`() async throws {
    try await Self.filled { bolide, environment in
      let values = (0..<260_000).map { "\(Double($0) / 100)" }.joined(separator: ", ")
      try bolide.write("impactEnergy IN {\(values)}", to: "many.txt")
      let run = try await bolide(
        "fetch", "Fireball", "--where-file", "many.txt", "--count", environment: environment)
      #expect(run.status == 0, "\(run.errors.prefix(400))")
      #expect(run.output == "3\n")
    }
  }

  @Test(arguments: ["fetch", "count", "delete", "batch-update", "batch-delete", "history", "merge"])
  func `scenario files are refused with the place of a bad predicate`(verb: String) async throws {
    let isHistory = verb == "history" || verb == "merge"
    let subject = isHistory ? verb : "\(verb) Fireball" + (verb == "batch-update" ? " isFavorite=true" : "")
    let step = "view> \(subject) where "
    let history = [
      Bad("author ==", "", 10, "expected a property or a value"),
      Bad("autor == 'x'", "", 1, "did you mean author?"),
      Bad("author > 5", "", 10, "compared with an integer"),
      Bad(String(repeating: "(", count: Self.depth), "", 201, "more than 200 deep"),
    ]
    try await BolideProgram.inFolder { bolide in
      for bad in isHistory ? history : Self.bad where !bad.text.isEmpty {
        let text = "model FireballWatch\ncontext view\n\n\(step)\(bad.text)\n"
        try bolide.write(text, to: "bad.scenario")
        for arguments in [["scenario", "check", "bad.scenario"], ["replay", "bad.scenario"]] {
          let run = try await bolide(all: arguments)
          let shown =
            "\(arguments[0]) \(verb) \(bad.text.prefix(60)): \(run.output.prefix(300))\(run.errors.prefix(300))"
          #expect(!run.wasKilled, "\(shown)")
          #expect(run.status == 2, "\(shown)")
          let said = run.output + run.errors
          if step.utf8.count + bad.text.utf8.count > 16 << 10 {
            #expect(
              said.contains("bad.scenario:4:") && said.contains("at most 16384 are allowed"), "\(shown)")
          } else {
            #expect(said.contains("bad.scenario:4:\(step.count + bad.column): "), "\(shown)")
            #expect(said.contains(bad.words), "\(shown)")
          }
        }
      }
      // A line of ten megabytes is beyond the limit, which the error states.
      try bolide.write(
        "model FireballWatch\ncontext view\n\n\(step)a == '\(String(repeating: "x", count: 10_000_000))'\n",
        to: "long.scenario")
      let run = try await bolide("replay", "long.scenario")
      #expect(!run.wasKilled && run.status == 2, "\(run.errors.prefix(300))")
      #expect((run.output + run.errors).utf8.count < 1000)
    }
  }
}

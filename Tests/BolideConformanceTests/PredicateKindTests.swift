import Bolide
import BolideStorage
import BolideTesting
import Foundation
import Testing

@testable import BolideConformance

/// Each kind of expression that Foundation has is lowered, which `typed/every-expression` shows on every store, or
/// refused by name with an alternative.
@Suite(.temporaryStores) struct PredicateKindTests {
  /// A predicate that is refused: its kind, the words that name it, and a part of the alternative.
  private struct Refusal {
    let kind: String
    let predicate: Predicate<Reading>
    let words: String
    let alternative: String

    init(_ kind: String, _ words: String, _ alternative: String, _ predicate: Predicate<Reading>) {
      (self.kind, self.predicate, self.words, self.alternative) = (kind, predicate, words, alternative)
    }
  }

  private static let refusals: [Refusal] = {
    let names = ["a": "b"]
    let computed = "an attribute of its own"
    var table: [Refusal] = []
    func add(_ kind: String, _ words: String, _ alternative: String, _ predicate: Predicate<Reading>) {
      table.append(Refusal(kind, words, alternative, predicate))
    }
    add("Arithmetic", "arithmetic with +, - or * over size", computed, #Predicate { $0.size + 1 > 2 })
    add(
      "Arithmetic", "arithmetic with +, - or *", computed,
      #Predicate { $0.count > 9_223_372_036_854_775_807 + 1 })
    add("FloatDivision", "division over size", computed, #Predicate { $0.size / 2 > 1 })
    add("IntDivision", "division over count", computed, #Predicate { $0.count / 2 == 1 })
    add("IntRemainder", "the remainder % over short", computed, #Predicate { $0.short % 2 == 0 })
    add("UnaryMinus", "a minus over count", computed, #Predicate { -$0.count == 1 })
    add(
      "StringContainsRegex", "contains(_:) with a regex over name", "LIKE",
      #Predicate { $0.name.contains(#/a+/#) })
    add("SequenceMinimum", "min() over name", "@max", #Predicate { $0.name.min()?.isLetter ?? false })
    add("SequenceMaximum", "max() over name", "@max", #Predicate { $0.name.max()?.isLetter ?? false })
    add(
      "DictionaryKeySubscript", "a subscript with a key over name", "contains(_:)",
      #Predicate { names[$0.name] == "b" })
    add(
      "DictionaryKeyDefaultValueSubscript", "a subscript with a key and a default over name", "contains(_:)",
      #Predicate { names[$0.name, default: "c"] == "b" })
    add(
      "KeyPath", "String.count over name", "count or isEmpty of a relationship",
      #Predicate { $0.name.count == 1 })
    add(
      "Filter", "filter(_:) over name", "contains(where:)",
      #Predicate { $0.name.filter { $0.isLetter }.isEmpty })
    add(
      "SequenceContainsWhere", "contains(where:)", "contains(where:)",
      #Predicate { $0.name.contains { $0.isLetter } })
    add(
      "SequenceAllSatisfy", "allSatisfy(_:)", "contains(where:)",
      #Predicate { $0.name.allSatisfy { $0.isLetter } })
    add("Equal", "a test with ==", "a constant or a property", #Predicate { ($0.name == "a") == $0.flag })
    return table
  }()

  @Test(arguments: TestStore.all)
  func `what has no counterpart is refused by name, with an alternative`(_ store: TestStore) async throws {
    let context = try await store.container(Reading.model).newContext()
    for refusal in Self.refusals {
      let error = #expect(throws: BolideError.self, "\(refusal.kind)") {
        try context.fetch(FetchRequest(Reading.self, where: refusal.predicate))
      }
      #expect(error?.code == .predicateUnsupportedExpression, "\(refusal.kind): \(error?.message ?? "")")
      #expect(error?.message.contains(refusal.words) == true, "\(refusal.kind): \(error?.message ?? "")")
      #expect(error?.remedy.contains(refusal.alternative) == true, "\(refusal.kind): \(error?.remedy ?? "")")
    }
  }

  @Test(arguments: TestStore.all)
  func `a sort that no store has is refused by name, with an alternative`(_ store: TestStore) async throws {
    let context = try await store.container(Reading.model).newContext()
    let error = #expect(throws: BolideError.self) {
      try context.fetch(FetchRequest(Reading.self, sort: [SortDescriptor(\.objectID.entityName)]))
    }
    #expect(error?.message.contains("the sort descriptor of Reading by") == true, "\(error?.message ?? "")")
    #expect(error?.remedy.contains("SortTerm(") == true)
  }

  #if os(Linux)
    /// A comparator that depends on a locale would be refused; here there is none, not even a decoded one.
    @Test func `there is one comparator of strings`() {
      for options in 0..<1024 {
        for isLocalized in [true, false] where options > 0 || isLocalized {
          let text = #"{"options":\#(options),"isLocalized":\#(isLocalized),"order":true}"#
          #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(String.StandardComparator.self, from: Data(text.utf8))
          }
        }
      }
    }

    /// The kinds of expressions, read from the symbols of the Foundation that runs: none is forgotten.
    @Test func `every kind of expression is lowered or refused`() throws {
      let library = try #require(Self.libraries.first { $0.hasSuffix("/libFoundationEssentials.so") })
      let symbols = try Data(contentsOf: URL(filePath: library), options: .alwaysMapped)
      let prefix = Data("20PredicateExpressionsO".utf8)
      var kinds: Set<String> = []
      var start = symbols.startIndex
      // A nominal type descriptor: `20PredicateExpressionsO10ArithmeticVMn`.
      while let found = symbols.range(of: prefix, in: start..<symbols.endIndex) {
        start = found.upperBound
        let rest = String(
          decoding: symbols[start..<min(start + 60, symbols.endIndex)].prefix { $0 != 0 }, as: UTF8.self)
        guard let match = rest.prefixMatch(of: /(\d+)([A-Za-z]+)VMn$/), Int(match.1) == match.2.count else {
          continue
        }
        kinds.insert(String(match.2))
      }
      #expect(kinds.count > 30)
      let covered = Set(ReadingPredicates.all.map(\.kind) + ReadingPredicates.ofStations.map(\.kind))
        .union(Self.refusals.map(\.kind))
        // Parts of expressions, and one that cannot stand in a predicate here.
        .union(["VariableID", "PredicateRegex", "ExpressionEvaluate"])
      #expect(kinds.subtracting(covered).sorted() == [])
    }

    /// The libraries of this process.
    private static var libraries: [String] {
      // The file says that it is empty, so it is read to its end.
      let bytes = try? FileHandle(forReadingAtPath: "/proc/self/maps")?.readToEnd()
      let maps = String(decoding: bytes ?? Data(), as: UTF8.self)
      return Set(maps.split(separator: "\n").compactMap { $0.split(separator: " ").last.map(String.init) })
        .sorted()
    }
  #endif
}

import Bolide
import BolideStorage
import Foundation

/// Predicates and orders over readings, by the kind of expression that they show.
///
/// A store takes a force-unwrapped nil for nil, where Foundation throws: so each of those stands behind a nil test.
enum ReadingPredicates {
  private struct Table<Object: ManagedObject> {
    var rows: [(kind: String, predicate: Predicate<Object>)] = []

    mutating func add(_ kind: String, _ predicate: Predicate<Object>) { rows.append((kind, predicate)) }
  }

  /// Everything that can be asked of a reading.
  static var all: [(kind: String, predicate: Predicate<Reading>)] {
    comparisons + optionals + collections + constants
  }

  private static var comparisons: [(kind: String, predicate: Predicate<Reading>)] {
    var table = Table<Reading>()
    let limit = 1.0
    let date = Date(timeIntervalSinceReferenceDate: 0)
    let key = UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9))
    table.add("Value", #Predicate { _ in true })
    table.add("Value", #Predicate { $0.size > limit })
    table.add("Variable", #Predicate { $0.flag })
    table.add("Equal", #Predicate { $0.name == "ab" })
    table.add("Equal", #Predicate { $0.key == key })
    table.add("Equal", #Predicate { $0.name == "a\0b" })
    table.add("Equal", #Predicate { ($0.count == 4) == true })
    table.add("NotEqual", #Predicate { $0.depth != 1 })
    table.add("NotEqual", #Predicate { ($0.note ?? "x") != $0.name })
    table.add("Comparison", #Predicate { $0.size < 1 })
    table.add("Comparison", #Predicate { $0.count <= 2 && $0.count > -1 })
    table.add("Comparison", #Predicate { $0.level >= 0.1 })
    table.add("Comparison", #Predicate { $0.name > "a" && "b" >= $0.name })
    table.add("Conjunction", #Predicate { $0.flag && $0.short == 1 && $0.size >= 0 })
    table.add("Disjunction", #Predicate { $0.flag || $0.short == 1 || $0.size >= 2 })
    table.add("Negation", #Predicate { !($0.depth == nil || $0.flag) })
    table.add("KeyPath", #Predicate { $0.name.isEmpty })
    table.add("KeyPath", #Predicate { $0.station?.name == "north" })
    table.add("NilLiteral", #Predicate { $0.time == nil || $0.time == date })
    return table.rows
  }

  private static var optionals: [(kind: String, predicate: Predicate<Reading>)] {
    var table = Table<Reading>()
    table.add("ForcedUnwrap", #Predicate { $0.depth != nil && $0.depth! > 0 })
    table.add("NilCoalesce", #Predicate { ($0.depth ?? 5) > 1 })
    table.add("NilCoalesce", #Predicate { ($0.depth ?? $0.size) <= 1 })
    table.add("NilCoalesce", #Predicate { ($0.note ?? "a") == $0.name })
    table.add("NilCoalesce", #Predicate { $0.maybe ?? $0.flag })
    table.add("NilCoalesce", #Predicate { $0.name.contains($0.note ?? "b") })
    table.add("NilCoalesce", #Predicate { $0.note?.isEmpty ?? $0.flag })
    table.add("OptionalFlatMap", #Predicate { $0.note?.isEmpty == true })
    table.add("OptionalFlatMap", #Predicate { $0.depth.flatMap { $0 > 0 } ?? true })
    table.add("OptionalFlatMap", #Predicate { $0.station?.height == nil })
    table.add("OptionalFlatMap", #Predicate { ($0.station?.height ?? 0) < 1 })
    table.add("Conditional", #Predicate { ($0.flag ? 1 : 7) == $0.short })
    table.add("Conditional", #Predicate { $0.flag ? $0.size > 0 : $0.name.isEmpty })
    return table.rows
  }

  private static var collections: [(kind: String, predicate: Predicate<Reading>)] {
    var table = Table<Reading>()
    let words = ["a", "été"]
    let depths: Set<Double?> = [nil, 1]
    let sizes = 0.0...1
    table.add("SequenceContains", #Predicate { words.contains($0.name) })
    table.add("SequenceContains", #Predicate { depths.contains($0.depth) })
    table.add("SequenceContains", #Predicate { [1, 7].contains($0.short) })
    table.add("RangeExpressionContains", #Predicate { sizes.contains($0.size) })
    table.add("ClosedRange", #Predicate { (0...2).contains($0.count) })
    table.add("Range", #Predicate { (0..<2).contains($0.count) })
    table.add("CollectionContainsCollection", #Predicate { $0.name.contains("b") })
    table.add("CollectionContainsCollection", #Predicate { "abc".contains($0.name) })
    table.add("SequenceStartsWith", #Predicate { $0.name.starts(with: "a") })
    table.add("SequenceStartsWith", #Predicate { ($0.note ?? "").starts(with: "ab") })
    table.add("SequenceContainsWhere", #Predicate { reading in words.contains { $0 == reading.name } })
    table.add("SequenceAllSatisfy", #Predicate { reading in words.allSatisfy { $0 > reading.name } })
    return table.rows
  }

  /// Expressions that have a meaning where they depend on no object.
  private static var constants: [(kind: String, predicate: Predicate<Reading>)] {
    var table = Table<Reading>()
    let words = ["a", "ab", "abc"]
    let numbers: [Int64] = [4, 2, 1]
    let names = ["short": "ab"]
    let half = 0.5
    table.add("Arithmetic", #Predicate { $0.size > half * 2 - 1 + half })
    table.add("FloatDivision", #Predicate { $0.size >= half / 2 })
    table.add("IntDivision", #Predicate { $0.count == 9 / 4 })
    table.add("IntRemainder", #Predicate { $0.count == 9 % 4 })
    table.add("UnaryMinus", #Predicate { $0.size > -half })
    table.add("CollectionIndexSubscript", #Predicate { $0.name == words[1] })
    table.add("CollectionRangeSubscript", #Predicate { words[0..<2].contains($0.name) })
    table.add("DictionaryKeySubscript", #Predicate { $0.note == names["short"] })
    table.add("DictionaryKeyDefaultValueSubscript", #Predicate { $0.name == names["long", default: "abc"] })
    table.add("SequenceMinimum", #Predicate { $0.count == (numbers.min() ?? 0) })
    table.add("SequenceMaximum", #Predicate { $0.count >= (numbers.max() ?? 0) })
    table.add("Filter", #Predicate { words.filter { $0 != "ab" }.contains($0.name) })
    return table.rows + built
  }

  private typealias Build = PredicateExpressions

  /// Expressions that the macro does not write, or only where the compiler knows the answer.
  private static var built: [(kind: String, predicate: Predicate<Reading>)] {
    var table = Table<Reading>()
    let yes = Build.build_Arg(true)
    table.add(
      "TypeCheck",
      Predicate { reading in
        Build.build_Equal(
          lhs: Build.TypeCheck<_, Bool>(yes),
          rhs: Build.build_KeyPath(root: Build.build_Arg(reading), keyPath: \.flag))
      })
    table.add(
      "ConditionalCast",
      Predicate { reading in
        Build.build_Equal(
          lhs: Build.ConditionalCast<_, Bool>(yes),
          rhs: Build.build_KeyPath(root: Build.build_Arg(reading), keyPath: \.maybe))
      })
    table.add("ForceCast", Predicate { _ in Build.ForceCast<_, Bool>(yes) })
    return table.rows
  }

  /// What can be asked about the members of a relationship.
  static var ofStations: [(kind: String, predicate: Predicate<ReadingStation>)] {
    var table = Table<ReadingStation>()
    table.add("KeyPath", #Predicate { $0.readings.isEmpty })
    table.add("KeyPath", #Predicate { $0.readings.count > 10 })
    table.add("SequenceContainsWhere", #Predicate { $0.readings.contains { $0.size > 1 && $0.flag } })
    table.add("SequenceAllSatisfy", #Predicate { $0.readings.allSatisfy { $0.name != "b" } })
    table.add("Filter", #Predicate { $0.readings.filter { $0.depth == nil }.isEmpty })
    table.add("Filter", #Predicate { $0.readings.filter { $0.flag }.contains { $0.short > 1 } })
    return table.rows
  }

  /// Orders: of each type, of nils, reversed, over a to-one.
  static var descriptors: [[SortDescriptor<Reading>]] {
    [
      [SortDescriptor(\.name)], [SortDescriptor(\.name, order: .reverse)], [SortDescriptor(\.note)],
      [SortDescriptor(\.name, comparator: .lexical)],
      [SortDescriptor(\.note, comparator: .lexical, order: .reverse)],
      [SortDescriptor(\.depth), SortDescriptor(\.size, order: .reverse)],
      [SortDescriptor(\.price, order: .reverse), SortDescriptor(\.level)],
      [SortDescriptor(\.count)], [SortDescriptor(\.time, order: .reverse), SortDescriptor(\.short)],
      [SortDescriptor(\.station?.name), SortDescriptor(\.count, order: .reverse)],
      [SortDescriptor(\.station?.height, order: .reverse)],
    ]
  }
}

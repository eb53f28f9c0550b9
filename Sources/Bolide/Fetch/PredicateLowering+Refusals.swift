import BolideStorage
import Foundation

// What has no counterpart: which part it is, which properties it speaks of, and what to write instead.

extension PredicateLowering {
  /// The error for a part without a counterpart, with the properties it speaks of.
  func unsupported(_ expression: some PredicateExpression) -> BolideError {
    var paths: [String] = []
    collectNames(in: expression, depth: 0, into: &paths)
    let over = paths.isEmpty ? "" : " over \(paths.joined(separator: ", "))"
    let refusal = Self.refusal(of: expression)
    return BolideError(
      .predicateUnsupportedExpression, "\(refusal.words)\(over) cannot become a condition",
      remedy: refusal.alternative)
  }

  /// The error for a key path that leads to no stored property.
  func unknown(_ keyPath: AnyKeyPath, in expression: some PredicateExpression) -> BolideError {
    var paths: [String] = []
    collectNames(in: expression, depth: 0, into: &paths)
    let over = paths.isEmpty ? "" : " over \(paths.joined(separator: ", "))"
    return BolideError(
      .predicateUnsupportedExpression, "\(Self.words(for: keyPath))\(over) is no stored property",
      remedy: "use a stored property, or count or isEmpty of a relationship; keep what is computed in an "
        + "attribute of its own, such as a @Derived one")
  }

  static func unsupported(captured type: Any.Type) -> BolideError {
    BolideError(
      .predicateUnsupportedExpression,
      "a captured value of type \(type) cannot stand in a condition, or is an object that was not saved",
      remedy: "capture a value of an attribute's type, the objectID of a saved object, or a list or range of "
        + "these")
  }

  private func collectNames(in expression: Any, depth: Int, into names: inout [String]) {
    guard depth < 32 else { return }
    for child in Mirror(reflecting: expression).children {
      if let keyPath = child.value as? AnyKeyPath {
        if let name = name(keyPath), !names.contains(name) { names.append(name) }
      } else if child.value is any PredicateExpression {
        collectNames(in: child.value, depth: depth + 1, into: &names)
      }
    }
  }

  /// What messages call a key path: the names of computed properties are not known when a program runs.
  static func words(for keyPath: AnyKeyPath) -> String {
    if keyPath == \String.count { return "String.count" }
    let type = type(of: keyPath)
    return "the key path from \(type.rootType) to \(type.valueType)"
  }

  /// The name of an expression's generic type.
  private static func kind(of expression: Any) -> String {
    String(String(describing: type(of: expression)).prefix { $0 != "<" })
  }

  // MARK: Constants

  /// The value of a part that depends on no object and computes no number, which might be out of range and trap.
  static func constant(_ expression: some PredicateExpression) -> LoweredExpression? {
    guard isConstant(expression, depth: 0), let value = try? expression.evaluate(PredicateBindings()) else {
      return nil
    }
    return LoweredExpression(captured: value)
  }

  private static let computingKinds: Set<String> = [
    "Arithmetic", "FloatDivision", "IntDivision", "IntRemainder", "UnaryMinus",
  ]

  private static func isConstant(_ expression: Any, depth: Int) -> Bool {
    guard depth < 32, !computingKinds.contains(kind(of: expression)) else { return false }
    if kind(of: expression) == "Value" { return true }
    return Mirror(reflecting: expression).children.allSatisfy { child in
      !(child.value is any PredicateExpression) || isConstant(child.value, depth: depth + 1)
    }
  }

  // MARK: Words

  private typealias Refusal = (words: String, alternative: String)

  private static func refusal(of expression: Any) -> Refusal {
    let kind = kind(of: expression)
    if kind == "KeyPath", let alternative = refusals[kind]?.alternative {
      let keyPath = Mirror(reflecting: expression).children.lazy.compactMap { $0.value as? AnyKeyPath }.first
      if let keyPath { return (words(for: keyPath), alternative) }
    }
    return refusals[kind]
      ?? (
        "the expression \(kind)", "write the part with comparisons, &&, ||, ! and nil tests over properties"
      )
  }

  private static let refusals: [String: Refusal] = {
    let computed =
      "compute constants before the predicate, and keep what is computed from properties in an attribute of "
      + "its own"
    let sides = "write a property or relationship on one side and a constant or a property on the other"
    let members =
      "ask about members with contains(where:), allSatisfy(_:), count, isEmpty or filter(_:).isEmpty, and about "
      + "one object inside the closure"
    let kinds = "fetch the class in question, or keep the kind of an object in an attribute and compare that"
    let elements = "keep the element in an attribute of its own, or ask for it with contains(_:)"
    let texts = "use contains(_:) or starts(with:) on texts, or LIKE in Condition(parsing:)"
    let aggregates = "use an aggregate in text, as in Condition(parsing: \"items.price.@max > 3\")"
    return [
      "Arithmetic": ("arithmetic with +, - or *", computed), "FloatDivision": ("division", computed),
      "IntDivision": ("division", computed), "IntRemainder": ("the remainder %", computed),
      "UnaryMinus": ("a minus", computed),
      "CollectionContainsCollection": ("contains(_:) with a collection", texts),
      "StringContainsRegex": ("contains(_:) with a regex", texts),
      "SequenceStartsWith": ("starts(with:)", texts),
      "SequenceContains": ("contains(_:)", members), "SequenceContainsWhere": ("contains(where:)", members),
      "SequenceAllSatisfy": ("allSatisfy(_:)", members), "Filter": ("filter(_:)", members),
      "SequenceMinimum": ("min()", aggregates), "SequenceMaximum": ("max()", aggregates),
      "Conditional": ("a conditional with if or ?:", sides),
      "TypeCheck": ("a test with `is`", kinds), "ConditionalCast": ("a cast with `as?`", kinds),
      "ForceCast": ("a cast with `as!`", kinds),
      "CollectionIndexSubscript": ("a subscript", elements),
      "CollectionRangeSubscript": ("a subscript with a range", elements),
      "DictionaryKeySubscript": ("a subscript with a key", elements),
      "DictionaryKeyDefaultValueSubscript": ("a subscript with a key and a default", elements),
      "ExpressionEvaluate": ("evaluate(_:)", "write the expression in the predicate itself"),
      "Equal": ("a test with ==", sides), "NotEqual": ("a test with !=", sides),
      "Comparison": ("a comparison", sides),
      "RangeExpressionContains": ("contains(_:) of a range", sides),
      "Range": ("a range", sides), "ClosedRange": ("a closed range", sides),
      "NilCoalesce": ("the operator ??", "write the nil test and the comparison with || or &&"),
      "OptionalFlatMap": ("optional chaining", "write the nil test and the comparison with || or &&"),
      "KeyPath": ("a key path", "begin key paths at the object, and follow to-one relationships only"),
      "Variable": ("the object itself", "compare its objectID"),
    ]
  }()
}

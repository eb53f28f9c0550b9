import BolideStorage

/// The codes about predicates and sort terms.
extension ErrorCode {
  public static let predicateSyntax = ErrorCode(
    "predicate.syntax", meaning: "The text is no predicate or list of sort terms.",
    remedy: "correct the text at the column named")
  public static let predicateUnsupported = ErrorCode(
    "predicate.unsupported", meaning: "The predicate uses a form that Bolide does not have.",
    remedy: "use comparisons, text operators, IN, BETWEEN, ANY, ALL, NONE, AND, OR and NOT")
  public static let predicateUnsupportedExpression = ErrorCode(
    "predicate.unsupported-expression", meaning: "A part of a #Predicate cannot be turned into a condition.",
    remedy: "write the part with comparisons, &&, ||, ! and nil tests over stored properties")
  public static let predicateType = ErrorCode(
    "predicate.type", meaning: "The sides of a comparison are not of one type.",
    remedy: "write a literal of the attribute's type")
  public static let predicateUnknownPath = ErrorCode(
    "predicate.unknown-path", meaning: "The predicate names a property that is not there.",
    remedy: "use a property of the entity; names are case-sensitive")
  public static let predicateDepth = ErrorCode(
    "predicate.depth", meaning: "The predicate is nested too deeply.",
    remedy: "use lists such as IN {…} and chains of AND or OR instead of nested parentheses")

  public static let predicateToMany = ErrorCode(
    "predicate.to-many", meaning: "A path over a to-many relationship stands where one value is needed.",
    remedy: "write ANY, ALL or NONE before it, or @count, @sum, @min, @max or @avg after it")
  public static let predicateArgument = ErrorCode(
    "predicate.argument", meaning: "The arguments or variables given do not fit the text of a predicate.",
    remedy: "give one argument for each %@ and %K, and a value for each $variable")
  public static let aggregateOverflow = ErrorCode(
    "aggregate.overflow",
    meaning: "A sum is beyond the range of its type, or infinities of both signs are in it.",
    remedy: "sum fewer objects, or keep the attribute as a double")
  public static let fetchColumn = ErrorCode(
    "fetch.column", meaning: "A grouped fetch asks for a property that may differ within a group.",
    remedy: "group by the property, or take its @min, @max, @sum or @avg")

  /// Every code about predicates.
  public static let predicateCodes: [ErrorCode] = [
    predicateSyntax, predicateUnsupported, predicateUnsupportedExpression, predicateType,
    predicateUnknownPath, predicateDepth, predicateToMany, predicateArgument, aggregateOverflow, fetchColumn,
  ]
}

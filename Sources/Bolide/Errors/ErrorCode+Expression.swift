import BolideStorage

/// The codes about expressions over rows.
extension ErrorCode {
  public static let expressionSyntax = ErrorCode(
    "expression.syntax", meaning: "The text is no expression over a row.",
    remedy: "correct the text at the column named")
  public static let expressionType = ErrorCode(
    "expression.type", meaning: "The parts of an expression, or it and its attribute, do not fit together.",
    remedy: "use values of the attribute's kind; integers become decimals and doubles by themselves")
  public static let expressionOverflow = ErrorCode(
    "expression.overflow",
    meaning: "The result of an expression is out of its attribute's or its type's range.",
    remedy: "leave the objects named out, or use a wider type; nothing was written")
  public static let expressionDivision = ErrorCode(
    "expression.division-by-zero", meaning: "An expression divides by zero.",
    remedy: "leave out the objects where the divisor is 0; nothing was written")

  /// Every code about expressions.
  public static let expressionCodes: [ErrorCode] = [
    expressionSyntax, expressionType, expressionOverflow, expressionDivision,
  ]
}

import BolideStorage

/// The text form of expressions, which ``RowExpression/init(parsing:)`` reads back.
extension RowExpression: CustomStringConvertible {
  public var description: String {
    switch self {
    case .operand(let operand): operand.description
    case .negated(let part): "-\(part.isClosed ? part.description : "(\(part))")"
    case .arithmetic(let left, let symbol, let right):
      "\(left.text(onTheLeftOf: symbol)) \(symbol.rawValue) \(right.text(onTheRightOf: symbol))"
    case .call(let function, let arguments):
      "\(function.rawValue)(\(arguments.map(\.description).joined(separator: ", ")))"
    }
  }

  /// Whether the text needs no parentheses after a minus sign.
  private var isClosed: Bool {
    switch self {
    case .operand(.literal), .arithmetic: false
    case .operand, .negated, .call: true
    }
  }

  private func text(onTheLeftOf symbol: ArithmeticOperator) -> String {
    guard case .arithmetic(_, let inner, _) = self, symbol.isProduct, !inner.isProduct else {
      return description
    }
    return "(\(self))"
  }

  private func text(onTheRightOf symbol: ArithmeticOperator) -> String {
    guard case .arithmetic(_, let inner, _) = self, symbol.isProduct || !inner.isProduct else {
      return description
    }
    return "(\(self))"
  }

  /// Reads the text form of an expression.
  ///
  /// Attributes, paths over to-one relationships, aggregates of members, constants as predicates have them, `+`, `-`,
  /// `*`, `/`, parentheses and the functions of ``ExpressionFunction``. A nil makes arithmetic and text functions nil;
  /// `coalesce(count, 0)` stands for what is to be there instead.
  /// - Throws: `expression.syntax` with a column.
  public init(parsing text: String) throws(BolideError) {
    do throws(BolideError) {
      var parser = try ExpressionParser(text)
      self = try parser.whole()
    } catch {
      guard error.code == .predicateSyntax else { throw error }
      throw BolideError(.expressionSyntax, error.message, payload: error.payload)
    }
  }
}

extension RowExpression: Codable {
  public init(from decoder: any Decoder) throws {
    self = try decoder.parsedText { text throws(BolideError) in try Self(parsing: text) }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

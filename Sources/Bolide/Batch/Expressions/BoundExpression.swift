import BolideStorage

/// An expression made ready for the rows of one entity, as new values of one attribute (rule R-6).
struct BoundExpression: Sendable {
  /// What is computed.
  indirect enum Node: Sendable {
    case source(OperandSource)
    case now
    case negated(Node)
    case arithmetic(Node, ArithmeticOperator, Node)
    case call(ExpressionFunction, [Node])
    /// A number brought to another kind.
    case converted(Node, ExpressionKind)
  }

  /// The attribute.
  let property: PropertyMap
  /// Its column.
  let column: Int
  /// Its type.
  let type: ValueType
  /// The columns of a row that the expression reads.
  private(set) var columns = ColumnSet()
  let node: Node
  private let text: String
  private let name: String

  /// Checks an expression against the model and binds it.
  ///
  /// - Throws: `expression.type`, `schema.unknown-property`, `batch.relationship`, `batch.derived`.
  init(_ expression: RowExpression, for name: String, of entity: EntityMap, map: SchemaMap)
    throws(BolideError)
  {
    column = try entity.settableColumn(name, of: .null)
    property = try entity.property(name)
    type = entity.format.types[column]
    self.name = "\(entity.name).\(name)"
    text = expression.description
    var binder = ExpressionBinder(scope: EntityScope(entity, in: map), subject: self.name)
    if case .operand(.literal(let value)) = expression {
      guard let converted = value.converted(to: type), converted.fits(type) else {
        throw binder.mismatch("takes \(type.rawValue)", ExpressionKind(value)?.words ?? "an object")
      }
      node = .source(.literal(converted))
      return
    }
    let (bound, kind) = try binder.bind(expression, depth: 0)
    guard kind.fits(type) else { throw binder.mismatch("takes \(type.rawValue)", kind.words) }
    node = bound
    columns = binder.columns
  }

  /// The value for a row; errors name the object.
  ///
  /// - Throws: `expression.overflow`, `expression.division-by-zero`, and what reading throws.
  func value(
    _ row: RowView, number: Number, entity: EntityMap, reader: any Reader, now: Value
  ) throws(BolideError) -> Value {
    do throws(BolideError) {
      let evaluation = ExpressionEvaluation(row: row, number: number, reader: reader, now: now)
      return try evaluation.value(node).stored(as: type)
    } catch {
      guard error.code == .expressionOverflow || error.code == .expressionDivision else { throw error }
      var error = error
      error.message = "\(entity.name)#\(number).\(property.name) = \(text): \(error.message)"
      throw error
    }
  }
}

/// Finds the kinds of the parts of an expression and refuses what does not fit together.
struct ExpressionBinder {
  let scope: EntityScope
  /// What is set, for messages.
  let subject: String
  var columns = ColumnSet()

  typealias Bound = (node: BoundExpression.Node, kind: ExpressionKind)

  init(scope: EntityScope, subject: String) {
    self.scope = scope
    self.subject = subject
  }

  func mismatch(_ wanted: String, _ given: String) -> BolideError {
    BolideError(.expressionType, "\(subject): \(wanted) and was given \(given)")
  }

  mutating func bind(_ expression: RowExpression, depth: Int) throws(BolideError) -> Bound {
    guard depth <= RowExpression.maximumDepth else {
      throw BolideError(
        .expressionSyntax, "\(subject): the expression is nested more than \(RowExpression.maximumDepth) deep"
      )
    }
    switch expression {
    case .operand(let operand): return try bind(operand)
    case .negated(let part):
      let part = try bind(part, depth: depth + 1)
      guard part.kind.isNumber || part.kind == .none else {
        throw mismatch("- takes a number", part.kind.words)
      }
      return (.negated(part.node), part.kind)
    case .arithmetic(let left, let symbol, let right):
      let left = try bind(left, depth: depth + 1)
      let right = try bind(right, depth: depth + 1)
      return try join(left, symbol, right)
    case .call(let function, let arguments):
      guard function.argumentCount.contains(arguments.count) else {
        throw BolideError(
          .expressionSyntax,
          "\(subject): \(function.rawValue) \(function.argumentWords), and \(arguments.count) are given")
      }
      var bound: [Bound] = []
      for argument in arguments { bound.append(try bind(argument, depth: depth + 1)) }
      return try call(function, bound)
    }
  }

  private mutating func bind(_ operand: Operand) throws(BolideError) -> Bound {
    if case .literal(let value) = operand {
      guard let kind = ExpressionKind(value), !value.isNaN else {
        throw mismatch("a constant is a value", value.isNaN ? "NaN" : "an object")
      }
      if case .float(let number) = value { return (.source(.literal(.double(Double(number)))), kind) }
      return (.source(.literal(value)), kind)
    }
    do throws(BolideError) {
      let type = try operand.type(in: scope)
      let source = try OperandSource(operand, scope: scope)
      guard let type, let kind = ExpressionKind(type.type) else {
        throw BolideError(.expressionType, "\(subject): \(operand) is an object, and no value")
      }
      source.collectColumns(into: &columns)
      return (.source(source), kind)
    } catch {
      switch error.code {
      case .predicateUnknownPath: throw BolideError(.schemaUnknownProperty, "\(subject): \(error.message)")
      case .predicateToMany, .predicateType, .predicateUnsupported:
        throw BolideError(.expressionType, "\(subject): \(error.message)")
      default: throw error
      }
    }
  }

  // MARK: Arithmetic

  private func join(
    _ left: Bound, _ symbol: ArithmeticOperator, _ right: Bound
  ) throws(BolideError) -> Bound {
    let (left, right) = (Self.exact(left, beside: right.kind), Self.exact(right, beside: left.kind))
    let node = BoundExpression.Node.arithmetic(left.node, symbol, right.node)
    switch (left.kind, symbol, right.kind) {
    case (.none, _, .none): return (node, .none)
    case (.date, .subtract, .date): return (node, .double)
    case (.date, .add, .integer), (.date, .add, .double), (.date, .add, .none),
      (.date, .subtract, .integer), (.date, .subtract, .double), (.integer, .add, .date),
      (.double, .add, .date), (.none, .add, .date):
      return (node, .date)
    case (let kind, _, let other) where kind.isNumber || other.isNumber:
      guard let joined = kind.joined(with: other), joined.isNumber else { break }
      return (.arithmetic(Self.convert(left, to: joined), symbol, Self.convert(right, to: joined)), joined)
    default: break
    }
    let remedy =
      left.kind == .text || right.kind == .text
      ? "join texts with concat(…)" : ErrorCode.expressionType.remedy
    throw BolideError(
      .expressionType,
      "\(subject): \(symbol.rawValue) does not join \(left.kind.words) and \(right.kind.words)",
      remedy: remedy)
  }

  private static func convert(_ bound: Bound, to kind: ExpressionKind) -> BoundExpression.Node {
    bound.kind == kind || bound.kind == .none ? bound.node : .converted(bound.node, kind)
  }

  /// A double that was written beside a decimal is the decimal that it prints as.
  private static func exact(_ bound: Bound, beside other: ExpressionKind) -> Bound {
    guard other == .decimal, case .source(.literal(let value)) = bound.node, bound.kind == .double,
      let decimal = value.converted(to: .decimal)
    else { return bound }
    return (.source(.literal(decimal)), .decimal)
  }

  // MARK: Functions

  private func call(_ function: ExpressionFunction, _ arguments: [Bound]) throws(BolideError) -> Bound {
    let node = BoundExpression.Node.call(function, arguments.map(\.node))
    switch function {
    case .now: return (.now, .date)
    case .uppercase, .lowercase, .canonical, .trim, .concat, .replace:
      for argument in arguments where argument.kind != .text && argument.kind != .none {
        throw mismatch("\(function.rawValue) takes a text", argument.kind.words)
      }
      return (node, .text)
    case .length:
      guard [.text, .binary, .none].contains(arguments[0].kind) else {
        throw mismatch("length takes a text or a binary", arguments[0].kind.words)
      }
      return (node, .integer)
    case .abs:
      guard arguments[0].kind.isNumber || arguments[0].kind == .none else {
        throw mismatch("abs takes a number", arguments[0].kind.words)
      }
      return (node, arguments[0].kind)
    case .coalesce:
      var kind = ExpressionKind.none
      let hasDecimal = arguments.contains { $0.kind == .decimal }
      let arguments = arguments.map { hasDecimal ? Self.exact($0, beside: .decimal) : $0 }
      for argument in arguments {
        guard let joined = kind.joined(with: argument.kind) else {
          throw BolideError(
            .expressionType, "\(subject): coalesce does not join \(kind.words) and \(argument.kind.words)")
        }
        kind = joined
      }
      return (.call(.coalesce, arguments.map { Self.convert($0, to: kind) }), kind)
    }
  }
}

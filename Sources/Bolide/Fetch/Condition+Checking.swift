import BolideStorage

/// Checking a condition against what it speaks of.
extension Condition {
  /// The condition with every path known, both sides of each comparison of one type, and literals
  /// brought to that type.
  ///
  /// - Throws: `predicate.unknown-path`, `predicate.type`, `predicate.to-many`, `predicate.unsupported`,
  ///   `predicate.depth`.
  package func checked(in scope: any ConditionScope) throws(BolideError) -> Condition {
    try checked(in: scope, depth: 0)
  }

  private func checked(in scope: any ConditionScope, depth: Int) throws(BolideError) -> Condition {
    guard depth <= Self.maximumDepth else { throw Self.tooDeep() }
    switch self {
    case .true, .false: return self
    case .and(let parts): return .and(try Self.checked(parts, in: scope, depth: depth))
    case .or(let parts): return .or(try Self.checked(parts, in: scope, depth: depth))
    case .not(let part): return .not(try part.checked(in: scope, depth: depth + 1))
    case .compare(let left, let comparison, let right, let options):
      let sides = try Self.checked(left, comparison, right, options, in: scope)
      return .compare(sides.0, comparison, sides.1, options)
    case .in(let operand, let values, let options):
      guard let type = try operand.type(in: scope) else {
        throw BolideError(.predicateType, "IN asks about \(operand), which is a constant")
      }
      if !options.isEmpty { try Self.checkText("IN", options, type, operand.words(in: scope)) }
      var converted: [Value] = []
      converted.reserveCapacity(values.count)
      for value in values { converted.append(try value.converted(to: type, of: operand.words(in: scope))) }
      return .in(operand, converted, options)
    case .members(let quantifier, let path, let condition):
      let members = try scope.members(of: path)
      return .members(quantifier, path, try condition.checked(in: members, depth: depth + 1))
    }
  }

  private static func checked(
    _ parts: [Condition], in scope: any ConditionScope, depth: Int
  ) throws(BolideError) -> [Condition] {
    var result: [Condition] = []
    result.reserveCapacity(parts.count)
    for part in parts { result.append(try part.checked(in: scope, depth: depth + 1)) }
    return result
  }

  static func tooDeep() -> BolideError {
    BolideError(.predicateDepth, "the predicate is nested more than \(maximumDepth) deep")
  }

  private static func checked(
    _ left: Operand, _ comparison: Comparison, _ right: Operand, _ options: TextOptions,
    in scope: any ConditionScope
  ) throws(BolideError) -> (Operand, Operand) {
    var left = left
    var right = right
    let (leftWords, rightWords) = (left.words(in: scope), right.words(in: scope))
    let leftType = try left.type(in: scope)
    let rightType = try right.type(in: scope)
    if let type = leftType ?? rightType, comparison.needsText || !options.isEmpty {
      try checkText(comparison.rawValue, options, type, leftType == nil ? rightWords : leftWords)
    }
    switch (leftType, rightType) {
    case (let leftType?, let rightType?):
      guard leftType.isComparable(with: rightType) else {
        throw BolideError(
          .predicateType, "\(leftWords) is \(leftType.words), but \(rightWords) is \(rightType.words)")
      }
    case (let type?, nil): right = try right.converted(to: type, of: leftWords)
    case (nil, let type?): left = try left.converted(to: type, of: rightWords)
    case (nil, nil):
      // Two constants: whichever of the two types takes the other.
      if case .literal(let a) = left, case .literal(let b) = right, let type = b.type ?? a.type {
        if comparison.needsText || !options.isEmpty {
          try checkText(comparison.rawValue, options, OperandType(type), rightWords)
        }
        if let converted = a.converted(to: type) {
          left = .literal(converted)
        } else {
          right = try right.converted(to: OperandType(a.type ?? type), of: leftWords)
        }
      }
    }
    if comparison.needsOrder, (leftType ?? rightType)?.type == .reference {
      throw BolideError(
        .predicateType,
        "objects have no order, so \(leftWords) \(comparison.rawValue) \(rightWords) says nothing")
    }
    return (left, right)
  }

  private static func checkText(
    _ comparison: String, _ options: TextOptions, _ type: OperandType, _ words: String
  ) throws(BolideError) {
    guard type.type == .string || type.type == .uri else {
      throw BolideError(
        .predicateType, "\(comparison)\(options.text) is about texts, but \(words) is \(type.words)")
    }
    if options.contains(.natural) {
      throw BolideError(.predicateUnsupported, "natural order, [n], is for sort terms")
    }
  }
}

extension Operand {
  /// The type of the operand; `nil` for a literal, which takes its type from the other side.
  func type(in scope: any ConditionScope) throws(BolideError) -> OperandType? {
    switch self {
    case .path(let path): return try scope.type(of: path)
    case .literal: return nil
    case .object(let entity, _): return try scope.type(ofObjectsOf: entity)
    case .stored(let id): return try scope.type(ofObjectsOf: id.entityName)
    case .itself:
      guard let type = scope.itself else {
        throw BolideError(.predicateUnknownPath, "there is no SELF here")
      }
      return type
    case .aggregate(let aggregate, let path): return try scope.type(of: aggregate, over: path)
    }
  }

  /// What messages call the operand: never the value of a constant that may be long.
  fileprivate func words(in scope: any ConditionScope) -> String {
    switch self {
    case .itself: scope.itselfWords
    case .literal(.string), .literal(.uri): "a text"
    case .literal(.binary): "a binary"
    default: description
    }
  }

  fileprivate func converted(to type: OperandType, of other: String) throws(BolideError) -> Operand {
    guard case .literal(let value) = self else { return self }
    return .literal(try value.converted(to: type, of: other))
  }
}

extension Value {
  fileprivate func converted(to type: OperandType, of other: String) throws(BolideError) -> Value {
    // Where objects of any entity are meant, a number stands for them.
    if type.type == .reference, type.root == nil, case .int(let number) = self, number > 0 {
      return .reference(number)
    }
    guard let converted = converted(to: type.type) else {
      throw BolideError(
        .predicateType, "\(other) is \(type.words), but it is compared with \(words)",
        details: [ConditionLexer.shown(CanonicalText.text(self))])
    }
    return converted
  }

  private var words: String {
    switch self {
    case .null: "nil"
    case .bool: "a boolean"
    case .int: "an integer"
    case .double(let number) where number.isNaN: "NaN, which is no value"
    case .float(let number) where number.isNaN: "NaN, which is no value"
    case .double, .float, .decimal: "a number with a fraction or out of range"
    case .date: "a date"
    case .string: "a string"
    case .uuid: "a uuid"
    case .uri: "a URI"
    case .binary: "a binary"
    case .reference: "an object"
    }
  }
}

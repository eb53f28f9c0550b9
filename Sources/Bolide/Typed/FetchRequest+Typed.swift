import BolideStorage
import Foundation

extension FetchRequest {
  /// Asks for all objects of the class's entity, by number.
  public init() { self.init(entity: Object.entityName) }

  /// Asks by class, with a predicate and an order over its properties.
  ///
  /// A predicate, key path or string comparator that has no meaning in a store is reported when the request runs, as
  /// `predicate.unsupported-expression`.
  public init(
    _ type: Object.Type = Object.self, where predicate: Predicate<Object>? = nil,
    sort: [SortDescriptor<Object>] = [],
    limit: Int? = nil, offset: Int = 0
  ) {
    self.init(entity: Object.entityName, limit: limit, offset: offset)
    do throws(BolideError) {
      condition = try predicate.map { predicate throws(BolideError) in try Condition(lowering: predicate) }
      var terms: [SortTerm] = []
      for descriptor in sort { terms.append(try SortTerm(lowering: descriptor)) }
      self.sort = terms
    } catch {
      problem = error
    }
  }
}

extension Condition {
  /// Brings a predicate over a typed class to a condition.
  ///
  /// - Throws: `predicate.unsupported-expression`, which names the expression.
  init<Object: ManagedObject>(lowering predicate: Predicate<Object>) throws(BolideError) {
    try self.init(predicate, name: { ClassProbe.path($0)?.joined(separator: ".") })
  }
}

extension SortTerm {
  /// Brings a sort descriptor over a typed class to a term.
  ///
  /// - Throws: `predicate.unsupported-expression` for a key path over no stored properties, and for a comparator
  ///   that depends on the locale.
  init<Object: ManagedObject>(lowering descriptor: SortDescriptor<Object>) throws(BolideError) {
    guard let path = descriptor.keyPath.flatMap({ ClassProbe.path($0) }), !path.isEmpty else {
      throw BolideError(
        .predicateUnsupportedExpression,
        "the sort descriptor of \(Object.self) by \(descriptor.keyPath.map(PredicateLowering.words) ?? "no key path") "
          + "is by no stored property",
        remedy: "sort by an attribute, at the end of to-one relationships too, or set the request's sort to "
          + "terms such as SortTerm(\"items.@count\")")
    }
    if var comparator = descriptor.stringComparator {
      comparator.order = .forward
      if comparator != .lexical {
        throw BolideError(
          .predicateUnsupportedExpression,
          "the string comparator of the sort descriptor by \(path.joined(separator: ".")) is not .lexical: its order "
            + "follows a locale or options of Foundation's, which no store has",
          remedy: "use .lexical, or set the request's sort to a term such as "
            + "SortTerm(\"name\", options: [.caseInsensitive, .diacriticInsensitive, .natural])")
      }
    }
    self.init(path: path, ascending: descriptor.order == .forward)
  }
}

extension ManagedObjectID: PredicateLiteral {
  package var predicateOperand: Operand? {
    isTemporary ? nil : .stored(self)
  }
}

extension ManagedObject: PredicateLiteral {
  package var predicateOperand: Operand? { objectID.predicateOperand }
}

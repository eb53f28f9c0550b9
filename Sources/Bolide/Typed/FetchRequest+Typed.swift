import BolideStorage
import Foundation

extension FetchRequest {
  /// Asks for all objects of the class's entity, by number.
  public init() { self.init(entity: Object.entityName) }

  /// Asks by class, with a predicate and an order over its properties.
  ///
  /// A predicate or key path that has no meaning in a store is reported when the request runs, as
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
      for descriptor in sort {
        guard let path = descriptor.keyPath.flatMap({ ClassProbe.path($0) }) else {
          throw BolideError(
            .predicateUnsupportedExpression, "a sort descriptor of \(Object.self) is by no property path")
        }
        terms.append(SortTerm(path: path, ascending: descriptor.order == .forward))
      }
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

extension ManagedObjectID: PredicateLiteral {
  package var predicateOperand: Operand? {
    isTemporary ? nil : .object(entity: entityName, number: number)
  }
}

extension ManagedObject: PredicateLiteral {
  package var predicateOperand: Operand? { objectID.predicateOperand }
}

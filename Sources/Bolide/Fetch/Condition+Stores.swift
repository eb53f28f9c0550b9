import BolideStorage
import Foundation

/// Objects that a condition names by their ids.
extension Condition {
  /// The condition as a store is asked: its objects by their entities and numbers.
  ///
  /// - Throws: `context.foreign-object` for an object of another store.
  func named(in storeID: UUID) throws(BolideError) -> Condition {
    switch self {
    case .true, .false, .in: return self
    case .and(let parts): return .and(try Self.named(parts, in: storeID))
    case .or(let parts): return .or(try Self.named(parts, in: storeID))
    case .not(let part): return .not(try part.named(in: storeID))
    case .compare(let left, let comparison, let right, let options):
      return .compare(try left.named(in: storeID), comparison, try right.named(in: storeID), options)
    case .members(let quantifier, let path, let condition):
      return .members(quantifier, path, try condition.named(in: storeID))
    }
  }

  private static func named(_ parts: [Condition], in storeID: UUID) throws(BolideError) -> [Condition] {
    var result: [Condition] = []
    result.reserveCapacity(parts.count)
    for part in parts { result.append(try part.named(in: storeID)) }
    return result
  }

  /// The checked condition with a list where one operand is asked for several objects: an index and SQL take it whole.
  func joiningObjects() -> Condition {
    switch self {
    case .and(let parts): return .and(parts.map { $0.joiningObjects() })
    case .not(let part): return .not(part.joiningObjects())
    case .members(let quantifier, let path, let condition):
      return .members(quantifier, path, condition.joiningObjects())
    case .or(let parts):
      var lists: [Operand: [Value]] = [:]
      var operands: [Operand] = []
      var rest: [Condition] = []
      let parts = parts.map { $0.joiningObjects() }
      for part in parts {
        let found: (Operand, [Value])? =
          switch part {
          case .compare(let operand, .equal, .object(_, let number), []): (operand, [.reference(number)])
          case .in(let operand, let values, []): (operand, values)
          default: nil
          }
        guard let (operand, values) = found else {
          rest.append(part)
          continue
        }
        if lists[operand] == nil { operands.append(operand) }
        lists[operand, default: []] += values
      }
      let joined = operands.map { Condition.in($0, lists[$0] ?? []) } + rest
      if joined.count == parts.count { return .or(parts) }
      return joined.count == 1 ? joined[0] : .or(joined)
    case .true, .false, .compare, .in: return self
    }
  }
}

extension Operand {
  fileprivate func named(in storeID: UUID) throws(BolideError) -> Operand {
    guard case .stored(let id) = self else { return self }
    guard id.storeID == storeID else {
      throw BolideError(
        .contextForeign, "\(id) is an object of another store, which a condition names",
        remedy: "name the object of this store")
    }
    return .object(entity: id.entityName, number: id.number)
  }
}

extension FetchRequest {
  /// The request as a store is asked.
  ///
  /// - Throws: what is wrong with the request, and `context.foreign-object` for an object of another store.
  func named(in storeID: UUID) throws(BolideError) -> FetchRequest {
    FetchRequest(try terms.named(in: storeID))
  }
}

extension FetchTerms {
  fileprivate func named(in storeID: UUID) throws(BolideError) -> FetchTerms {
    if let problem { throw problem }
    var terms = self
    terms.condition = try condition?.named(in: storeID)
    terms.having = try having?.named(in: storeID)
    return terms
  }
}

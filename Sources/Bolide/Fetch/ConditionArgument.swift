import BolideStorage
import Foundation

/// A Swift value that can stand in the text of a condition, for `%@` or a `$variable`.
///
/// The types that attributes may have, objects and their ids, optionals, and arrays and sets of them are
/// arguments.
public protocol ConditionArgument {
  /// What the text is read with in its place.
  ///
  /// - Throws: `predicate.argument` for what is in no store.
  func conditionConstant() throws(BolideError) -> ConditionConstant
}

/// What a `%@` or `$variable` in the text of a condition stands for.
public enum ConditionConstant: Hashable, Sendable {
  /// One value, which may be nil.
  case value(Value)
  /// An object, by its entity and number, in whatever store is asked.
  case object(entity: String, number: Number)
  /// An object of one store.
  case stored(ManagedObjectID)
  /// A list, after IN or BETWEEN.
  case values([Value])
  /// A list in which objects are, after IN; beside them values such as nil.
  case objects([ManagedObjectID], values: [Value])
  /// A path, for `%K`.
  case path([String])
}

extension ConditionConstant: ConditionArgument {
  public func conditionConstant() throws(BolideError) -> ConditionConstant { self }
}

extension Value: ConditionArgument {
  public func conditionConstant() throws(BolideError) -> ConditionConstant { .value(self) }
}

extension AttributeValue where Self: ConditionArgument {
  public func conditionConstant() throws(BolideError) -> ConditionConstant { .value(storedValue) }
}

extension String: ConditionArgument {}
extension Bool: ConditionArgument {}
extension Double: ConditionArgument {}
extension Float: ConditionArgument {}
extension Int16: ConditionArgument {}
extension Int32: ConditionArgument {}
extension Int64: ConditionArgument {}
extension Int: ConditionArgument {}
extension Date: ConditionArgument {}
extension UUID: ConditionArgument {}
extension Decimal: ConditionArgument {}
extension Data: ConditionArgument {}
extension URL: ConditionArgument {}

extension Optional: ConditionArgument where Wrapped: ConditionArgument {
  public func conditionConstant() throws(BolideError) -> ConditionConstant {
    guard let wrapped = self else { return .value(.null) }
    return try wrapped.conditionConstant()
  }
}

extension ManagedObjectID: ConditionArgument {
  public func conditionConstant() throws(BolideError) -> ConditionConstant {
    if isTemporary {
      throw BolideError(
        .predicateArgument, "\(self) was not saved, so no condition can name it", remedy: "save it first")
    }
    return .stored(self)
  }
}

extension ManagedObject: ConditionArgument {
  public func conditionConstant() throws(BolideError) -> ConditionConstant {
    try objectID.conditionConstant()
  }
}

extension Sequence where Self: ConditionArgument, Element: ConditionArgument {
  public func conditionConstant() throws(BolideError) -> ConditionConstant {
    var values: [Value] = []
    var ids: [ManagedObjectID] = []
    for element in self {
      switch try element.conditionConstant() {
      case .value(let value): values.append(value)
      case .object(_, let number): values.append(.reference(number))
      case .stored(let id): ids.append(id)
      case .values, .objects, .path:
        throw BolideError(.predicateArgument, "a list in a list stands for nothing")
      }
    }
    return ids.isEmpty ? .values(values) : .objects(ids, values: values)
  }
}

extension Array: ConditionArgument where Element: ConditionArgument {}
extension Set: ConditionArgument where Element: ConditionArgument {}

/// The arguments and variables of one text.
struct ConditionConstants {
  private let arguments: [any ConditionArgument]
  private let variables: [String: any ConditionArgument]
  private var used = 0

  init(arguments: [any ConditionArgument], variables: [String: any ConditionArgument]) {
    self.arguments = arguments
    self.variables = variables
  }

  /// What a token stands for; `nil` for one that stands for itself.
  func peek(_ token: ConditionToken) throws(BolideError) -> ConditionConstant? {
    do throws(BolideError) {
      switch token.kind {
      case .variable(let name):
        guard let variable = variables[name] else {
          throw BolideError(
            .predicateArgument,
            "no value is given for $\(name)" + SchemaName.hint(for: name, among: Array(variables.keys)))
        }
        return try variable.conditionConstant()
      case .argument(let isPath):
        guard used < arguments.count else {
          throw BolideError(.predicateArgument, "there is no argument for \(token.text)")
        }
        let constant = try arguments[used].conditionConstant()
        return isPath ? .path(try Self.path(constant)) : constant
      default: return nil
      }
    } catch {
      throw Self.located(error, at: token.column)
    }
  }

  /// Goes on to the argument after the one of a token.
  mutating func pass(_ token: ConditionToken) {
    if case .argument = token.kind { used += 1 }
  }

  /// Refuses arguments that are left over at the end of the text.
  func finish(at column: Int) throws(BolideError) {
    guard used < arguments.count else { return }
    throw Self.located(
      BolideError(.predicateArgument, "the text takes \(used) arguments, but \(arguments.count) are given"),
      at: column)
  }

  private static func path(_ constant: ConditionConstant) throws(BolideError) -> [String] {
    switch constant {
    case .path(let path): return path
    case .value(.string(let text)):
      let names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      if names.allSatisfy(SchemaName.isWellFormed) { return names }
    default: break
    }
    throw BolideError(.predicateArgument, "the argument for %K is no path of property names")
  }

  private static func located(_ error: BolideError, at column: Int) -> BolideError {
    var error = error
    error.message = "column \(column): \(error.message)"
    error.payload = TextPosition(column: column)
    return error
  }
}

import BolideStorage
import Foundation

/// Resolving key paths: a key path is followed through a probe whose properties give values that nothing else gives.
///
/// So a computed property, which reads stored ones too, is told from them: what comes out is not what went in.
extension ClassProbe {
  @TaskLocal private static var trace: Trace?

  private final class Trace: @unchecked Sendable {
    /// Which of two values the properties give; two tell a boolean from a constant.
    let round: Int
    var visits: [Visit] = []

    init(round: Int) { self.round = round }
  }

  /// A property that a key path passed.
  private struct Visit {
    var name: String
    /// Whether an object has the property.
    var isOf: (ManagedObject) -> Bool
    /// Whether something is what the property gave.
    var gave: (Any) -> Bool
    /// The probe that a relationship leads to.
    var member: (() -> ManagedObject)?
  }

  /// Notes that a key path passes an attribute.
  ///
  /// - Returns: what the attribute is in a probe.
  static func visit<Owner: ManagedObject, Content: AttributeValue>(
    _ ordinal: Int32, of owner: Owner.Type, as content: Content.Type
  ) -> Content {
    guard let trace else { return Content.placeholder }
    // A type of the user's own may take no value but its own ones.
    let given = Content(Value.sentinel(of: Content.valueType, trace.round)) ?? Content.placeholder
    let value = given.storedValue
    note(ordinal, of: owner, in: trace, gave: { ($0 as? any AttributeValue)?.storedValue == value })
    return given
  }

  /// Notes that a key path passes a relationship.
  static func visit<Owner: ManagedObject, Content: RelationshipValue>(
    _ ordinal: Int32, of owner: Owner.Type, to content: Content.Type
  ) {
    guard let trace else { return }
    note(
      ordinal, of: owner, in: trace, gave: { $0 is Content }, member: { of(Content.Member.self).object })
  }

  private static func note<Owner: ManagedObject>(
    _ ordinal: Int32, of owner: Owner.Type, in trace: Trace, gave: @escaping (Any) -> Bool,
    member: (() -> ManagedObject)? = nil
  ) {
    let properties = of(owner).properties
    guard properties.indices.contains(Int(ordinal)) else { return }
    trace.visits.append(
      Visit(name: properties[Int(ordinal)].name, isOf: { $0 is Owner }, gave: gave, member: member))
  }

  /// The names of the stored properties that a key path from a typed class passes, none for the object's own id;
  /// `nil` where it is no path of stored properties.
  static func path(_ path: AnyKeyPath) -> [String]? {
    guard let root = type(of: path).rootType as? ManagedObject.Type,
      let names = names(path, from: root, round: 0), names == self.names(path, from: root, round: 1)
    else { return nil }
    return names
  }

  /// The name of the one stored property that a key path from a typed class leads to.
  static func property(_ path: AnyKeyPath) -> String? {
    guard let names = Self.path(path), names.count == 1 else { return nil }
    return names[0]
  }

  private static func names(_ path: AnyKeyPath, from root: ManagedObject.Type, round: Int) -> [String]? {
    let trace = Trace(round: round)
    let object = of(root).object
    guard let end = $trace.withValue(trace, operation: { object[keyPath: path] }) else { return nil }
    guard let last = trace.visits.last else { return end as? ManagedObjectID == object.objectID ? [] : nil }
    // Each step begins where the one before leads to.
    var holder: ManagedObject? = object
    for visit in trace.visits {
      guard let from = holder, visit.isOf(from) else { return nil }
      holder = visit.member?()
    }
    return last.gave(end) ? trace.visits.map(\.name) : nil
  }
}

extension Value {
  /// One of two values of a type that are hardly anybody's.
  fileprivate static func sentinel(of type: ValueType, _ round: Int) -> Value {
    switch type {
    case .int16, .int32, .int64: .int(Int64(-12_347 - round))
    case .decimal: .decimal(Decimal(-12_347 - round) / 1000)
    case .double: .double(-1.234_567_8e-71 - Double(round))
    case .float: .float(-1.234_567e-21 - Float(round))
    case .boolean: .bool(round == 0)
    case .date: .date(Date(timeIntervalSinceReferenceDate: -12_345_678_901.25 - Double(round)))
    case .string: .string("bOlIdE \u{10FFFD}\(round)")
    case .uuid: .uuid(UUID(uuid: (0xB0, 0x11, 0xDE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, UInt8(round))))
    case .uri: .uri("bolide-probe:\(round)")
    case .binary: .binary([0xB0, 0x11, 0xDE, UInt8(round)])
    case .reference: .reference(Number(round + 1))
    }
  }
}

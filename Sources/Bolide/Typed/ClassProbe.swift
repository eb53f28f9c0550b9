import BolideStorage
import Foundation
import Synchronization

/// What a typed class declares, found by looking at one instance of it.
///
/// While a probe is made, each wrapper notes its declaration and takes the next ordinal; mirrors give the names in
/// the same order.
final class ClassProbe: Sendable {
  /// What a wrapper declares.
  enum Declaration {
    case attribute(any AttributeValue.Type, default: Value, options: [AttributeOption])
    case derived(any AttributeValue.Type, expression: String)
    case relationship(
      destination: ManagedObject.Type, isToMany: Bool, inverse: AnyKeyPath?, deleteRule: DeleteRule,
      renamedFrom: String?)

    /// What an attribute is in a new object; nil for other properties.
    var defaultValue: Value {
      if case .attribute(_, let value, _) = self { value } else { .null }
    }

    /// The same attribute without a default.
    var withoutDefault: Declaration {
      if case .attribute(let type, _, let options) = self {
        .attribute(type, default: .null, options: options)
      } else {
        self
      }
    }
  }

  /// The instance; nothing of it ever changes.
  nonisolated(unsafe) let object: ManagedObject
  /// Names and declarations, by ordinal.
  nonisolated(unsafe) let properties: [(name: String, declaration: Declaration)]
  /// The attributes whose default is another in each object, by ordinal.
  private let computed: [Int]

  private init(_ type: ManagedObject.Type) {
    let (object, declarations) = Self.record(type)
    self.object = object
    // What two more objects agree on is taken for a constant.
    let others = [Self.record(type).declarations, Self.record(type).declarations]
    let computed = declarations.indices.filter { ordinal in
      others.contains { $0[ordinal].defaultValue != declarations[ordinal].defaultValue }
    }
    self.computed = computed
    var names: [Int: String] = [:]
    var mirror: Mirror? = Mirror(reflecting: object)
    while let level = mirror {
      for child in level.children {
        if let wrapper = child.value as? any DeclaredProperty, let label = child.label {
          names[Int(wrapper.ordinal)] = label.hasPrefix("_") ? String(label.dropFirst()) : label
        }
      }
      mirror = level.superclassMirror
    }
    properties = declarations.enumerated().compactMap { ordinal, declaration in
      let declaration = computed.contains(ordinal) ? declaration.withoutDefault : declaration
      return names[ordinal].map { ($0, declaration) }
    }
  }

  /// Makes an object and notes what its wrappers declare.
  private static func record(_ type: ManagedObject.Type) -> (
    object: ManagedObject, declarations: [Declaration]
  ) {
    let recorder = Recorder()
    probing.wrappingAdd(1, ordering: .sequentiallyConsistent)
    let object = $recorder.withValue(recorder) { type.init(seed: .probe) }
    probing.wrappingSubtract(1, ordering: .sequentiallyConsistent)
    return (object, recorder.declarations)
  }

  /// The defaults of a new object that are another in each: its class is asked once more, since the wrappers of the
  /// object itself keep nothing.
  func computedDefaults() -> [(name: String, value: Value)] {
    if computed.isEmpty { return [] }
    let declarations = Self.record(type(of: object)).declarations
    return computed.compactMap { ordinal in
      guard properties.indices.contains(ordinal), declarations.indices.contains(ordinal) else { return nil }
      return (properties[ordinal].name, declarations[ordinal].defaultValue)
    }
  }

  // MARK: Probes

  private static let known = Mutex<[ObjectIdentifier: ClassProbe]>([:])

  /// The probe of a class, made once.
  static func of(_ type: ManagedObject.Type) -> ClassProbe {
    let key = ObjectIdentifier(type)
    if let probe = known.withLock({ $0[key] }) { return probe }
    let probe = ClassProbe(type)
    return known.withLock { known in
      if let first = known[key] { return first }
      known[key] = probe
      return probe
    }
  }

  // MARK: Declaring

  /// How many probes are being made; read before the task-local, which costs more.
  fileprivate static let probing = Atomic<Int>(0)
  @TaskLocal private static var recorder: Recorder?

  private final class Recorder: @unchecked Sendable {
    var declarations: [Declaration] = []
  }

  /// Notes a declaration while a probe is made; the wrapper keeps the ordinal, -1 in any other object.
  static func declare(_ declaration: () -> Declaration) -> Int32 {
    guard probing.load(ordering: .relaxed) > 0, let recorder else { return -1 }
    recorder.declarations.append(declaration())
    return Int32(recorder.declarations.count - 1)
  }

  /// The name of the property whose wrapper a key path leads to.
  static func name(ofStorage path: AnyKeyPath, in type: ManagedObject.Type) -> String? {
    let probe = of(type)
    guard let wrapper = probe.object[keyPath: path] as? any DeclaredProperty else { return nil }
    let ordinal = Int(wrapper.ordinal)
    return probe.properties.indices.contains(ordinal) ? probe.properties[ordinal].name : nil
  }
}

/// The names of classes: asking the runtime each time costs more than a look-up by key.
enum ClassName {
  private static let known = Mutex<[ObjectIdentifier: String]>([:])

  static func of(_ type: AnyClass) -> String {
    known.withLock { known in
      if let name = known[ObjectIdentifier(type)] { return name }
      let name = String(describing: type)
      known[ObjectIdentifier(type)] = name
      return name
    }
  }
}

/// What the initializers of wrappers do, as they are inlined into the classes of a program.
@usableFromInline
enum Declaring {
  /// Whether a probe may be in the making.
  @usableFromInline static var isOn: Bool { ClassProbe.probing.load(ordering: .relaxed) > 0 }

  /// Notes an attribute; the wrapper keeps the ordinal, -1 in any other object than a probe.
  @usableFromInline
  static func attribute(
    _ type: any AttributeValue.Type, default value: Value, _ options: [AttributeOption]
  ) -> Int32 {
    ClassProbe.declare { .attribute(type, default: value, options: options) }
  }

  /// Notes a derived attribute.
  @usableFromInline
  static func derived(_ type: any AttributeValue.Type, _ expression: String) -> Int32 {
    ClassProbe.declare { .derived(type, expression: expression) }
  }
}

/// A wrapper that declares a property.
protocol DeclaredProperty {
  var ordinal: Int32 { get }
}

extension Attribute: DeclaredProperty {}
extension Derived: DeclaredProperty {}
extension Relationship: DeclaredProperty {}

extension ManagedObject.ObjectSeed {
  /// What a probe is made from: an entity without properties.
  static var probe: ManagedObject.ObjectSeed {
    ManagedObject.ObjectSeed(
      id: ManagedObjectID(storeID: UUID.placeholder, entityName: "Probe", number: 0),
      home: ObjectHome(emptyEntity, slots: PropertySlots(), isProbe: true), state: .live)
  }

  /// What an object of no context is made from: it has no properties, its setters do nothing, and it is inaccessible.
  static func detached(_ id: ManagedObjectID) -> ManagedObject.ObjectSeed {
    ManagedObject.ObjectSeed(
      id: id, home: ObjectHome(emptyEntity, slots: PropertySlots()), state: .gone)
  }

  private static let emptyEntity = EntityMap(
    id: 0, description: EntityDescription(name: "Probe"), table: 0,
    tableLayout: TableLayout(name: "Probe", columns: [], indexes: [], properties: [], preserved: []),
    format: RowFormat([]), root: "Probe", parentID: nil, members: [0], entityColumn: nil, properties: [],
    uniqueIndexes: [])
}

import BolideStorage

/// An attribute of a typed class: `@Attribute(.unique) var code = ""`.
///
/// Without a default value the attribute starts as nil where its type is optional; else it must be set before the
/// first save. The wrapper itself holds nothing but its place: values are in the object's row.
///
/// A default that is another each time, as in `@Attribute(.unique) var id = UUID()`, is computed anew for each object that a
/// context inserts. It is no part of the schema, so that batch requests and migrations know of no default there.
@propertyWrapper
public struct Attribute<Content: AttributeValue> {
  @usableFromInline let ordinal: Int32

  // The initializers run for every object, and declare something in probes alone: inlined, they leave a load there, and
  // the options of a property are no array in each object.

  /// Declares an attribute with a default value.
  @inlinable @inline(__always)
  public init(wrappedValue: Content, _ options: AttributeOption...) {
    ordinal =
      Declaring.isOn ? Declaring.attribute(Content.self, default: wrappedValue.storedValue, options) : -1
  }

  /// Declares a plain attribute without a default value.
  @inlinable @inline(__always)
  public init() {
    ordinal = Declaring.isOn ? Declaring.attribute(Content.self, default: .null, []) : -1
  }

  /// Declares an attribute without a default value.
  @inlinable @inline(__always)
  public init(_ options: AttributeOption...) {
    ordinal = Declaring.isOn ? Declaring.attribute(Content.self, default: .null, options) : -1
  }

  /// Only through an object.
  @available(*, unavailable, message: "@Attribute belongs in a subclass of ManagedObject")
  public var wrappedValue: Content {
    get { Content.placeholder }
    set { _ = newValue }
  }

  /// Reads and writes the object's row.
  @inlinable
  public static subscript<Owner: ManagedObject>(
    _enclosingInstance owner: Owner, wrapped _: ReferenceWritableKeyPath<Owner, Content>,
    storage storage: ReferenceWritableKeyPath<Owner, Attribute<Content>>
  ) -> Content {
    get {
      // Inlined where the type is known: there a value becomes a Swift one without looking up how.
      if let content = owner.read(Content.self, at: storage) { return content }
      if let value = owner.typedValue(at: storage), let content = Content(value) { return content }
      return placeholder(for: owner, storage)
    }
    set { owner.setTyped(newValue.storedValue, at: storage) }
  }

  /// What there is where no value is: in a probe, whose visit is noted, and in an object that lacks the property.
  @usableFromInline
  static func placeholder<Owner: ManagedObject>(
    for owner: Owner, _ storage: ReferenceWritableKeyPath<Owner, Attribute<Content>>
  ) -> Content {
    guard owner.isProbe else { return Content.placeholder }
    return ClassProbe.visit(owner[keyPath: storage].ordinal, of: type(of: owner), as: Content.self)
  }
}

/// What an attribute of a typed class may be marked with.
public enum AttributeOption: Sendable {
  /// No two objects have the same value (rule U-2).
  case unique
  /// Fetches look it up or sort by it.
  case indexed
  /// History keeps its value when the object is deleted (rule H-2).
  case preservedOnDeletion
  /// The name it had before.
  case renamed(from: String)
}

/// A derived attribute of a typed class: `@Derived("fireballs.@count") var count: Int64` (rule R-3). It cannot be set.
@propertyWrapper
public struct Derived<Content: AttributeValue> {
  @usableFromInline let ordinal: Int32

  /// Declares what the attribute is derived from.
  @inlinable @inline(__always)
  public init(_ expression: String) {
    ordinal = Declaring.isOn ? Declaring.derived(Content.self, expression) : -1
  }

  /// Only through an object.
  @available(*, unavailable, message: "@Derived belongs in a subclass of ManagedObject")
  public var wrappedValue: Content { Content.placeholder }

  /// Reads the object's row.
  @inlinable
  public static subscript<Owner: ManagedObject>(
    _enclosingInstance owner: Owner, wrapped _: KeyPath<Owner, Content>,
    storage storage: ReferenceWritableKeyPath<Owner, Derived<Content>>
  ) -> Content {
    if let content = owner.read(Content.self, at: storage) { return content }
    if let value = owner.typedValue(at: storage), let content = Content(value) { return content }
    return placeholder(for: owner, storage)
  }

  @usableFromInline
  static func placeholder<Owner: ManagedObject>(
    for owner: Owner, _ storage: ReferenceWritableKeyPath<Owner, Derived<Content>>
  ) -> Content {
    guard owner.isProbe else { return Content.placeholder }
    return ClassProbe.visit(owner[keyPath: storage].ordinal, of: type(of: owner), as: Content.self)
  }
}

extension ManagedObject {
  /// What the object's row holds for a wrapper, where the type reads itself from it.
  @inlinable @inline(__always)
  func read<Content: AttributeValue>(_ type: Content.Type, at storage: AnyKeyPath) -> Content? {
    defer { withExtendedLifetime(self) {} }
    return Content.read(AttributePlace(self, storage))
  }

  /// The property that a wrapper stands for.
  func property(at storage: AnyKeyPath) -> PropertyMap? { home.slots.slot(storage, of: self).property }

  /// The value that a wrapper stands for; `nil` in a probe and where the entity lacks the property.
  @usableFromInline
  func typedValue(at storage: AnyKeyPath) -> Value? {
    guard !isProbe, let column = home.slots.slot(storage, of: self).column else { return nil }
    loadForGetter()
    return current(column)
  }

  /// Sets an attribute for a setter, which cannot throw: a value that does not fit is kept as it is and refused by the
  /// save with `validation.type`, `validation.nan` or `validation.required`.
  @usableFromInline
  func setTyped(_ value: Value, at storage: AnyKeyPath) {
    guard !isProbe, let column = home.slots.slot(storage, of: self).column else { return }
    guard !isDeleted else {
      let error = BolideError(.objectDeleted, "\(objectID) was deleted")
      context?.note(mistake: error)
      context?.faultHandler?(error, objectID)
      return
    }
    loadForGetter()
    set(value, in: column)
  }
}

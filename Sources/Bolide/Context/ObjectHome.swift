import BolideStorage

/// What the objects of one entity in one context have in common: one reference in each of them instead of several.
final class ObjectHome {
  let entity: EntityMap
  /// The properties behind key paths.
  let slots: PropertySlots
  /// Where the context finds its objects; `nil` for objects of no context.
  let registry: ObjectRegistry?
  private(set) weak var context: ManagedObjectContext?
  /// Whether the object is one that key paths are followed through.
  let isProbe: Bool
  private var left: ObjectHome?

  /// The home of objects of no context.
  init(_ entity: EntityMap, slots: PropertySlots, isProbe: Bool = false) {
    self.entity = entity
    self.slots = slots
    registry = nil
    self.isProbe = isProbe
  }

  init(
    _ entity: EntityMap, slots: PropertySlots, in context: ManagedObjectContext, registry: ObjectRegistry
  ) {
    self.entity = entity
    self.slots = slots
    self.registry = registry
    self.context = context
    isProbe = false
  }

  /// The home of objects that the context dropped.
  var withoutContext: ObjectHome {
    if registry == nil { return self }
    if let left { return left }
    let home = ObjectHome(entity, slots: slots)
    left = home
    return home
  }
}

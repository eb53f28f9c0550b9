import Bolide
import BolideStorage

/// An unsaved edit of a context, over which requests are asked.
struct QueryEdit: Sendable {
  enum Change: Sendable {
    case insert
    case set([String: Value])
    /// A to-one relationship, which leads to an owner or to nothing.
    case lead(String, to: Number?)
    /// A thing's tags.
    case tag(adding: [Number], removing: [Number])
    case delete
  }

  var entity: String
  var number: Number
  var change: Change

  /// The number of the first new object in the reference: above all stored ones, as rule V-4 has it.
  static let firstNew: Number = 10_000_000
  /// The edit of objects that have other numbers; `nil` for one of an object that is not among them.
  func renumbered(_ numbers: [String: [Number: Number]]) -> QueryEdit? {
    func renumbered(_ entity: String, _ number: Number) -> Number? {
      number >= Self.firstNew ? number : numbers[QueryWorld.root(of: entity)]?[number]
    }
    guard let number = renumbered(entity, number) else { return nil }
    var edit = self
    edit.number = number
    switch change {
    case .insert, .set, .delete: break
    case .lead(let name, let target):
      if let target {
        guard let owner = renumbered("Owner", target) else { return nil }
        edit.change = .lead(name, to: owner)
      }
    case .tag(let added, let removed):
      edit.change = .tag(
        adding: added.compactMap { renumbered("Tag", $0) },
        removing: removed.compactMap { renumbered("Tag", $0) })
    }
    return edit
  }

  /// The to-one relationship that each entity has.
  static let toOne = ["Thing": "owner", "Special": "owner", "Owner": "boss", "Tag": "keeper"]
}

extension QueryWorld {
  /// The world as its edits leave it, without edits.
  var edited: QueryWorld {
    var world = self
    world.edits = []
    for edit in edits { world.apply(edit) }
    return world
  }

  /// Where an object is.
  func place(_ entity: String, _ number: Number) -> Int? {
    objects.firstIndex { Self.root(of: $0.entity) == Self.root(of: entity) && $0.number == number }
  }

  /// Makes an edit; one of an object that is not there, or no more, is none.
  ///
  /// - Returns: whether something was done.
  @discardableResult
  mutating func apply(_ edit: QueryEdit) -> Bool {
    if case .insert = edit.change {
      objects.append(Object(entity: edit.entity, number: edit.number, values: [:], members: [:]))
      return true
    }
    guard let index = place(edit.entity, edit.number) else { return false }
    switch edit.change {
    case .insert: return false
    case .set(let values): set(values, of: index)
    case .lead(let name, let target): return lead(index, name, to: target)
    case .tag(let added, let removed):
      guard (added + removed).allSatisfy({ place("Tag", $0) != nil }) else { return false }
      for number in added { join(index, "tags", "Tag", number, "things") }
      for number in removed { part(index, "tags", "Tag", number, "things") }
    case .delete: delete([objects[index]])
    }
    return true
  }

  private mutating func lead(_ index: Int, _ name: String, to target: Number?) -> Bool {
    guard let relationship = relationships(of: objects[index].entity).first(where: { $0.name == name }) else {
      return false
    }
    if let target, place(relationship.destination, target) == nil { return false }
    for old in objects[index].members[name] ?? [] {
      part(index, name, relationship.destination, old, relationship.inverse)
    }
    guard let target, let other = place(relationship.destination, target) else { return true }
    // A badge has one keeper: the one before lets go.
    if !isToMany(relationship.inverse, of: relationship.destination) {
      for holder in objects[other].members[relationship.inverse] ?? [] {
        if let place = place(objects[index].entity, holder) {
          part(place, name, relationship.destination, target, relationship.inverse)
        }
      }
    }
    join(index, name, relationship.destination, target, relationship.inverse)
    return true
  }

  private func isToMany(_ name: String, of entity: String) -> Bool {
    relationships(of: entity).first { $0.name == name }?.isToMany == true
  }

  private mutating func join(
    _ index: Int, _ name: String, _ destination: String, _ number: Number, _ inverse: String
  ) {
    guard let other = place(destination, number), objects[index].members[name]?.contains(number) != true
    else {
      return
    }
    objects[index].members[name, default: []].append(number)
    objects[index].members[name]?.sort()
    objects[other].members[inverse, default: []].append(objects[index].number)
    objects[other].members[inverse]?.sort()
  }

  private mutating func part(
    _ index: Int, _ name: String, _ destination: String, _ number: Number, _ inverse: String
  ) {
    objects[index].members[name]?.removeAll { $0 == number }
    let own = objects[index].number
    if let other = place(destination, number) { objects[other].members[inverse]?.removeAll { $0 == own } }
  }

  // MARK: Making edits

  /// Makes some random edits. They leave unique keys alone: what breaks a constraint is no state that a save gives.
  mutating func addEdits(_ random: inout QueryRandom) {
    var world = self
    for index in 0..<Int.random(in: 1...8, using: &random) {
      let made = world.edit(QueryEdit.firstNew + Number(index), &random)
      for edit in made where world.apply(edit) { edits.append(edit) }
    }
  }

  private func edit(_ new: Number, _ random: inout QueryRandom) -> [QueryEdit] {
    if objects.isEmpty || random.chance(3) {
      let entity = random.pick(["Thing", "Special", "Owner", "Tag"])
      return [
        QueryEdit(entity: entity, number: new, change: .insert),
        QueryEdit(entity: entity, number: new, change: .set(values(of: entity, 3, &random))),
      ] + links(of: entity, new, &random)
    }
    let object = random.pick(objects)
    switch Int.random(in: 0...4, using: &random) {
    case 0: return [QueryEdit(entity: object.entity, number: object.number, change: .delete)]
    case 1, 2: return links(of: object.entity, object.number, &random)
    default:
      let values = values(of: object.entity, 2, &random)
      return [QueryEdit(entity: object.entity, number: object.number, change: .set(values))]
    }
  }

  private func values(of entity: String, _ count: Int, _ random: inout QueryRandom) -> [String: Value] {
    let unique = Set(constraints(of: entity).joined())
    let free = attributes(of: entity).filter { !unique.contains($0.name) }
    var values: [String: Value] = [:]
    for attribute in free.shuffled(using: &random).prefix(count) {
      values[attribute.name] = random.chance(6) ? .null : random.value(of: attribute.type)
    }
    return values
  }

  private func links(of entity: String, _ number: Number, _ random: inout QueryRandom) -> [QueryEdit] {
    func numbers(_ root: String) -> [Number] { objects.filter { $0.entity == root }.map(\.number) }
    var edits: [QueryEdit] = []
    let owners = numbers("Owner")
    if let name = QueryEdit.toOne[entity] {
      let target = owners.isEmpty || random.chance(4) ? nil : random.pick(owners)
      edits.append(QueryEdit(entity: entity, number: number, change: .lead(name, to: target)))
    }
    let tags = numbers("Tag").shuffled(using: &random)
    if Self.root(of: entity) == "Thing", !tags.isEmpty {
      let change = QueryEdit.Change.tag(
        adding: Array(tags.prefix(2)), removing: Array(tags.dropFirst(2).prefix(2)))
      edits.append(QueryEdit(entity: entity, number: number, change: change))
    }
    return edits
  }

  // MARK: Contexts

  /// A context with the edits, and what new objects are called.
  func context(in container: PersistentContainer) throws -> QueryContext {
    let context = container.newContext(author: "fuzz")
    if edits.isEmpty { return QueryContext(context: context, names: [:]) }
    var objects: [String: ManagedObject] = [:]
    func key(_ entity: String, _ number: Number) -> String { "\(Self.root(of: entity))#\(number)" }
    for entity in ["Thing", "Owner", "Tag"] {
      for object in try context.fetch(FetchRequest<ManagedObject>(entity: entity)) {
        objects[key(entity, object.objectID.number)] = object
      }
    }
    var names: [ManagedObjectID: String] = [:]
    var world = self
    for edit in edits where world.apply(edit) {
      if case .insert = edit.change {
        let object = try context.insert(edit.entity)
        objects[key(edit.entity, edit.number)] = object
        names[object.objectID] = "\(edit.entity)#\(edit.number)"
        continue
      }
      let object = try checkPresent(objects[key(edit.entity, edit.number)], "an object to edit")
      func tags(_ numbers: [Number]) -> [ManagedObject] { numbers.compactMap { objects[key("Tag", $0)] } }
      switch edit.change {
      case .insert: break
      case .set(let values): for (name, value) in values { try object.setValue(value, for: name) }
      case .lead(let name, let target):
        try object.setObject(target.flatMap { objects[key("Owner", $0)] }, for: name)
      case .tag(let added, let removed):
        try object.addObjects(tags(added), for: "tags")
        try object.removeObjects(tags(removed), for: "tags")
      case .delete: context.delete(object)
      }
    }
    return QueryContext(context: context, names: names)
  }
}

/// A context that requests are asked of.
struct QueryContext {
  let context: ManagedObjectContext
  /// What the reference calls objects that are not saved.
  let names: [ManagedObjectID: String]

  func name(_ id: ManagedObjectID) -> String { names[id] ?? id.description }
}

import Bolide
import BolideStorage
import CommandKit

/// `bolide fetch`: the objects of an entity.
enum FetchCommand {
  private static let entity = Positional("ENTITY", help: "The entity; its sub-entities are included.")
  private static let condition = CommandOption(
    "where", .text, "TEXT", help: "A predicate, such as 'impactEnergy >= 100 AND latitude != nil'.")
  private static let sort = CommandOption(
    "sort", .text, "TEXT",
    help: "The order: attributes, a minus before those that descend, as in -time,code.")
  private static let columns = CommandOption(
    "columns", .list([]), "A,B",
    help: "The properties to show, in this order; else all attributes with their names.")
  private static let limit = CommandOption(
    "limit", .number(atLeast: 0), "N", help: "At most this many objects.")
  private static let count = CommandOption("count", .flag, help: "Print only how many objects match.")
  private static let explain = CommandOption("explain", .flag, help: "Print how the objects would be found.")

  static let command = Command(
    "fetch", "Print objects of a store.",
    examples: [
      "bolide fetch Fireball --where 'impactEnergy >= 100' --sort=-impactEnergy --columns dateTimeStamp"
    ],
    positionals: [entity], options: [.store, condition, sort, columns, limit, count, explain, .json],
    action: run)

  @Sendable private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitCode {
    try OpenedStore.with(arguments) { store in
      let map = store.container.map
      let entity = try map.entity(arguments.text(entity))
      var request = FetchRequest<ManagedObject>(
        entity: entity.name,
        where: try arguments.text(condition).map { text in
          try Condition(parsing: text, in: EntityScope(entity, in: map))
        })
      request.sort = try arguments.text(sort).map { try SortTerm.list(parsing: $0) } ?? []
      request.limit = arguments.number(limit).map { Int(clamping: $0) }
      let names = arguments.list(columns)
      for name in names ?? [] { _ = try entity.property(name) }

      if arguments.has(explain) {
        let plan = try FetchPlan(request, entity: entity, map: map)
        if arguments.has(.json) { console.print(json: plan.json) } else { plan.lines.forEach(console.print) }
        return .success
      }
      let context = store.container.newContext()
      if arguments.has(count) {
        let number = try context.count(for: request)
        if arguments.has(.json) {
          console.print(json: ["count": .integer(number)])
        } else {
          console.print("\(number)")
        }
        return .success
      }
      let printer = ObjectPrinter(map: map, columns: names, isJSON: arguments.has(.json))
      let objects = try context.fetch(request)
      for object in objects where !console.output.isClosed { console.print(try printer.line(object)) }
      if !arguments.has(.json) { console.print("\(objects.count) rows") }
      return .success
    }
  }
}

/// Prints an object on one line.
struct ObjectPrinter {
  let map: SchemaMap
  /// The properties to show; nil for all attributes, each with its name.
  let columns: [String]?
  let isJSON: Bool

  func line(_ object: ManagedObject) throws -> String {
    let entity = try map.entity(object.entityName)
    let names = columns ?? entity.attributes.map(\.name)
    if isJSON {
      var values: [String: JSONValue] = [:]
      for name in names { values[name] = try json(name, of: object, entity) }
      return JSONValue.object(["object": .string(object.objectID.description), "values": .object(values)])
        .text
    }
    let texts = try names.map { name in
      let text = try text(name, of: object, entity)
      return columns == nil ? "\(name) \(text)" : text
    }
    return ([object.objectID.description] + texts).joined(separator: "  ")
  }

  private func text(_ name: String, of object: ManagedObject, _ entity: EntityMap) throws -> String {
    let property = try entity.property(name)
    if property.attribute != nil { return CanonicalText.text(try object.value(name)) }
    guard property.relationship?.isToMany == true else {
      return try object.object(name)?.objectID.description ?? "null"
    }
    return "{\(try members(name, of: object).joined(separator: ", "))}"
  }

  private func json(_ name: String, of object: ManagedObject, _ entity: EntityMap) throws -> JSONValue {
    let property = try entity.property(name)
    if property.attribute != nil { return JSONValue(try object.value(name)) }
    guard property.relationship?.isToMany == true else {
      return try object.object(name).map { .string($0.objectID.description) } ?? .null
    }
    return .array(try members(name, of: object).map(JSONValue.string))
  }

  private func members(_ name: String, of object: ManagedObject) throws -> [String] {
    try object.objects(name).map(\.objectID).sorted().map(\.description)
  }
}

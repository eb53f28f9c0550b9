import Bolide
import BolideStorage
import CommandKit
import Foundation

/// `bolide fetch`: the objects of an entity.
enum FetchCommand {
  private static let entity = Positional("ENTITY", help: "The entity; its sub-entities are included.")
  private static let condition = CommandOption(
    "where", .text, "TEXT", help: "A predicate, such as 'impactEnergy >= 100 AND latitude != nil'.")
  private static let conditionFile = CommandOption(
    "where-file", .text, "FILE", help: "A file with the predicate, for one that no command line holds.")
  private static let sort = CommandOption(
    "sort", .text, "TEXT",
    help: "The order: attributes, a minus before those that descend, as in -time,code[cd].")
  private static let columns = CommandOption(
    "columns", .list([]), "A,B",
    help:
      "The properties to show, in this order; else all attributes with their names. Also @count, depth.@avg …"
  )
  private static let group = CommandOption(
    "group", .list([]), "A,B", help: "Print one row for all objects that have these values in common.")
  private static let having = CommandOption(
    "having", .text, "TEXT", help: "Which groups to print, such as '@count > 10'.")
  private static let distinct = CommandOption("distinct", .flag, help: "Print equal rows once.")
  private static let limit = CommandOption(
    "limit", .number(atLeast: 0, atMost: UInt64(Int.max)), "N",
    help: "At most this many objects, rows or groups.")
  private static let offset = CommandOption(
    "offset", .number(atLeast: 0, atMost: UInt64(Int.max)), "N", help: "Leave out this many from the start.")
  private static let from = CommandOption(
    "from", .list([]), "FEED:SOURCE",
    help: "Documents to read first where the store is memory:, such as usgs-csv:month.csv.")
  private static let count = CommandOption("count", .flag, help: "Print only how many objects match.")
  private static let explain = CommandOption("explain", .flag, help: "Print how the objects would be found.")

  static let command = Command(
    "fetch", "Print objects of a store.",
    examples: [
      "bolide fetch Fireball --where 'impactEnergy >= 100' --sort=-impactEnergy --columns dateTimeStamp",
      "bolide fetch CatalogQuake --group net --columns net,@count,depth.@avg --sort=-@count",
      "bolide fetch CatalogQuake --store memory: --from usgs-csv:month.csv --sort=-magnitude --limit 10",
    ],
    positionals: [entity],
    options: [
      .store, from, condition, conditionFile, sort, columns, group, having, distinct, limit, offset, count,
      explain, .json,
    ],
    action: run)

  @Sendable private static func run(_ arguments: Arguments, _ console: Console) async throws -> ExitCode {
    try OpenedStore.with(arguments, filledFrom: arguments.list(from) ?? []) { store in
      let map = store.container.map
      let entity = try map.entity(arguments.text(entity))
      var request = FetchRequest<ManagedObject>(
        entity: entity.name,
        where: try predicate(arguments).map { text in
          try Condition(parsing: text, in: EntityScope(entity, in: map))
        })
      request.sort = try arguments.text(sort).map { try SortTerm.list(parsing: $0) } ?? []
      request.limit = arguments.count(limit)
      request.offset = arguments.count(offset) ?? 0
      let names = arguments.list(columns)
      let isRows = try prepareRows(&request, names, arguments)
      if !isRows { for name in names ?? [] { _ = try entity.property(name) } }

      if arguments.has(explain) {
        let steps = try store.container.coordinator.read { reader in
          try FetchExplanation(request, givesRows: isRows, map: map, reader: reader).steps
        }
        if arguments.has(.json) {
          let list = steps.map { JSONValue.object(["step": .string($0.name), "text": .string($0.text)]) }
          console.print(json: ["plan": .array(list)])
        } else {
          for step in steps { console.print("\(step.name)  \(step.text)") }
        }
        return .success
      }
      let context = store.container.newContext()
      if isRows {
        printRows(try context.fetchRows(request), arguments, console)
        return .success
      }
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

/// Rows of values instead of objects.
extension FetchCommand {
  /// The predicate's text.
  private static func predicate(_ arguments: Arguments) throws -> String? {
    guard let path = arguments.text(conditionFile) else { return arguments.text(condition) }
    guard arguments.text(condition) == nil else {
      throw Failure(
        .usage, code: "usage.wrong-value", "--where and --where-file are two predicates",
        remedy: "give one of them")
    }
    do {
      return String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    } catch {
      throw Failure(
        .storeFailed, code: "file.unreadable", "\(path) cannot be read",
        remedy: "check its name and permissions")
    }
  }

  /// Asks for rows where the arguments do: groups, distinct rows, aggregates, or paths to other objects.
  private static func prepareRows(
    _ request: inout FetchRequest<ManagedObject>, _ names: [String]?, _ arguments: Arguments
  ) throws -> Bool {
    let groups = arguments.list(group) ?? []
    let having = arguments.text(having)
    let isPlain = !(names ?? []).contains { $0.contains("@") || $0.contains(".") }
    if groups.isEmpty, having == nil, !arguments.has(distinct), isPlain { return false }
    if let names { request.propertiesToFetch = try FetchColumn.list(parsing: names.joined(separator: ",")) }
    request.propertiesToGroupBy = groups
    request.having = try having.map { try Condition(parsing: $0) }
    request.returnsDistinctRows = arguments.has(distinct)
    return true
  }

  private static func printRows(_ rows: [FetchedRow], _ arguments: Arguments, _ console: Console) {
    if arguments.has(count) {
      console.print(
        arguments.has(.json) ? JSONValue.object(["count": .integer(rows.count)]).text : "\(rows.count)")
      return
    }
    for row in rows where !console.output.isClosed {
      if arguments.has(.json) {
        let values = zip(row.columns, row.values.map { JSONValue($0) })
        console.print(
          json: .object(["values": .object(Dictionary(values, uniquingKeysWith: { first, _ in first }))]))
      } else {
        console.print(row.values.map { CanonicalText.text($0) }.joined(separator: "  "))
      }
    }
    if !arguments.has(.json) { console.print("\(rows.count) rows") }
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

import Bolide
import BolideStorage

/// `fetch`: objects of an entity, or rows of values where they are grouped or told apart.
struct FetchVerb: Verb {
  static let usages = [
    VerbUsage(
      "fetch", .context,
      "E columns=A,B sort=A,-B limit=N offset=N distinct=yes|no group=A,B having=\"PREDICATE\" subentities=yes|no",
      "Fetches objects; with `distinct`, `group`, `having`, or columns like `@count` and `a.b`, rows of values.",
      prints: "`E#N  value…` each, or `value…` each, `N rows`", capture: .objects, takesPredicate: true)
  ]

  private let entity: String
  private let columns: [String]
  private let groups: [String]
  private let having: String?
  private let isDistinct: Bool?
  private let sort: [String]
  private let limit: Int?
  private let offset: Int
  private let includesSubentities: Bool
  private let predicate: PredicateText?

  init(_ step: inout StepReader) {
    entity = step.takeEntity()
    columns = Self.takePaths("columns", &step, of: entity)
    groups = Self.takePaths("group", &step, of: entity)
    sort = Self.takePaths("sort", &step, of: entity)
    having = step.arguments.takeOptionText("having")?.text
    isDistinct = step.arguments.takeOptionChoice("distinct", ["yes": true, "no": false])
    limit = step.arguments.takeOptionCount("limit")
    offset = step.arguments.takeOptionCount("offset") ?? 0
    includesSubentities = step.arguments.takeOptionChoice("subentities", ["yes": true, "no": false]) ?? true
    predicate = step.takePredicate(of: entity)
    if let capture = step.step.capture, givesRows {
      step.report(.capture, "rows of values leave nothing to capture", at: capture.position)
    }
  }

  /// Takes an option of paths, aggregates and sort terms, and checks the first name of each.
  private static func takePaths(_ option: String, _ step: inout StepReader, of entity: String) -> [String] {
    let paths = step.arguments.takeOptionTexts(option) ?? []
    for path in paths {
      let name = path.text.drop { $0 == "-" }.prefix { $0 != "." && $0 != "[" }
      if name.hasPrefix("@") { continue }
      step.check(property: Name(text: String(name), position: path.position), of: entity)
    }
    return paths.map(\.text)
  }

  /// Whether the result is values without objects.
  private var givesRows: Bool {
    !groups.isEmpty || having != nil || isDistinct != nil
      || columns.contains { $0.contains("@") || $0.contains(".") }
  }

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    let context = try session.context(step.subject.text)
    if givesRows {
      let rows = try rows(in: session, context)
      return rows + ["\(rows.count) rows"]
    }
    let objects = try context.context.fetch(request(in: session, context))
    session.capture(.objects(objects, in: context), as: step.capture)
    let rows = try objects.map { object in
      let values = try columns.map { try session.text(of: $0, in: object) }
      return (["\(object.objectID)"] + values).joined(separator: "  ")
    }
    return rows + ["\(rows.count) rows"]
  }

  private func request(
    in session: StoreSession, _ context: StoreSession.OpenContext
  ) throws -> FetchRequest<ManagedObject> {
    var request = try session.request(entity, where: predicate, in: context)
    if !sort.isEmpty { request.sort = try SortTerm.list(parsing: sort.joined(separator: ",")) }
    request.limit = limit
    request.offset = offset
    request.includesSubentities = includesSubentities
    return request
  }

  private func rows(in session: StoreSession, _ context: StoreSession.OpenContext) throws -> [String] {
    var request = try request(in: session, context)
    if !columns.isEmpty {
      request.propertiesToFetch = try FetchColumn.list(parsing: columns.joined(separator: ","))
    }
    request.propertiesToGroupBy = groups
    request.having = try having.map { try Condition(parsing: $0) }
    request.returnsDistinctRows = isDistinct ?? false
    return try context.context.fetchRows(request).map { row in
      row.values.map { CanonicalText.text($0) }.joined(separator: "  ")
    }
  }
}

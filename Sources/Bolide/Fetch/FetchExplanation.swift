import BolideStorage

/// How a request is answered: what the store does of it, the way to the rows, what each is asked, the order and the
/// end.
package struct FetchExplanation {
  /// The steps: a word, and what is done.
  package private(set) var steps: [(name: String, text: String)] = []

  private let request: FetchRequest<ManagedObject>
  private let entity: EntityMap
  private let map: SchemaMap

  /// Explains a request for objects, or for rows of values.
  ///
  /// - Throws: What a fetch throws for a request that makes no sense.
  package init(
    _ request: FetchRequest<ManagedObject>, givesRows: Bool, map: SchemaMap, reader: any Reader
  ) throws {
    self.request = request
    self.map = map
    entity = try map.entity(request.entityName)
    let condition = try request.condition.map { condition throws(BolideError) in
      try BoundCondition(condition, entity: entity, map: map)
    }
    if !givesRows, let point = PointFetch(request.terms, entity: entity), let condition {
      steps.append((name: "scan", text: "\(entity.name) by unique index \(point.columnName)"))
      steps.append((name: "filter", text: condition.checked.description))
      return
    }
    let projection = givesRows ? try RowProjection(request, entity: entity, map: map) : nil
    let isGrouped = projection?.isGrouped == true
    let order = try RowOrder(isGrouped ? [] : request.sort, entity: entity, map: map)
    var scan = EntityScan(map: map, reader: reader, entity: entity, condition: condition)
    scan.includesSubentities = request.includesSubentities
    let isCounted = isGrouped || request.returnsDistinctRows
    let limit = isCounted ? nil : request.limit
    scan.path = try AccessPath(
      condition, order: order, isLimited: limit != nil, entity: entity, reader: reader)
    if let projection, let result = projection.planResult,
      let plan = try StorePlan(
        scan, order: order, offset: isGrouped ? 0 : request.offset, limit: isGrouped ? nil : request.limit,
        result: result), plan.isWhole
    {
      try add(plan, from: reader)
      if isGrouped { addGroups(after: true) } else { addEnd(inStore: true) }
      return
    }
    let plan = try StorePlan(
      scan, order: order, offset: isCounted ? 0 : request.offset, limit: limit,
      result: .rows(.all(entity.format.columnCount)))
    if let plan {
      try add(plan, from: reader)
      for condition in plan.residual { steps.append((name: "filter", text: condition.description)) }
    } else {
      steps.append((name: "scan", text: "\(entity.name) \(scan.path.words(in: entity.tableLayout))"))
      if let condition = request.condition { steps.append((name: "filter", text: condition.description)) }
    }
    if isGrouped {
      addGroups(after: false)
      return
    }
    if !request.sort.isEmpty, plan?.isWhole != true {
      let how = plan == nil && scan.path.isOrdered ? "by the index" : "in memory"
      steps.append((name: "sort", text: "\(sortWords), \(how)"))
    }
    addEnd(inStore: plan?.isWhole == true && !isCounted)
  }

  private var sortWords: String { request.sort.map(\.description).joined(separator: ",") }

  private mutating func add(_ plan: StorePlan, from reader: any Reader) throws(BolideError) {
    for line in try reader.explain(plan.plan) { steps.append((name: "store", text: line)) }
  }

  private mutating func addGroups(after isCollected: Bool) {
    if !isCollected {
      let paths = request.propertiesToGroupBy.joined(separator: ",")
      steps.append((name: "group", text: paths.isEmpty ? "all" : paths))
    }
    if let having = request.having { steps.append((name: "having", text: having.description)) }
    if !request.sort.isEmpty { steps.append((name: "sort", text: "\(sortWords), in memory")) }
    addCut()
  }

  /// What comes last, if the store does not do it.
  private mutating func addEnd(inStore: Bool) {
    if inStore { return }
    if request.returnsDistinctRows { steps.append((name: "distinct", text: "in memory")) }
    addCut()
  }

  private mutating func addCut() {
    if request.offset > 0 { steps.append((name: "offset", text: "\(request.offset)")) }
    if let limit = request.limit { steps.append((name: "limit", text: "\(limit)")) }
  }
}

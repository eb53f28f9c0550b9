import BolideStorage

/// Who writes, and by which policy.
package struct Writer {
  package var author: String?
  package var contextName: String?
  package var policy: MergePolicy?

  package init(author: String?, contextName: String?, policy: MergePolicy?) {
    self.author = author
    self.contextName = contextName
    self.policy = policy
  }
}

/// Batch requests: each is one transaction that no context sees before it merges it.
extension StoreCoordinator {
  package func execute(_ request: BatchInsertRequest, as writer: Writer) throws -> BatchInsertResult {
    // A request may be executed again, on this store after an error or on another one.
    request.rewind?()
    var row: BatchRow?
    var isDone = false
    let rows = RowImport(entityName: request.entityName, absent: request.absent) { [map] input in
      var current = try row ?? BatchRow(entity: map.entity(request.entityName), input: input)
      current.input.removeAll()
      while current.input.count < WriteSession.chunk, !isDone {
        if try request.next(&current) {
          isDone = true
          current.input.dropRow()
        } else {
          current.input.commitRow()
        }
      }
      input = current.input
      row = current
      return !isDone
    }
    return try importRows(rows, as: writer) {
      guard let rewind = request.rewind else { return false }
      rewind()
      isDone = false
      return true
    }
  }

  /// Imports packed rows in one transaction; without rows there is none (rule U-8).
  ///
  /// - Parameter rewind: makes the rows start again, where they can; tells whether they do.
  package func importRows(
    _ rows: RowImport, as writer: Writer, rewind: () -> Bool = { false }
  ) throws -> BatchInsertResult {
    let entity = try map.entity(rows.entityName)
    if entity.isAbstract { throw BolideError(.objectAbstract, "\(entity.name) is abstract") }
    while true {
      var input = InputRows(entity)
      // The first chunk is read before the lock is taken: no input, no transaction.
      var hasMore = try rows.nextChunk(&input)
      while hasMore, input.count == 0 { hasMore = try rows.nextChunk(&input) }
      if input.count == 0 {
        return insertResult(Upsert.Outcome(), nil)
      }
      do {
        let written = try write(author: writer.author, contextName: writer.contextName, isReplayable: false) {
          session in
          let upsert = Upsert(
            session, entity: entity, policy: writer.policy ?? .objectTrump, absent: rows.absent)
          try upsert.add(input)
          while hasMore {
            input.removeAll()
            hasMore = try rows.nextChunk(&input)
            if input.count > 0 { try upsert.add(input) }
          }
          return try upsert.finish()
        }
        return insertResult(written.result, written.outcome.record)
      } catch let error as BolideError where error.code == .storeMapFull {
        guard rewind() else { throw error }
      }
    }
  }

  private func insertResult(
    _ outcome: Upsert.Outcome, _ record: TransactionRecord?
  ) -> BatchInsertResult {
    BatchInsertResult(
      inserted: ids(outcome.inserted), updated: ids(outcome.updated), unchanged: ids(outcome.unchanged),
      transaction: record?.mark.transaction, token: record.map(token))
  }

  package func execute<Object>(_ request: BatchUpdateRequest<Object>, as writer: Writer) throws
    -> BatchUpdateResult
  {
    if let problem = request.problem { throw problem }
    let entity = try map.entity(request.entityName)
    let assignments = try RowAssignments(
      values: request.values, expressions: request.expressions, entity: entity, map: map,
      now: .date(environment.now()))
    let condition = try request.condition.map { condition throws(BolideError) in
      try BoundCondition(condition.named(in: storeID), entity: entity, map: map)
    }
    let written = try write(author: writer.author, contextName: writer.contextName, isReplayable: true) {
      session in
      try session.update(entity, assignments, where: condition)
    }
    let log = written.outcome.log
    return BatchUpdateResult(
      updated: ids(entity.members.map { ($0, log.updatedNumbers(of: $0)) }),
      unchanged: ids(written.result.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }),
      transaction: written.outcome.record?.mark.transaction, token: written.outcome.record.map(token))
  }

  package func execute(_ request: BatchDeleteRequest, as writer: Writer) throws -> BatchDeleteResult {
    if let problem = request.problem { throw problem }
    let written = try write(author: writer.author, contextName: writer.contextName, isReplayable: true) {
      session in
      var plan = DeletePlan(session)
      switch request.selection {
      case .entity(let name, let condition):
        let entity = try map.entity(name)
        let bound = try condition.map { condition throws(BolideError) in
          try BoundCondition(condition.named(in: storeID), entity: entity, map: map)
        }
        let scan = EntityScan(map: map, reader: session.transaction, entity: entity, condition: bound)
        if try session.deletePlanned(scan) || session.deleteUnrelated(scan) { return }
        var numbers: [Number] = []
        try scan.forEachNumber { numbers.append($0) }
        try plan.add(numbers, of: entity.table)
      case .ids(let ids):
        var byTable: [TableID: [Number]] = [:]
        for id in ids {
          try check(id)
          byTable[try map.entity(id.entityName).table, default: []].append(id.number)
        }
        for (table, numbers) in byTable.sorted(by: { $0.key < $1.key }) { try plan.add(numbers, of: table) }
      }
      try plan.checkDenied()
      _ = try plan.execute()
    }
    let log = written.outcome.log
    return BatchDeleteResult(
      deleted: ids(map.entities.map { ($0.id, log.deletedNumbers(of: $0.id)) }),
      transaction: written.outcome.record?.mark.transaction, token: written.outcome.record.map(token))
  }

  // MARK: Ids and tokens

  /// Refuses an id of another store or of an object that was never saved.
  package func check(_ id: ManagedObjectID) throws(BolideError) {
    guard id.storeID == storeID else {
      throw BolideError(.contextForeign, "\(id) belongs to the store \(id.storeID.uuidString.lowercased())")
    }
    guard !id.isTemporary else { throw BolideError(.objectMissing, "\(id) was not saved yet") }
  }

  package func ids(_ sets: [(EntityID, NumberSet)]) -> ManagedObjectIDs {
    ManagedObjectIDs(
      storeID: storeID, sets.filter { !$0.1.isEmpty }.map { (map.entities[$0.0].name, $0.1) })
  }

  package func token(_ record: TransactionRecord) -> PersistentHistoryToken {
    PersistentHistoryToken(storeID: storeID, mark: record.mark)
  }
}

extension WriteSession {
  /// Sets attributes of the rows that meet a condition; gives those that had these values already, by entity (rule R-4).
  ///
  /// All is read from the state before, so that no row sees what the request made of another.
  fileprivate func update(
    _ entity: EntityMap, _ assignments: RowAssignments, where condition: BoundCondition?
  ) throws -> [EntityID: NumberSet] {
    var unchanged: [EntityID: NumberSet] = [:]
    let columns = assignments.columns
    let isKey = entity.tableLayout.indexes.contains {
      $0.isUnique && ColumnSet($0.columns).intersects(columns)
    }
    if !isKey, let constants = assignments.constantsOnly {
      let all = EntityScan(map: map, reader: transaction, entity: entity, condition: condition)
      if let unchanged = try updatePlanned(all, values: constants) { return unchanged }
    }
    let before = try stateBefore()
    let scan = try EntityScan(map: map, reader: before, entity: entity, condition: condition).narrowed()
    var update = RowUpdate(assignments, of: entity, reader: before)
    let overlay = assignments.overlay(entity.format)
    var postponed: [RowBatch] = []
    var changed = RowBatch(entity.format)
    try scan.walk(columns: .all(entity.format.columnCount)) { stored, places in
      changed.removeAll()
      // Rows that follow each other mostly differ in the same columns, and go to the log together.
      var alike = AlikeRows(entity: entity.id)
      func change(_ overlay: RowView?) throws {
        try stored.withRows { views in
          for place in places {
            let row = views[place]
            let number = stored.numbers[place]
            let member = entity.entityColumn == nil ? entity : self.entity(of: row, in: entity.table)
            let differences = try update.append(row, number, of: member, overlay: overlay, to: &changed)
            if alike.entity != member.id || alike.properties != differences {
              note(alike, unchanged: &unchanged)
              alike = AlikeRows(entity: member.id, properties: differences)
            }
            alike.numbers.append(number)
          }
        }
      }
      // The overlay is looked up once for all rows: nothing of it is copied for one.
      if let overlay { try overlay.withRow(at: 0) { try change($0) } } else { try change(nil) }
      note(alike, unchanged: &unchanged)
      if changed.isEmpty { return }
      if isKey {
        // Keys are judged on the final state (rule U-6): all are released before any is written.
        try transaction.release(changed.numbers, of: entity.table)
        postponed.append(changed)
      } else {
        try write(changed, of: entity, columns: columns)
      }
    }
    for batch in postponed { try write(batch, of: entity, columns: columns) }
    return unchanged
  }

  /// Rows of an entity that differ in the same columns from the state before, or in none.
  private struct AlikeRows {
    var entity: EntityID
    var properties = PropertySet()
    var numbers: [Number] = []
  }

  private func note(_ rows: AlikeRows, unchanged: inout [EntityID: NumberSet]) {
    if rows.numbers.isEmpty { return }
    if rows.properties.isEmpty {
      unchanged[rows.entity, default: NumberSet()].insert(contentsOf: rows.numbers)
    } else {
      log.setUpdated(rows.numbers, entity: rows.entity, properties: rows.properties)
    }
  }

  private func write(_ batch: RowBatch, of entity: EntityMap, columns: ColumnSet) throws(BolideError) {
    var taken: [Taken] = []
    try transaction.update(batch, of: entity.table, columns: columns, taken: &taken)
    guard !taken.isEmpty else { return }
    throw BolideError(
      .conflictUnique, "\(taken.count) objects of \(entity.name) would get a key that another one holds",
      details: taken.prefix(100).map {
        "\(entity.name)#\(batch.numbers[$0.row])  \(entity.tableLayout.indexes[$0.index].name)  stored \(entity.name)#\($0.holder)"
      })
  }
}

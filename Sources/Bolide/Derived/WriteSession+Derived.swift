import BolideStorage
import Foundation

/// Derived values and the relationship part of history, both from what a transaction changed (rules R-3, H-2, U-4).
///
/// This is the one place that every write passes, so that derived values are true by whatever path a change came.
extension WriteSession {
  /// Recomputes what the transaction made stale and completes the log: both sides of every link edit are changes.
  package func refreshDerived() throws(BolideError) {
    var touched: [TableID: [Number: PropertySet]] = [:]
    for side in log.sides.keys {
      touched[side.table, default: [:]][side.owner, default: PropertySet()].insert(side.property)
    }
    let stale = try staleAttributes(touched)
    for table in map.layout.tables.indices {
      var numbers = NumberSet(touched[table].map { Array($0.keys) } ?? [])
      for (attribute, owners) in stale where coordinator.derived.attributes[attribute].entity.table == table {
        numbers.formUnion(owners)
      }
      try forEachChunk(numbers) { (chunk) throws(BolideError) in
        try refresh(chunk, of: table, touched: touched[table] ?? [:], stale: stale)
      }
    }
    try stampTimes()
  }

  // MARK: What is stale

  /// The owners of each derived attribute whose value may be another now.
  private func staleAttributes(
    _ touched: [TableID: [Number: PropertySet]]
  ) throws(BolideError) -> [Int: NumberSet] {
    let rules = coordinator.derived
    if rules.attributes.isEmpty { return [:] }
    var stale: [Int: NumberSet] = [:]
    for (index, attribute) in rules.attributes.enumerated() {
      switch attribute.source {
      case .text, .path: stale[index] = log.insertedNumbers(of: attribute.entity.id)
      case .count, .sum, .now: break
      }
    }
    for trigger in rules.triggers {
      var changed = NumberSet()
      for (number, properties) in touched[trigger.table] ?? [:] where properties.contains(trigger.property) {
        changed.insert(number)
      }
      for entity in map.entities where entity.table == trigger.table {
        changed.formUnion(log.updatedNumbers(of: entity.id, in: trigger.property))
        if !trigger.back.isEmpty { changed.formUnion(log.insertedNumbers(of: entity.id)) }
      }
      if changed.isEmpty { continue }
      stale[trigger.attribute, default: NumberSet()].formUnion(try owners(of: changed, by: trigger))
    }
    return stale.filter { !$0.value.isEmpty }
  }

  private func owners(
    of changed: NumberSet, by trigger: DerivedRules.Trigger
  ) throws(BolideError) -> NumberSet {
    let relationships = RelationshipReader(map: map, reader: transaction)
    var numbers = changed
    for step in trigger.back {
      var next = NumberSet()
      for number in numbers.numbers {
        for owner in try relationships.members(step.property, of: number, table: step.table) {
          next.insert(owner)
        }
      }
      numbers = next
    }
    return numbers
  }

  // MARK: Recomputing

  private func refresh(
    _ numbers: [Number], of table: TableID, touched: [Number: PropertySet], stale: [Int: NumberSet]
  ) throws(BolideError) {
    let format = map.layout.tables[table].format
    var rows = RowBatch(format)
    try transaction.rows(numbers, of: table, columns: .all(format.columnCount), into: &rows)
    let counts = try countsOfMembers(numbers, rows: rows, stale: stale)
    var changed: [ColumnSet: RowBatch] = [:]
    var builder = RowBuilder(format)
    for (index, number) in numbers.enumerated() {
      try rows.withRow(at: index) { (row) throws(BolideError) in
        let entity = entity(of: row, in: table)
        var columns = ColumnSet()
        builder.load(row)
        for (place, attribute) in coordinator.derived.attributes.enumerated()
        where attribute.entity.id == entity.id && stale[place]?.contains(number) == true {
          let known = counts[place]?[number].map { Value.int(Int64($0)) }
          let value =
            if let known { try attribute.checked(known, of: number) } else {
              try attribute.value(row, number: number, map: map, reader: transaction)
            }
          guard let value, value.normalized != row.value(attribute.column) else { continue }
          builder.set(attribute.column, value)
          columns.insert(attribute.column)
        }
        if !columns.isEmpty {
          builder.append(to: &changed[columns, default: RowBatch(format)], number: number)
        }
        let properties = (touched[number] ?? PropertySet()).union(columns)
        if !properties.isEmpty { log.extend(number, entity: entity.id, by: properties) }
      }
    }
    for (columns, batch) in changed {
      var taken: [Taken] = []
      try transaction.update(batch, of: table, columns: columns, taken: &taken)
    }
  }

  /// Counts are asked for all owners at once.
  private func countsOfMembers(
    _ numbers: [Number], rows: RowBatch, stale: [Int: NumberSet]
  ) throws(BolideError) -> [Int: [Number: Int]] {
    var result: [Int: [Number: Int]] = [:]
    for (place, owners) in stale {
      guard case .count(let side) = coordinator.derived.attributes[place].source else { continue }
      let present = numbers.indices.filter { rows.isPresent($0) && owners.contains(numbers[$0]) }.map {
        numbers[$0]
      }
      let counts = try RelationshipReader(map: map, reader: transaction).counts(side, of: present)
      result[place] = Dictionary(zip(present, counts), uniquingKeysWith: { first, _ in first })
    }
    return result
  }

  // MARK: Times

  /// Sets `now()` in every object that the transaction inserted or changed; alone it is no change.
  private func stampTimes() throws(BolideError) {
    for attribute in coordinator.derived.attributes {
      guard case .now = attribute.source else { continue }
      var numbers = log.insertedNumbers(of: attribute.entity.id)
      numbers.formUnion(log.updatedNumbers(of: attribute.entity.id))
      let time = Value.date(coordinator.environment.now())
      let format = attribute.entity.format
      try forEachChunk(numbers) { (chunk) throws(BolideError) in
        var rows = RowBatch(format)
        try transaction.rows(
          chunk, of: attribute.entity.table, columns: .all(format.columnCount), into: &rows)
        var images = RowBatch(format)
        var builder = RowBuilder(format)
        for (index, number) in chunk.enumerated() {
          rows.withRow(at: index) { row in
            if row.value(attribute.column) == time.normalized { return }
            builder.load(row)
            builder.set(attribute.column, time)
            builder.append(to: &images, number: number)
            log.extend(number, entity: attribute.entity.id, by: ColumnSet([attribute.column]))
          }
        }
        var taken: [Taken] = []
        try transaction.update(
          images, of: attribute.entity.table, columns: ColumnSet([attribute.column]), taken: &taken)
      }
    }
  }

  private func forEachChunk(
    _ numbers: NumberSet, _ body: ([Number]) throws(BolideError) -> Void
  ) throws(BolideError) {
    let all = numbers.numbers
    for start in stride(from: 0, to: all.count, by: Self.chunk) {
      try body(Array(all[start..<min(start + Self.chunk, all.count)]))
    }
  }
}

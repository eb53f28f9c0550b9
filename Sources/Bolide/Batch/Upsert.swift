import BolideStorage

/// Inserting rows by rule U-3: what is new is inserted, what meets a stored object is decided by the policy,
/// record by record as if one by one (rule U-4), a chunk at a time.
package final class Upsert {
  /// What becomes of attributes that an input does not mention when it meets a stored object.
  private let absent: AbsentRule
  private let policy: MergePolicy
  private let session: WriteSession
  private let entity: EntityMap
  private let settable: ColumnSet
  private let all: ColumnSet
  private var matched = NumberSet()
  /// Whether most of the last chunk was there already: then rows are looked up before they are inserted.
  private var expectsMatches = false
  private var recordsBefore = 0
  private var conflicts: [String] = []
  private var conflictCount = 0

  // Buffers that live as long as the request.
  private var found: RowBatch
  private var fresh: RowBatch
  private var freshPlaces: [Int] = []
  private var holders: RowBatch
  private var builder: RowBuilder

  package init(_ session: WriteSession, entity: EntityMap, policy: MergePolicy, absent: AbsentRule) {
    self.session = session
    self.entity = entity
    self.policy = policy
    self.absent = absent
    settable = entity.settable
    all = .all(entity.format.columnCount)
    found = RowBatch(entity.format)
    fresh = RowBatch(entity.format)
    holders = RowBatch(entity.format)
    builder = RowBuilder(entity.format)
  }

  /// Takes a chunk of records.
  package func add(_ input: InputRows) throws(BolideError) {
    if entity.uniqueIndexes.count < 2 {
      try add(input.rows, given: input.given)
    } else {
      // Constraints can cross inside a chunk: what one record changes decides whom the next one meets.
      var single = RowBatch(entity.format)
      for index in 0..<input.count {
        single.removeAll()
        input.rows.withRow(at: index) { single.append($0, number: 0) }
        try add(single, given: [input.given[index]])
      }
    }
  }

  /// The objects by what became of them; refuses the request where the policy is *error* and there were conflicts.
  package func finish() throws(BolideError) -> Outcome {
    guard conflictCount == 0 else {
      throw BolideError(
        .conflictUnique,
        "\(conflictCount) of \(recordsBefore) records of \(entity.name) meet an object that is stored",
        details: conflicts
          + (conflictCount > conflicts.count ? ["and \(conflictCount - conflicts.count) more"] : []))
    }
    let inserted = session.log.insertedNumbers(of: entity.id)
    let updated = entity.members.map { ($0, session.log.updatedNumbers(of: $0)) }
    matched.subtract(inserted)
    for (_, numbers) in updated { matched.subtract(numbers) }
    return Outcome(inserted: [(entity.id, inserted)], updated: updated, unchanged: try byEntity(matched))
  }

  /// Objects by what became of them, and by their entities: a record of an entity may meet an object of one that inherits
  /// from it.
  package struct Outcome {
    package var inserted: [(EntityID, NumberSet)] = []
    package var updated: [(EntityID, NumberSet)] = []
    package var unchanged: [(EntityID, NumberSet)] = []
  }

  // MARK: A chunk

  private func add(_ rows: RowBatch, given: [ColumnSet]) throws(BolideError) {
    let unique = entity.uniqueIndexes
    let incomplete = firstIncomplete(rows)
    if unique.isEmpty {
      if let incomplete { throw missing(incomplete.column, record: recordsBefore + incomplete.row + 1) }
      _ = try insert(rows)
    } else if expectsMatches || incomplete != nil || unique.count > 1 {
      try match(rows, given: given)
    } else {
      let taken = try insert(rows)
      expectsMatches = taken.count * 2 > rows.count
      try merge(taken, rows: rows, places: nil, given: given)
    }
    recordsBefore += rows.count
  }

  /// Looks rows up by their keys first; inserts those that are new.
  private func match(_ rows: RowBatch, given: [ColumnSet]) throws(BolideError) {
    let holdersOf = try holders(of: rows)
    fresh.removeAll()
    freshPlaces.removeAll(keepingCapacity: true)
    rows.withRows { views in
      for index in 0..<rows.count where holdersOf[index] == 0 {
        fresh.append(views[index], number: 0)
        freshPlaces.append(index)
      }
    }
    expectsMatches = fresh.count * 2 <= rows.count
    if let incomplete = firstIncomplete(fresh) {
      throw missing(incomplete.column, record: recordsBefore + freshPlaces[incomplete.row] + 1)
    }
    let matches = holdersOf.enumerated().filter { $0.element > 0 }.map {
      Taken(row: $0.offset, index: entity.uniqueIndexes[0], holder: $0.element)
    }
    if !fresh.isEmpty {
      let taken = try insert(fresh)
      try merge(taken, rows: rows, places: freshPlaces, given: given)
    }
    try merge(
      matches, rows: rows, places: nil, given: given, current: entity.uniqueIndexes.count == 1 ? found : nil)
  }

  /// The stored object each row meets: 0 for none, -1 for one that is dropped.
  private func holders(of rows: RowBatch) throws(BolideError) -> [Number] {
    var result = Array(repeating: Number(0), count: rows.count)
    for (place, index) in entity.uniqueIndexes.enumerated() {
      found.removeAll()
      try session.transaction.find(
        rows, of: entity.table, by: index,
        columns: entity.uniqueIndexes.count == 1 ? all : ColumnSet(), into: &found)
      for row in 0..<rows.count where found.numbers[row] != 0 && found.numbers[row] != result[row] {
        if place == 0 || result[row] == 0 {
          result[row] = found.numbers[row]
        } else if policy == .storeTrump || policy == .rollback {
          matched.insert(found.numbers[row])
          if result[row] > 0 { matched.insert(result[row]) }
          result[row] = -1
        } else {
          let names = try names(of: [result[row], found.numbers[row]])
          throw BolideError(
            .conflictSeveral,
            "record \(recordsBefore + row + 1) of \(entity.name) meets \(names[0]) and \(names[1])")
        }
      }
    }
    return result
  }

  private func insert(_ rows: RowBatch) throws(BolideError) -> [Taken] {
    var taken: [Taken] = []
    let first = try session.nextNumber(entity.table)
    let count = try session.transaction.insert(rows, of: entity.table, numberedFrom: first, taken: &taken)
    session.log.insert(try session.use(count, of: entity.table), entity: entity.id)
    return taken
  }

  // MARK: Meeting stored objects

  /// Applies the policy to records that met an object, in input order.
  ///
  /// - Parameters:
  ///   - places: where the rows that `taken` counts stand in `rows`; `nil` when they are the same.
  ///   - current: the stored rows by input place, when they were read already.
  private func merge(
    _ taken: [Taken], rows: RowBatch, places: [Int]?, given: [ColumnSet], current: RowBatch? = nil
  ) throws(BolideError) {
    if taken.isEmpty { return }
    for meeting in taken { matched.insert(meeting.holder) }
    switch policy {
    case .storeTrump, .rollback: return
    case .error: return try note(taken, rows: rows, places: places)
    case .objectTrump, .overwrite: break
    }
    if current == nil {
      holders.removeAll()
      try session.transaction.rows(taken.map(\.holder), of: entity.table, columns: all, into: &holders)
    }
    let keepsAbsent = absent == .keep && policy == .objectTrump
    var images = RowBatch(entity.format)
    var pending: [Number: (image: Int, stored: Int)] = [:]
    let stored = current ?? holders
    try rows.withRows { (inputs) throws(BolideError) in
      try stored.withRows { (stored) throws(BolideError) in
        for (order, meeting) in taken.enumerated() {
          let place = places?[meeting.row] ?? meeting.row
          let columns = keepsAbsent ? given[place] : settable
          let storedPlace = current == nil ? order : place
          guard stored.isPresent(storedPlace) else { continue }
          if entity.entityColumn != nil { try checkKind(of: stored[storedPlace], meeting, record: place) }
          if let known = pending[meeting.holder] {
            images.withRow(at: known.image) { builder.load($0) }
          } else {
            if !differs(inputs[place], stored[storedPlace], in: columns) { continue }
            builder.load(stored[storedPlace])
          }
          for column in columns.members { builder.copy(column, from: inputs[place]) }
          builder.append(to: &images, number: meeting.holder)
          pending[meeting.holder] = (images.count - 1, pending[meeting.holder]?.stored ?? storedPlace)
        }
      }
    }
    if !pending.isEmpty { try write(images, pending: pending, stored: stored) }
  }

  private func differs(_ input: RowView, _ stored: RowView, in columns: ColumnSet) -> Bool {
    if input.isEqual(to: stored) { return false }
    for column in 0..<entity.format.columnCount
    where columns.contains(column) && !input.isEqual(to: stored, at: column) {
      return true
    }
    return false
  }

  /// Writes the last image of each object, those with the same changed columns together.
  private func write(
    _ images: RowBatch, pending: [Number: (image: Int, stored: Int)], stored: RowBatch
  ) throws(BolideError) {
    var groups: [ColumnSet: RowBatch] = [:]
    for (number, place) in pending.sorted(by: { $0.value.image < $1.value.image }) {
      let columns = try images.withRow(at: place.image) { (image) throws(BolideError) -> ColumnSet? in
        try stored.withRow(at: place.stored) { (old) throws(BolideError) in
          if let column = entity.required.first(where: { image.isNil($0) }) {
            throw missing(column, record: nil)
          }
          let columns = image.differences(from: old)
          if !columns.isEmpty {
            try session.logUpdate(
              number, entity: session.entity(of: old, in: entity.table), current: old, new: image)
            groups[columns, default: RowBatch(entity.format)].append(image, number: number)
          }
          return columns
        }
      }
      if columns == nil { continue }
    }
    for (columns, batch) in groups {
      var taken: [Taken] = []
      try session.transaction.update(batch, of: entity.table, columns: columns, taken: &taken)
      if let first = taken.first {
        let names = try names(of: [batch.numbers[first.row], first.holder])
        throw BolideError(
          .conflictSeveral,
          "a record of \(entity.name) that meets \(names[0]) has a key of \(names[1]), too")
      }
    }
  }

  // MARK: Families

  /// A record can only become an object of its own entity, or of one that inherits from it: others lack attributes
  /// that the record may have (rule R-5).
  private func checkKind(of row: RowView, _ meeting: Taken, record place: Int) throws(BolideError) {
    let kind = session.entity(of: row, in: entity.table)
    if entity.members.contains(kind.id) { return }
    throw BolideError(
      .conflictUnique,
      "record \(recordsBefore + place + 1) of \(entity.name) has the key of \(kind.name)#\(meeting.holder), "
        + "which is no \(entity.name)")
  }

  /// Splits stored objects by the entities that they are of.
  private func byEntity(_ numbers: NumberSet) throws(BolideError) -> [(EntityID, NumberSet)] {
    if entity.entityColumn == nil || numbers.isEmpty { return [(entity.id, numbers)] }
    var result: [EntityID: NumberSet] = [:]
    let all = numbers.numbers
    for start in stride(from: 0, to: all.count, by: WriteSession.chunk) {
      let chunk = Array(all[start..<min(start + WriteSession.chunk, all.count)])
      for (number, kind) in zip(chunk, try kinds(of: chunk)) {
        result[kind.id, default: NumberSet()].insert(number)
      }
    }
    return result.map { ($0.key, $0.value) }
  }

  /// The entities that stored objects are of.
  private func kinds(of numbers: [Number]) throws(BolideError) -> [EntityMap] {
    guard let column = entity.entityColumn else { return numbers.map { _ in entity } }
    var rows = RowBatch(entity.format)
    try session.transaction.rows(numbers, of: entity.table, columns: ColumnSet([column]), into: &rows)
    return numbers.indices.map { place in
      rows.withRow(at: place) { session.entity(of: $0, in: entity.table) } ?? entity
    }
  }

  /// Stored objects as messages call them.
  private func names(of numbers: [Number]) throws(BolideError) -> [String] {
    zip(try kinds(of: numbers), numbers).map { "\($0.name)#\($1)" }
  }

  // MARK: Refusals

  /// Lists conflicts for the policy *error*: the first hundred, and the total (rule U-3).
  private func note(_ taken: [Taken], rows: RowBatch, places: [Int]?) throws(BolideError) {
    conflictCount += taken.count
    let shown = taken.prefix(100 - min(conflicts.count, 100))
    for (meeting, name) in zip(shown, try names(of: shown.map(\.holder))) {
      let place = places?[meeting.row] ?? meeting.row
      let columns = entity.tableLayout.indexes[meeting.index].columns
      rows.withRow(at: place) { row in
        let key = columns.map {
          "\(entity.tableLayout.columns[$0].name) \(CanonicalText.text(row.value($0)))"
        }
        conflicts.append(
          "record \(recordsBefore + place + 1)  \(key.joined(separator: "  "))  stored \(name)")
      }
    }
  }

  private func firstIncomplete(_ rows: RowBatch) -> (row: Int, column: Int)? {
    if entity.required.isEmpty { return nil }
    let first = entity.required.reduce(into: UInt64(0)) { if $1 < 64 { $0 |= 1 << UInt64($1) } }
    let areFirst = entity.required.allSatisfy { $0 < 64 }
    return rows.withRows { views in
      for row in 0..<views.count {
        if areFirst, views[row].presence & first == first { continue }
        for column in entity.required where views[row].isNil(column) { return (row, column) }
      }
      return nil
    }
  }

  private func missing(_ column: Int, record: Int?) -> BolideError {
    let name = "\(entity.name).\(entity.tableLayout.columns[column].name)"
    let isToOne = entity.attributesByColumn[column] == nil
    return BolideError(
      .validationRequired,
      record.map { "record \($0) has no value for \(name)" } ?? "a record clears \(name)",
      remedy: isToOne ? "records set no relationships: save such an object in a context" : nil)
  }
}

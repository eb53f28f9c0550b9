import BolideStorage
import Foundation

/// The one writer: it changes a copy of the state and puts it in place at the end.
final class AcmeTransaction: AcmeReader, WriteTransaction {
  private let shared: AcmeStore.Shared
  private var draft: AcmeState?
  private var released: Set<[UInt8]> = []
  private var hasAppended = false

  init(of shared: AcmeStore.Shared) {
    self.shared = shared
    draft = shared.state.withLock { $0 }
  }

  deinit { rollback() }

  func state() throws(BolideError) -> AcmeState {
    guard let draft else { throw BolideError(.storeClosed, "the transaction has ended") }
    return draft
  }

  func rollback() {
    if draft != nil { shared.writing.unlock() }
    draft = nil
  }

  func commit(pinning: Bool) throws(BolideError) -> (any Snapshot)? {
    let state = try state()
    try AcmeStore.Shared.save(state.map, in: shared.folder)
    shared.state.withLock { $0 = state }
    let snapshot = pinning ? AcmeSnapshot(state, of: shared) : nil
    rollback()
    if hasAppended { for ring in shared.rings.withLock({ Array($0.values) }) { ring() } }
    return snapshot
  }

  // Rows

  func insert(
    _ rows: RowBatch, of table: TableID, numberedFrom first: Number, taken: inout [Taken]
  ) throws(BolideError) -> Int {
    var number = first
    for position in 0..<rows.count {
      guard try put(rows, position, number, table, old: nil, &taken) else { continue }
      number += 1
    }
    return Int(number - first)
  }

  func update(
    _ rows: RowBatch, of table: TableID, columns: ColumnSet, taken: inout [Taken]
  ) throws(BolideError) {
    for position in 0..<rows.count {
      let number = rows.numbers[position]
      let state = try state()
      guard let old = state.map[Name.rows(state.layout.tables[table]) + Name.number(number)] else {
        throw BolideError(.storeMisuse, "row \(number) is not there")
      }
      _ = try put(rows, position, number, table, old: old, &taken)
    }
  }

  /// Writes a row and its index entries, unless a key is taken.
  private func put(
    _ rows: RowBatch, _ position: Int, _ number: Number, _ table: TableID, old: [UInt8]?,
    _ taken: inout [Taken]
  ) throws(BolideError) -> Bool {
    var state = try state()
    let layout = state.layout.tables[table]
    let name = Name.rows(layout) + Name.number(number)
    let holder = rows.withRow(at: position) { row -> Taken? in
      for (id, index) in layout.indexes.enumerated() {
        let key = state.key(of: row, number, in: layout, index)
        guard key.isWhole, let holder = state.map[key.bytes].map(Name.number(endOf:)), holder != number else {
          continue
        }
        return Taken(row: position, index: id, holder: holder)
      }
      return nil
    }
    if let holder = holder ?? nil {
      taken.append(holder)
      return false
    }
    draft = nil  // so that the map is changed in place
    if let old { unindex(old, number, layout, &state) }
    _ = rows.withRow(at: position) { row in
      for index in layout.indexes {
        state.map[state.key(of: row, number, in: layout, index).bytes] = Name.number(number)
      }
      state.map[name] = [UInt8](row.bytes)
    }
    released.remove(name)
    draft = state
    return true
  }

  /// Takes out a row's index entries; those that a released row lost already may be another's.
  private func unindex(
    _ row: [UInt8], _ number: Number, _ table: TableLayout, uniqueOnly: Bool = false, _ state: inout AcmeState
  ) {
    let isReleased = released.contains(Name.rows(table) + Name.number(number))
    row.withUnsafeBytes { bytes in
      for index in table.indexes where index.isUnique ? !isReleased : !uniqueOnly {
        state.map[state.key(of: RowView(bytes, format: table.format), number, in: table, index).bytes] = nil
      }
    }
  }

  func release(_ numbers: [Number], of table: TableID) throws(BolideError) {
    try remove(numbers, of: table) { name, row, number, layout, state in
      self.unindex(row, number, layout, uniqueOnly: true, &state)
      self.released.insert(name)
    }
  }

  func delete(_ numbers: [Number], of table: TableID) throws(BolideError) {
    try remove(numbers, of: table) { name, row, number, layout, state in
      self.unindex(row, number, layout, &state)
      self.released.remove(name)
      state.map[name] = nil
    }
  }

  private func remove(
    _ numbers: [Number], of table: TableID,
    _ body: ([UInt8], [UInt8], Number, TableLayout, inout AcmeState) -> Void
  ) throws(BolideError) {
    var state = try state()
    draft = nil
    let layout = state.layout.tables[table]
    for number in numbers {
      let name = Name.rows(layout) + Name.number(number)
      if let row = state.map[name] { body(name, row, number, layout, &state) }
    }
    draft = state
  }

  // Links

  func link(_ link: LinkID, _ links: [Link], added: inout [Bool]) throws(BolideError) {
    var state = try state()
    let layout = state.layout.links[link]
    for pair in links {
      let key = Name.links(layout, .forward) + Name.number(pair.from) + Name.number(pair.to)
      added.append(state.map[key] == nil)
      if state.map[key] != nil { continue }
      state.map[key] = Name.number(pair.order) + Name.number(pair.inverseOrder)
      state.map[Name.links(layout, .inverse) + Name.number(pair.to) + Name.number(pair.from)] =
        Name.number(pair.inverseOrder) + Name.number(pair.order)
    }
    draft = state
  }

  func unlink(_ link: LinkID, _ links: [Link], removed: inout [Bool]) throws(BolideError) {
    var state = try state()
    let layout = state.layout.links[link]
    for pair in links {
      let key = Name.links(layout, .forward) + Name.number(pair.from) + Name.number(pair.to)
      removed.append(state.map[key] != nil)
      state.map[key] = nil
      state.map[Name.links(layout, .inverse) + Name.number(pair.to) + Name.number(pair.from)] = nil
    }
    draft = state
  }

  // History and metadata

  func append(
    _ record: TransactionRecord, runs: [ChangeRun], tombstones: [Tombstones]
  ) throws(BolideError) {
    guard !hasAppended, try record.mark.transaction == head().transaction + 1 else {
      throw BolideError(.storeMisuse, "appending transaction \(record.mark.transaction)")
    }
    var state = try state()
    let number = record.mark.transaction
    state.map[Name.history + Name.number(number)] = try Coding.bytes(record)
    for (place, run) in runs.enumerated() {
      state.map[Name.runs(number) + Name.number(Number(place))] = try Coding.bytes(run)
    }
    for buried in tombstones {
      let prefix = Name.tombstones(number) + Name.text(state.layout.tables[buried.table].name)
      for position in 0..<buried.rows.count {
        let row = buried.rows.withRow(at: position) { [UInt8]($0.bytes) }
        state.map[prefix + Name.number(buried.rows.numbers[position])] = row
      }
    }
    state.map[Name.head] = Name.number(number) + Name.number(record.mark.nonce)
    draft = state
    hasAppended = true
  }

  func dropHistory(through number: UInt64, limit: Int) throws(BolideError) -> Bool {
    var records: [TransactionRecord] = []
    try transactions(after: 0, limit: .max, into: &records)
    let old = records.prefix { $0.mark.transaction <= number }
    var state = try state()
    for record in old.prefix(limit) {
      let number = record.mark.transaction
      state.map[Name.history + Name.number(number)] = nil
      state.map.remove(state.map.places(Name.runs(number)))
      state.map.remove(state.map.places(Name.tombstones(number)))
      state.map[Name.start] = Name.number(number) + Name.number(record.mark.nonce)
    }
    draft = state
    return old.count > limit
  }

  func setMetadata(_ key: String, _ value: [UInt8]?) throws(BolideError) {
    var state = try state()
    state.map[Name.metadata(key)] = value
    draft = state
  }

  // Layout

  func change(_ layout: Layout) throws(BolideError) {
    let old = try state()
    var new = AcmeState(layout: layout, map: old.map)
    for table in old.layout.tables {
      for index in table.indexes { new.map.remove(new.map.places(Name.index(table, index))) }
      guard let now = layout.tables.first(where: { $0.name == table.name }) else {
        new.map.remove(new.map.places(Name.rows(table)))
        continue
      }
      for column in now.columns
      where table.columns.contains(where: { $0.name == column.name && $0.type != column.type }) {
        throw BolideError(.storeMisuse, "column \(column.name) cannot change its type")
      }
      try rewrite(table, as: now, &new)
    }
    for link in old.layout.links where !layout.links.contains(where: { $0.name == link.name }) {
      for side in [LinkSide.forward, .inverse] { new.map.remove(new.map.places(Name.links(link, side))) }
    }
    try renumber(from: old.layout, to: layout, &new)
    new.map[Name.layout] = try Coding.encode(layout)
    draft = new
  }

  /// Brings runs under the new ids of their entities; those of entities that are gone go with them.
  private func renumber(from old: Layout, to new: Layout, _ state: inout AcmeState) throws(BolideError) {
    let ids = old.entities.map { entity in new.entities.firstIndex { $0.name == entity.name } }
    var changed: [(key: [UInt8], value: [UInt8]?)] = []
    for place in state.map.places(Name.allRuns) {
      var run = try Coding.run(state.map.values[place])
      let id = ids.indices.contains(run.entity) ? ids[run.entity] : nil
      run.entity = id ?? 0
      changed.append((state.map.keys[place], id == nil ? nil : try Coding.bytes(run)))
    }
    for (key, value) in changed { state.map[key] = value }
  }

  /// Writes a table's rows and indexes anew.
  private func rewrite(_ old: TableLayout, as new: TableLayout, _ state: inout AcmeState) throws(BolideError)
  {
    var taken: [Taken] = []
    var batch = RowBatch(new.format)
    var builder = RowBuilder(new.format)
    for place in state.map.places(Name.rows(old)) {
      let number = Name.number(endOf: state.map.keys[place])
      state.map.values[place].withUnsafeBytes { bytes in
        builder.clear()
        let row = RowView(bytes, format: old.format)
        for (column, layout) in new.columns.enumerated() {
          guard let source = old.columns.firstIndex(where: { $0.name == layout.name }) else { continue }
          builder.set(column, row.value(source))
        }
        builder.append(to: &batch, number: number)
      }
    }
    for position in 0..<batch.count {
      let number = batch.numbers[position]
      _ = batch.withRow(at: position) { row in
        state.map[Name.rows(new) + Name.number(number)] = [UInt8](row.bytes)
        for (id, index) in new.indexes.enumerated() {
          let key = state.key(of: row, number, in: new, index).bytes
          if let holder = state.map[key] {
            taken.append(Taken(row: Int(number), index: id, holder: Name.number(endOf: holder)))
          } else {
            state.map[key] = Name.number(number)
          }
        }
      }
    }
    if let first = taken.map(\.index).min() {
      throw BolideError(
        .storeMisuse, "rows of \(new.name) break the unique index \(new.indexes[first].name)",
        payload: Array(taken.filter { $0.index == first }.prefix(100)))
    }
  }
}

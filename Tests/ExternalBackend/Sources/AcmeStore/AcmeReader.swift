import BolideStorage
import Foundation

/// One state: the layout and the map.
struct AcmeState: Sendable {
  var layout: Layout
  var map: OrderedBytes
}

/// Reading, the same for snapshots and transactions.
protocol AcmeReader: Reader {
  func state() throws(BolideError) -> AcmeState
}

extension AcmeReader {
  func head() throws(BolideError) -> Mark { try mark(Name.head) }
  func historyStart() throws(BolideError) -> Mark { try mark(Name.start) }
  func metadata(_ key: String) throws(BolideError) -> [UInt8]? { try state().map[Name.metadata(key)] }

  private func mark(_ key: [UInt8]) throws(BolideError) -> Mark {
    guard let bytes = try state().map[key] else { return .start }
    return Mark(
      transaction: UInt64(bitPattern: Name.number(endOf: Array(bytes.prefix(8)))),
      nonce: UInt64(bitPattern: Name.number(endOf: bytes)))
  }

  func rows(
    _ numbers: [Number], of table: TableID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    let state = try state()
    let prefix = Name.rows(state.layout.tables[table])
    for number in numbers { append(state.map[prefix + Name.number(number)], number, to: &batch) }
  }

  func find(
    _ keys: RowBatch, of table: TableID, by index: IndexID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    let state = try state()
    let layout = state.layout.tables[table]
    for position in 0..<keys.count {
      let key = keys.withRow(at: position) { state.key(of: $0, 0, in: layout, layout.indexes[index]) }
      guard let key, key.isWhole, let number = state.map[key.bytes] else {
        batch.appendAbsent()
        continue
      }
      append(state.map[Name.rows(layout) + number], Name.number(endOf: number), to: &batch)
    }
  }

  private func append(_ row: [UInt8]?, _ number: Number, to batch: inout RowBatch) {
    guard let row else { return batch.appendAbsent() }
    row.withUnsafeBytes { batch.append($0, number: number) }
  }

  func scan(
    _ range: KeyRange, of table: TableID, backwards: Bool, from place: inout Place?, limit: Int,
    columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    let state = try state()
    let layout = state.layout.tables[table]
    var places: Range<Int>
    var resume: [UInt8]?
    var index: IndexLayout?
    switch range {
    case .numbers(let numbers):
      let prefix = Name.rows(layout)
      let lower = state.map.place(prefix + Name.number(max(numbers.lowerBound, 0)))
      places = lower..<max(lower, state.map.place(prefix + Name.number(numbers.upperBound) + [0]))
      if let place { resume = prefix + Name.number(place.number) }
    case .index(let id, let lower, let upper):
      let chosen = layout.indexes[id]
      index = chosen
      let prefix = Name.index(layout, chosen)
      places = state.map.places(prefix)
      if let lower {
        let start = state.map.place(prefix + lower.values.key + (lower.isInclusive ? [] : [0xFF]))
        places = start..<max(start, places.upperBound)
      }
      if let upper {
        let end = state.map.place(prefix + upper.values.key + (upper.isInclusive ? [0xFF] : []))
        places = places.lowerBound..<max(places.lowerBound, end)
      }
      if let place {
        let isWhole = chosen.isUnique && !place.values.contains(.null)
        resume = prefix + place.values.key + (isWhole ? [] : Name.number(place.number))
      }
    }
    if let resume, backwards { places = places.lowerBound..<state.map.place(resume) }
    if let resume, !backwards { places = state.map.place(resume + [0])..<places.upperBound }
    let chosen = backwards ? Array(places.suffix(limit).reversed()) : Array(places.prefix(limit))
    for position in chosen {
      let value = state.map.values[position]
      let number = Name.number(endOf: index == nil ? state.map.keys[position] : value)
      append(index == nil ? value : state.map[Name.rows(layout) + value], number, to: &batch)
    }
    let last = batch.count - 1
    place =
      places.count <= limit
      ? nil
      : batch.withRow(at: last) { row in
        Place(values: (index?.columns ?? []).map { row.value($0) }, number: batch.numbers[last])
      }
  }

  func count(of table: TableID) throws(BolideError) -> Int {
    let state = try state()
    return state.map.places(Name.rows(state.layout.tables[table])).count
  }

  func links(
    _ link: LinkID, of numbers: [Number], side: LinkSide, after: Link?, limit: Int, into links: inout [Link]
  ) throws(BolideError) {
    let state = try state()
    let prefix = Name.links(state.layout.links[link], side)
    let all = numbers.flatMap { number in
      state.map.places(prefix + Name.number(number)).map { place in
        let other = Name.number(endOf: state.map.keys[place])
        let own = Name.number(endOf: Array(state.map.values[place].prefix(8)))
        let far = Name.number(endOf: state.map.values[place])
        return side == .forward
          ? Link(from: number, to: other, order: own, inverseOrder: far)
          : Link(from: other, to: number, order: far, inverseOrder: own)
      }.sorted {
        side == .forward
          ? ($0.order, $0.to) < ($1.order, $1.to)
          : ($0.inverseOrder, $0.from) < ($1.inverseOrder, $1.from)
      }
    }
    let start = after.flatMap { all.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
    links += all[start...].prefix(limit)
  }

  func linkCounts(
    _ link: LinkID, of numbers: [Number], side: LinkSide, into counts: inout [Int]
  ) throws(BolideError) {
    let state = try state()
    let prefix = Name.links(state.layout.links[link], side)
    counts += numbers.map { state.map.places(prefix + Name.number($0)).count }
  }

  func transactions(
    after number: UInt64, limit: Int, into records: inout [TransactionRecord]
  ) throws(BolideError) {
    let map = try state().map
    let places = map.place(Name.history + Name.number(number) + [0])..<map.places(Name.history).upperBound
    for place in places.prefix(limit) { records.append(try Coding.record(map.values[place])) }
  }

  func transaction(_ number: UInt64) throws(BolideError) -> TransactionRecord? {
    guard let bytes = try state().map[Name.history + Name.number(number)] else { return nil }
    return try Coding.record(bytes)
  }

  func runs(of transaction: UInt64, into runs: inout [ChangeRun]) throws(BolideError) {
    let map = try state().map
    for place in map.places(Name.runs(transaction)) { runs.append(try Coding.run(map.values[place])) }
  }

  func tombstones(
    of transaction: UInt64, in table: TableID, after number: Number, limit: Int, into batch: inout RowBatch
  ) throws(BolideError) {
    let state = try state()
    let prefix = Name.tombstones(transaction) + Name.text(state.layout.tables[table].name)
    let end = state.map.places(prefix).upperBound
    for place in (state.map.place(prefix + Name.number(number) + [0])..<end).prefix(limit) {
      append(state.map.values[place], Name.number(endOf: state.map.keys[place]), to: &batch)
    }
  }
}

extension AcmeState {
  /// The key of a row in an index, and whether it compares all parts of a unique key.
  func key(
    of row: RowView, _ number: Number, in table: TableLayout, _ index: IndexLayout
  ) -> (bytes: [UInt8], isWhole: Bool) {
    var key = Name.index(table, index)
    let hasNil = IndexKey.append(row, columns: index.columns, to: &key)
    let isWhole = index.isUnique && !hasNil
    return (isWhole ? key : key + Name.number(number), isWhole)
  }
}

extension [Value] {
  /// The key of these values in an index.
  var key: [UInt8] {
    var key: [UInt8] = []
    for value in self { IndexKey.append(value, to: &key) }
    return key
  }
}

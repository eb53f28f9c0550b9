import BolideStorage

/// A state of the store with a context's unsaved edits laid over it: what the next save would leave, so that whatever
/// reads it (conditions over relationships, aggregates, sorts, counts) sees edits, links, inserts and deletes.
///
/// New objects have numbers above all stored ones, in the order of their insertion. Derived attributes, delete
/// rules and history are those of the stored state: they follow with the save.
final class PendingReader: Reader {
  private let base: any Reader
  private let map: SchemaMap
  private var tables: [TableID: PendingRows] = [:]
  private var links: [LinkID: PendingLinks] = [:]
  /// The links of the last call, since the next one mostly goes on with them.
  private var page: (link: LinkID, side: LinkSide, numbers: [Number], links: [Link])?

  /// Lays the edits of some objects over a state; those of objects that are gone from it are left out.
  init(_ objects: [ManagedObject], over base: any Reader, map: SchemaMap) throws(BolideError) {
    self.base = base
    self.map = map
    // New objects that were deleted again, too: others may have been linked to them meanwhile.
    for object in objects where object.isDeleted {
      rows(of: object.entity.table) { $0.delete(object.objectID.pendingNumber) }
    }
    for object in objects { try add(object) }
    for object in objects where object.state == .deleted { try letGo(of: object) }
  }

  /// Whether a row differs from the stored one.
  func differs(_ number: Number, in table: TableID) -> Bool {
    tables[table]?.differs(number) == true
  }

  private func rows(of table: TableID, _ change: (inout PendingRows) -> Void) {
    change(&tables[table, default: PendingRows(map.layout.tables[table])])
  }

  private func isDeleted(_ number: Number, in table: TableID) -> Bool {
    tables[table]?.isDeleted(number) == true
  }

  // MARK: Edits

  private func add(_ object: ManagedObject) throws(BolideError) {
    switch object.state {
    case .inserted: break
    case .live where object.base != nil: break
    case .live, .deleted, .gone: return
    }
    let entity = object.entity
    if object.state == .inserted || !object.edits.isEmpty {
      var builder = RowBuilder(entity.format)
      object.image(into: &builder)
      for case .toOne(let column, _, _, let destination) in entity.relationships.map(\.kind) {
        if case .object(let id?)? = object.edits[column] {
          builder.set(column, .reference(id.pendingNumber))
        }
        clear(column, to: map.entities[destination].table, in: &builder)
      }
      rows(of: entity.table) { $0.set(builder, object.objectID.pendingNumber) }
    }
    for property in entity.relationships {
      guard case .link(let link, let side, _, _) = property.kind, let edits = object.sides[property.id]
      else { continue }
      let owner = object.objectID.pendingNumber
      func pair(_ id: ManagedObjectID) -> Link {
        side == .forward
          ? Link(from: owner, to: id.pendingNumber) : Link(from: id.pendingNumber, to: owner)
      }
      links[link, default: PendingLinks()].formUnion(
        added: edits.added.map(pair), removed: edits.removed.map(pair))
    }
  }

  /// A reference to a deleted object is none.
  private func clear(_ column: Int, to table: TableID, in builder: inout RowBuilder) {
    guard tables[table]?.hasDeletes == true, !builder.isNil(column) else { return }
    var row = RowBatch(builder.format)
    builder.append(to: &row)
    let number = row.withRow(at: 0) { $0.int(column) } ?? 0
    if isDeleted(number, in: table) { builder.setNil(column) }
  }

  /// Stored rows that name a deleted object name none.
  private func letGo(of object: ManagedObject) throws(BolideError) {
    let relationships = RelationshipReader(map: map, reader: base)
    for property in object.entity.relationships {
      switch property.kind {
      case .attribute, .toOne: break
      case .link(let link, _, _, _): links[link, default: PendingLinks()].losesMembers = true
      case .inverse(_, let table, let column, let index, _, _):
        let numbers = try relationships.referring(
          to: object.objectID.number, from: table, column: column, index: index
        ).filter { !differs($0, in: table) }
        let format = map.layout.tables[table].format
        var stored = RowBatch(format)
        try base.rows(numbers, of: table, columns: .all(format.columnCount), into: &stored)
        var builder = RowBuilder(format)
        for (place, number) in numbers.enumerated() {
          guard stored.withRow(at: place, { builder.load($0) }) != nil else { continue }
          builder.setNil(column)
          rows(of: table) { $0.set(builder, number) }
        }
      }
    }
  }

  // MARK: Rows

  func rows(
    _ numbers: [Number], of table: TableID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    guard let pending = tables[table] else {
      return try base.rows(numbers, of: table, columns: columns, into: &batch)
    }
    var stored = RowBatch(batch.format)
    try base.rows(numbers.filter { !pending.differs($0) }, of: table, columns: columns, into: &stored)
    var place = 0
    for number in numbers {
      if pending.differs(number) {
        pending.append(number, to: &batch)
      } else {
        if stored.withRow(at: place, { batch.append($0, number: number) }) == nil { batch.appendAbsent() }
        place += 1
      }
    }
  }

  func find(
    _ keys: RowBatch, of table: TableID, by index: IndexID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    guard let pending = tables[table] else {
      return try base.find(keys, of: table, by: index, columns: columns, into: &batch)
    }
    var stored = RowBatch(batch.format)
    try base.find(keys, of: table, by: index, columns: columns, into: &stored)
    for place in 0..<keys.count {
      let number = stored.numbers[place]
      if let number = keys.withRow(at: place, { pending.holder(of: $0, by: index) }) ?? nil {
        pending.append(number, to: &batch)
      } else if stored.isPresent(place), !pending.differs(number) {
        stored.withRow(at: place) { batch.append($0, number: number) }
      } else {
        batch.appendAbsent()
      }
    }
  }

  func scan(
    _ range: KeyRange, of table: TableID, backwards: Bool, from place: inout Place?, limit: Int,
    columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    guard let pending = tables[table] else {
      return try base.scan(
        range, of: table, backwards: backwards, from: &place, limit: limit, columns: columns, into: &batch)
    }
    var merge = PendingMerge(pending, range, backwards: backwards, from: place)
    let needed = columns.union(ColumnSet(merge.keyColumns))
    var storedPlace = place
    var left = limit
    repeat {
      var stored = RowBatch(batch.format)
      try base.scan(
        range, of: table, backwards: backwards, from: &storedPlace, limit: limit, columns: needed,
        into: &stored)
      left -= merge.append(stored, isLast: storedPlace == nil, atMost: left, to: &batch)
    } while storedPlace != nil && left > 0
    place = left > 0 ? nil : merge.place
  }

  func count(of table: TableID) throws(BolideError) -> Int {
    guard let pending = tables[table] else { return try base.count(of: table) }
    var stored = RowBatch(map.layout.tables[table].format)
    try base.rows(pending.changed, of: table, columns: ColumnSet(), into: &stored)
    let hidden = stored.numbers.indices.count { stored.isPresent($0) }
    return try base.count(of: table) - hidden + pending.count
  }

  // MARK: Links

  func links(
    _ link: LinkID, of numbers: [Number], side: LinkSide, after: Link?, limit: Int, into links: inout [Link]
  ) throws(BolideError) {
    guard self.links[link] != nil else {
      return try base.links(link, of: numbers, side: side, after: after, limit: limit, into: &links)
    }
    let all = try allLinks(link, of: numbers, side: side)
    let start = after.flatMap { after in all.firstIndex(of: after) }.map { $0 + 1 } ?? 0
    links += all[start...].prefix(limit)
  }

  func linkCounts(
    _ link: LinkID, of numbers: [Number], side: LinkSide, into counts: inout [Int]
  ) throws(BolideError) {
    guard links[link] != nil else {
      return try base.linkCounts(link, of: numbers, side: side, into: &counts)
    }
    var known: [Number: Int] = [:]
    for pair in try allLinks(link, of: numbers, side: side) { known[pair.owner(side), default: 0] += 1 }
    counts += numbers.map { known[$0] ?? 0 }
  }

  private func allLinks(
    _ link: LinkID, of numbers: [Number], side: LinkSide
  ) throws(BolideError) -> [Link] {
    if let page, page.link == link, page.side == side, page.numbers == numbers { return page.links }
    var pairs: [Number: [Link]] = [:]
    let pending = links[link] ?? PendingLinks()
    let stored = try RelationshipReader(map: map, reader: base).links(link, of: numbers, side: side)
    let layout = map.layout.links[link]
    for pair in stored + pending.added
    where !isDeleted(pair.from, in: layout.source) && !isDeleted(pair.to, in: layout.target) {
      if pending.removed.contains(pair.plain) { continue }
      pairs[pair.owner(side), default: []].append(pair)
    }
    var result: [Link] = []
    for number in numbers {
      var known: Set<Number> = []
      result += (pairs[number] ?? []).sorted { $0.precedes($1, side) }
        .filter { known.insert($0.member(side)).inserted }
    }
    page = (link, side, numbers, result)
    return result
  }

  // MARK: What edits do not concern

  func head() throws(BolideError) -> Mark { try base.head() }

  func metadata(_ key: String) throws(BolideError) -> [UInt8]? { try base.metadata(key) }

  func transactions(
    after number: UInt64, limit: Int, into records: inout [TransactionRecord]
  ) throws(BolideError) {
    try base.transactions(after: number, limit: limit, into: &records)
  }

  func transaction(_ number: UInt64) throws(BolideError) -> TransactionRecord? {
    try base.transaction(number)
  }

  func runs(of transaction: UInt64, into runs: inout [ChangeRun]) throws(BolideError) {
    try base.runs(of: transaction, into: &runs)
  }

  func tombstones(
    of transaction: UInt64, in table: TableID, after number: Number, limit: Int, into batch: inout RowBatch
  ) throws(BolideError) {
    try base.tombstones(of: transaction, in: table, after: number, limit: limit, into: &batch)
  }

  func historyStart() throws(BolideError) -> Mark { try base.historyStart() }
}

/// The edits of a link table.
struct PendingLinks {
  private(set) var added: Set<Link> = []
  private(set) var removed: Set<Link> = []
  /// Whether objects that were deleted may have links.
  var losesMembers = false

  mutating func formUnion(added: [Link], removed: [Link]) {
    self.added.formUnion(added)
    self.removed.formUnion(removed)
  }
}

extension Link {
  /// The pair alone, whatever its places are.
  fileprivate var plain: Link { Link(from: from, to: to) }

  fileprivate func owner(_ side: LinkSide) -> Number { side == .forward ? from : to }

  fileprivate func member(_ side: LinkSide) -> Number { side == .forward ? to : from }

  /// Whether the link comes before another of the same object.
  fileprivate func precedes(_ other: Link, _ side: LinkSide) -> Bool {
    let places = side == .forward ? (order, other.order) : (inverseOrder, other.inverseOrder)
    return (places.0, member(side)) < (places.1, other.member(side))
  }
}

extension ManagedObjectID {
  /// The number by which pending edits know the object: a new one's is above all that are stored.
  var pendingNumber: Number { isTemporary ? Number.max / 2 - number : number }

  /// The number of the unsaved object that a pending number stands for, which is negative; `nil` for a stored one.
  static func temporaryNumber(_ pending: Number) -> Number? {
    pending > Number.max / 2 ? Number.max / 2 - pending : nil
  }
}

import BolideStorage
import CLMDB

extension LMDBTransaction {
  func update(
    _ rows: RowBatch, of id: TableID, columns: ColumnSet, taken: inout [Taken]
  ) throws(BolideError) {
    let table = try schema.table(id)
    try table.checkFormat(rows)
    try settle(id)
    let nodes = schema.fixed.nodes
    var released = self.released.removeValue(forKey: id) ?? []
    defer { if !released.isEmpty { self.released[id] = released } }
    try write { (transaction) throws(BolideError) in
      let keys = RowKeys(KeyWriter(transaction: transaction, nodes: nodes), table)
      let cursor = try Cursor(transaction, table.rows)
      let update = RowUpdate(keys, table, columns: columns)
      let numbers = rows.numbers
      try rows.withRows { (rows) throws(BolideError) in
        for place in 0..<rows.count {
          let number = numbers[place]
          var stored = MDB_val()
          guard rows.isPresent(place), try cursor.find(number, &stored) else {
            throw LMDBFailure.misuse("Row \(number) of \(table.name) is neither stored nor released")
          }
          let isReleased = !released.isEmpty && released.contains(number)
          let row = rows[place]
          if !isReleased, row.isEqual(to: RowView(stored.bytes, format: table.format)) { continue }
          if let (index, holder) = try update.moveKeys(of: number, stored, to: row, isReleased: isReleased) {
            taken.append(Taken(row: place, index: index, holder: holder))
            continue
          }
          try Self.replace(cursor, number, row.bytes, table)
          if isReleased { released.remove(number) }
        }
      }
    }
  }

  private static func replace(
    _ cursor: borrowing Cursor, _ number: Number, _ row: UnsafeRawBufferPointer, _ table: StoredTable
  ) throws(BolideError) {
    try withUnsafeBytes(of: number) { (bytes) throws(BolideError) in
      var key = MDB_val(bytes)
      var data = MDB_val(row)
      try check(
        mdb_cursor_put(cursor.handle, &key, &data, UInt32(MDB_CURRENT)), "write a row of \(table.name)")
    }
  }

  func release(_ numbers: [Number], of id: TableID) throws(BolideError) {
    let table = try schema.table(id)
    if table.uniqueIndexes.isEmpty { return }
    let nodes = schema.fixed.nodes
    var released = self.released.removeValue(forKey: id) ?? []
    defer { if !released.isEmpty { self.released[id] = released } }
    try write { (transaction) throws(BolideError) in
      let keys = RowKeys(KeyWriter(transaction: transaction, nodes: nodes), table)
      var key: [UInt8] = []
      try Self.forEach(numbers, of: table, in: transaction) { (number, row, _) throws(BolideError) in
        guard released.insert(number).inserted else { return }
        for index in table.uniqueIndexes { try keys.remove(row, number, table.indexes[index], &key) }
      }
    }
  }

  func delete(_ numbers: [Number], of id: TableID) throws(BolideError) {
    let table = try schema.table(id)
    try settle(id)
    let nodes = schema.fixed.nodes
    var released = self.released.removeValue(forKey: id) ?? []
    defer { if !released.isEmpty { self.released[id] = released } }
    try write { (transaction) throws(BolideError) in
      let removal = RowRemoval(KeyWriter(transaction: transaction, nodes: nodes), table)
      let cursor = try Cursor(transaction, table.rows)
      for number in numbers {
        var data = MDB_val()
        guard try cursor.find(number, &data) else { continue }
        guard table.format.isValid(data.bytes) else {
          throw LMDBFailure.damaged("Row \(number) of \(table.name) is damaged")
        }
        let isReleased = !released.isEmpty && released.remove(number) != nil
        removal.gather(RowView(data.bytes, format: table.format), number, isReleased: isReleased)
        try check(mdb_cursor_del(cursor.handle, 0), "delete a row of \(table.name)")
        if removal.isLong { try removal.removeEntries() }
      }
      try removal.removeEntries()
    }
  }

  /// Looks at copies of the rows with these numbers, those that are there; each may be deleted by the cursor.
  private static func forEach(
    _ numbers: [Number], of table: StoredTable, in transaction: OpaquePointer,
    _ body: (Number, RowView, OpaquePointer) throws(BolideError) -> Void
  ) throws(BolideError) {
    let cursor = try Cursor(transaction, table.rows)
    var copy: [UInt8] = []
    for number in numbers {
      var data = MDB_val()
      guard try cursor.find(number, &data) else { continue }
      try withCopy(of: data, number, table, in: &copy) { (row) throws(BolideError) in
        try body(number, row, cursor.handle)
      }
    }
  }

  /// Copies a stored row, which LMDB moves as soon as anything is written.
  @inline(__always)
  fileprivate static func withCopy<Result>(
    of data: MDB_val, _ number: Number, _ table: StoredTable, in copy: inout [UInt8],
    _ body: (RowView) throws(BolideError) -> Result
  ) throws(BolideError) -> Result {
    guard table.format.isValid(data.bytes) else {
      throw LMDBFailure.damaged("Row \(number) of \(table.name) is damaged")
    }
    copy.removeAll(keepingCapacity: true)
    copy.append(contentsOf: data.bytes)
    return try copy.withBytes { (bytes) throws(BolideError) in
      try body(RowView(bytes, format: table.format))
    }
  }
}

/// Moves the index entries of rows that change: only those whose keys change.
private final class RowUpdate {
  private let keys: RowKeys
  private let table: StoredTable
  /// The indexes over the columns that may differ, and all of them.
  private let touched: [Int]
  private let all: [Int]
  private var moved: [Int] = []
  private var copy: [UInt8] = []
  private var oldKey: [UInt8] = []
  private var newKey: [UInt8] = []

  init(_ keys: RowKeys, _ table: StoredTable, columns: ColumnSet) {
    self.keys = keys
    self.table = table
    all = Array(table.indexes.indices)
    touched = all.filter { table.indexes[$0].columnSet.intersects(columns) }
  }

  /// Moves a row's entries; nothing is moved where a unique key is taken.
  ///
  /// A released row has no entries in unique indexes, and all its others may have changed.
  func moveKeys(
    of number: Number, _ stored: MDB_val, to new: RowView, isReleased: Bool
  ) throws(BolideError) -> (index: IndexID, holder: Number)? {
    let candidates = isReleased ? all : touched
    if candidates.isEmpty { return nil }
    return try LMDBTransaction.withCopy(of: stored, number, table, in: &copy) {
      (old) throws(BolideError) -> (index: IndexID, holder: Number)? in
      compare(old, new, in: candidates, isReleased: isReleased)
      if let conflict = try claim(new, number) { return conflict }
      for place in moved {
        let index = table.indexes[place]
        if !(isReleased && index.isUnique) { try keys.remove(old, number, index, &oldKey) }
        if !index.isUnique { try keys.add(new, number, index, &newKey) }
      }
      return nil
    }
  }

  /// Notes the indexes whose entries have to move.
  private func compare(_ old: RowView, _ new: RowView, in candidates: [Int], isReleased: Bool) {
    moved.removeAll(keepingCapacity: true)
    for place in candidates {
      let index = table.indexes[place]
      oldKey.removeAll(keepingCapacity: true)
      newKey.removeAll(keepingCapacity: true)
      IndexKey.append(old, columns: index.columns, to: &oldKey)
      IndexKey.append(new, columns: index.columns, to: &newKey)
      if oldKey != newKey || (isReleased && index.isUnique) { moved.append(place) }
    }
  }

  /// Takes the new keys in unique indexes, or none where one is taken.
  private func claim(
    _ new: RowView, _ number: Number
  ) throws(BolideError) -> (index: IndexID, holder: Number)? {
    for (order, place) in moved.enumerated() where table.indexes[place].isUnique {
      let holder = try keys.claim(new, number, table.indexes[place], &newKey)
      if holder == 0 { continue }
      for claimed in moved[..<order] where table.indexes[claimed].isUnique {
        try keys.remove(new, number, table.indexes[claimed], &newKey)
      }
      return (place, holder)
    }
    return nil
  }
}

/// Removes the index entries of rows that go: gathered, and then one after the other as they stand in the trees.
private final class RowRemoval {
  private let writer: KeyWriter
  private let table: StoredTable
  private var keys: [KeyList]
  private var long: [(index: StoredIndex, entry: KeyList.LongEntry)] = []

  init(_ writer: KeyWriter, _ table: StoredTable) {
    self.writer = writer
    self.table = table
    keys = table.indexes.map { _ in KeyList() }
  }

  /// Whether so much was gathered that it should be removed.
  var isLong: Bool { long.count > 256 || keys.contains(where: \.isLong) }

  /// Notes the entries of a row; a released one has none in unique indexes.
  func gather(_ row: RowView, _ number: Number, isReleased: Bool) {
    for (place, index) in table.indexes.enumerated() where !(isReleased && index.isUnique) {
      if let entry = keys[place].append(row, number, of: index) { long.append((index, entry)) }
    }
  }

  /// Removes what was gathered.
  func removeEntries() throws(BolideError) {
    for (place, index) in table.indexes.enumerated() {
      if keys[place].isEmpty { continue }
      let cursor = try Cursor(writer.transaction, index.database)
      try keys[place].takeSorted { (entry) throws(BolideError) in
        var key = MDB_val(entry)
        var data = MDB_val()
        guard try cursor.move(MDB_SET, &key, &data) else {
          throw LMDBFailure.damaged("\(index.name) lacks an entry")
        }
        try check(mdb_cursor_del(cursor.handle, 0), "delete a key of \(index.name)")
      }
    }
    for (index, entry) in long {
      try writer.remove(entry.key, number: entry.number, in: index.database)
    }
    long.removeAll()
  }
}

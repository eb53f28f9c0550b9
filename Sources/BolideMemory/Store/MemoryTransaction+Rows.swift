import BolideStorage

/// Writing rows and keeping indexes true.
extension MemoryTransaction {
  func insertRows(
    _ rows: RowBatch, of id: TableID, numberedFrom first: Number, taken: inout [Taken]
  ) throws(BolideError) -> Int {
    let table = try contents.shape.table(id)
    try StoreShape.require(rows, table.format, of: table)
    guard first > 0 else { throw BolideError(.storeMisuse, "numbering rows from \(first)") }
    var key: [UInt8] = []
    key.reserveCapacity(256)
    var number = first
    try rows.withRows { (rows) throws(BolideError) in
      for position in 0..<rows.count {
        guard rows.isPresent(position) else {
          throw BolideError(.storeMisuse, "inserting an absence into table \(table.layout.name)")
        }
        let row = rows[position]
        if let (index, holder) = takeKeys(of: row, number, in: table, scratch: &key) {
          taken.append(Taken(row: position, index: index, holder: holder))
          continue
        }
        guard
          case .inserted = editor.insert(Key(UInt64(number)), row.bytes, into: &contents.trees[table.rows])
        else {
          throw BolideError(.storeMisuse, "number \(number) of table \(table.layout.name) is in use")
        }
        number += 1
      }
    }
    return Int(number - first)
  }

  /// Puts a new row's keys into all indexes, or into none if a unique one refuses: then says which and why.
  private func takeKeys(
    of row: RowView, _ number: Number, in table: StoreShape.Table, scratch key: inout [UInt8]
  ) -> (index: IndexID, holder: Number)? {
    for (place, id) in table.insertionOrder.enumerated() {
      let index = table.indexes[id]
      index.makeKey(of: row, number, in: &key)
      guard let holder = insert(key, number, into: index) else { continue }
      for earlier in table.insertionOrder[..<place] {
        table.indexes[earlier].makeKey(of: row, number, in: &key)
        remove(key, from: table.indexes[earlier])
      }
      return (id, holder)
    }
    return nil
  }

  func updateRows(
    _ rows: RowBatch, of id: TableID, columns: ColumnSet, taken: inout [Taken]
  ) throws(BolideError) {
    let table = try contents.shape.table(id)
    try StoreShape.require(rows, table.format, of: table)
    let touched = table.insertionOrder.filter { table.indexes[$0].columnSet.intersects(columns) }
    if touched.isEmpty, released[id]?.isEmpty != false { return try replaceRows(rows, of: table) }
    var oldKey: [UInt8] = []
    var newKey: [UInt8] = []
    try rows.withRows { (views) throws(BolideError) in
      for position in 0..<views.count {
        let number = rows.numbers[position]
        guard views.isPresent(position), number > 0,
          let stored = contents.trees[table.rows].value(Key(UInt64(number)))
        else {
          throw BolideError(.storeMisuse, "updating \(number) of \(table.layout.name), which is not there")
        }
        let old = RowView(stored, format: table.format)
        let new = views[position]
        let isReleased = released[id]?.contains(number) ?? false
        let affected = isReleased ? table.insertionOrder : touched
        if let (index, holder) = conflict(of: new, number, among: affected, in: table, scratch: &newKey) {
          taken.append(Taken(row: position, index: index, holder: holder))
          continue
        }
        for id in affected {
          let index = table.indexes[id]
          index.makeKey(of: old, number, in: &oldKey)
          index.makeKey(of: new, number, in: &newKey)
          let wasTakenOut = isReleased && index.isUnique
          if oldKey == newKey, !wasTakenOut { continue }
          if !wasTakenOut { remove(oldKey, from: index) }
          _ = insert(newKey, number, into: index)
        }
        if isReleased { released[id]?.remove(number) }
        editor.set(Key(UInt64(number)), new.bytes, in: &contents.trees[table.rows])
      }
    }
  }

  /// Replaces rows whose keys stay what they are.
  private func replaceRows(_ rows: RowBatch, of table: StoreShape.Table) throws(BolideError) {
    try rows.withRows { (views) throws(BolideError) in
      for position in 0..<views.count {
        let number = rows.numbers[position]
        guard views.isPresent(position), number > 0,
          editor.replace(Key(UInt64(number)), views[position].bytes, in: &contents.trees[table.rows])
        else {
          throw BolideError(.storeMisuse, "updating \(number) of \(table.layout.name), which is not there")
        }
      }
    }
  }

  /// The first unique index in which another row holds a key of the row.
  private func conflict(
    of row: RowView, _ number: Number, among indexes: [IndexID], in table: StoreShape.Table,
    scratch key: inout [UInt8]
  ) -> (index: IndexID, holder: Number)? {
    for id in indexes where table.indexes[id].isUnique {
      key.removeAll(keepingCapacity: true)
      if IndexKey.append(row, columns: table.indexes[id].columns, to: &key) { continue }
      guard let holder = contents.holder(of: key, in: table.indexes[id]), holder != UInt64(number) else {
        continue
      }
      return (id, Number(holder))
    }
    return nil
  }

  func releaseRows(_ numbers: [Number], of id: TableID) throws(BolideError) {
    let table = try contents.shape.table(id)
    var key: [UInt8] = []
    for number in numbers where number > 0 {
      guard let stored = contents.trees[table.rows].value(Key(UInt64(number))) else {
        throw BolideError(.storeMisuse, "releasing \(number) of \(table.layout.name), which is not there")
      }
      guard released[id, default: []].insert(number).inserted else { continue }
      let row = RowView(stored, format: table.format)
      for index in table.indexes where index.isUnique {
        index.makeKey(of: row, number, in: &key)
        remove(key, from: index)
      }
    }
  }

  func deleteRows(_ numbers: [Number], of id: TableID) throws(BolideError) {
    let table = try contents.shape.table(id)
    if released[id]?.isEmpty != false, sweep(numbers, of: table) { return }
    var key: [UInt8] = []
    for number in numbers where number > 0 {
      guard let stored = contents.trees[table.rows].value(Key(UInt64(number))) else { continue }
      let row = RowView(stored, format: table.format)
      // The keys of a released row may be another's by now.
      let isReleased = released[id]?.remove(number) != nil
      for index in table.indexes where !(isReleased && index.isUnique) {
        index.makeKey(of: row, number, in: &key)
        remove(key, from: index)
      }
      editor.remove(Key(UInt64(number)), from: &contents.trees[table.rows])
    }
  }

  /// Deletes so many of a table's rows that going over all entries once takes less than looking for each; tells
  /// whether it did.
  private func sweep(_ numbers: [Number], of table: StoreShape.Table) -> Bool {
    let count = contents.trees[table.rows].count
    guard numbers.count >= 64, numbers.count >= count / 4, let highest = numbers.max(), highest > 0,
      // Numbers only grow: where most rows are gone already, a bit for each may be too many.
      highest < 64 * count
    else { return false }
    var words = [UInt64](repeating: 0, count: Int(highest) / 64 + 1)
    for number in numbers where number > 0 { words[Int(number) / 64] |= 1 << UInt64(number % 64) }
    func isKept(_ number: UInt64) -> Bool {
      number > UInt64(highest) || words[Int(number / 64)] & (1 << (number % 64)) == 0
    }
    editor.keep(in: &contents.trees[table.rows]) { isKept($0.slots[$1].head) }
    for index in table.indexes {
      editor.keep(in: &contents.trees[index.tree]) { isKept(index.number($0, $1)) }
    }
    return true
  }

  /// Puts a key into an index; returns the holder where it is taken.
  private func insert(_ key: [UInt8], _ number: Number, into index: StoreShape.Index) -> Number? {
    let bits = UInt64(number)
    return key.withUnsafeBytes { bytes in
      withUnsafeBytes(of: bits) { number in
        let value = index.isUnique ? number : UnsafeRawBufferPointer(start: nil, count: 0)
        switch editor.insert(Key(bytes), value, into: &contents.trees[index.tree]) {
        case .inserted: return nil
        case .present(let holder):
          return holder.count == 8 ? Number(holder.loadUnaligned(as: UInt64.self)) : nil
        }
      }
    }
  }

  private func remove(_ key: [UInt8], from index: StoreShape.Index) {
    key.withUnsafeBytes { _ = editor.remove(Key($0), from: &contents.trees[index.tree]) }
  }

  /// Fills an index from the rows of its table; returns rows that break it, if it is unique.
  func fill(_ index: StoreShape.Index, _ id: IndexID, of table: StoreShape.Table) -> [Taken] {
    var taken: [Taken] = []
    var key: [UInt8] = []
    // Only the index's tree changes meanwhile.
    var cursor = Cursor(contents.trees[table.rows])
    cursor.seekStart()
    while let (leaf, slot) = cursor.position {
      let number = Number(leaf.key(slot).head)
      index.makeKey(of: RowView(leaf.value(slot), format: table.format), number, in: &key)
      if let holder = insert(key, number, into: index) {
        taken.append(Taken(row: Int(number), index: id, holder: holder))
      }
      cursor.advance()
    }
    return taken
  }
}

extension StoreShape.Index {
  /// The key of a row's entry: its values, and its number unless a unique index compares them all.
  @inline(__always)
  func makeKey(of row: RowView, _ number: Number, in key: inout [UInt8]) {
    key.removeAll(keepingCapacity: true)
    let hasNil = IndexKey.append(row, columns: columns, to: &key)
    if hasNil || !isUnique { IndexKey.append(number: number, to: &key) }
  }
}

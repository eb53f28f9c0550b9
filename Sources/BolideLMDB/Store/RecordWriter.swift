import BolideStorage
import CLMDB

/// Writes whole records under byte keys.
struct RecordWriter {
  let transaction: OpaquePointer
  let database: MDB_dbi

  func put(_ key: [UInt8], _ value: [UInt8]) throws(BolideError) {
    try key.withBytes { (key) throws(BolideError) in
      try value.withBytes { (value) throws(BolideError) in
        var key = MDB_val(key)
        var data = MDB_val(value)
        try check(mdb_put(transaction, database, &key, &data, 0), "write a record")
      }
    }
  }

  /// Deletes a record.
  ///
  /// - Returns: whether it was there.
  @discardableResult
  func delete(_ key: [UInt8]) throws(BolideError) -> Bool {
    try key.withBytes { (key) throws(BolideError) in
      var key = MDB_val(key)
      let code = mdb_del(transaction, database, &key, nil)
      if code == MDB_NOTFOUND { return false }
      try check(code, "delete a record")
      return true
    }
  }

  /// Sets what the layer above keeps under a name, in the metadata; `nil` removes it.
  func set(_ name: String, _ value: [UInt8]?) throws(BolideError) {
    let (record, long) = MetadataRecord.key(name)
    var stored = value
    if let long {
      var entries =
        try ReadView.record(record, in: database, of: transaction, MetadataRecord.longEntries) ?? []
      entries.removeAll { $0.name == long }
      if let value { entries.append((long, value)) }
      stored = entries.isEmpty ? nil : MetadataRecord.encode(entries)
    }
    if let stored { try put(record, stored) } else { try delete(record) }
  }

  /// Writes the catalogue and its epoch into the metadata.
  func put(_ catalogue: Catalogue) throws(BolideError) {
    var epoch: [UInt8] = []
    epoch.appendLittle(catalogue.layout.epoch)
    try put(MetadataRecord.epoch, epoch)
    try put(MetadataRecord.catalogue, try catalogue.encoded())
  }

  /// Deletes all records whose keys begin with a prefix.
  ///
  /// Each is looked for anew: a walk that deletes where it stands depends on where a delete leaves it.
  func deleteAll(startingWith prefix: [UInt8]) throws(BolideError) {
    let cursor = try Cursor(transaction, database)
    while true {
      var data = MDB_val()
      let isFound = try prefix.withBytes { (bytes) throws(BolideError) in
        var key = MDB_val(bytes)
        return try cursor.move(MDB_SET_RANGE, &key, &data) && key.bytes.starts(with: bytes)
      }
      guard isFound else { return }
      try check(mdb_cursor_del(cursor.handle, 0), "delete a record")
    }
  }
}

import BolideStorage
import CLMDB

extension LMDBTransaction {
  func link(_ id: LinkID, _ links: [Link], added: inout [Bool]) throws(BolideError) {
    let table = try schema.link(id)
    try write { (transaction) throws(BolideError) in
      let writer = LinkWriter(transaction: transaction, table: table)
      for link in links { added.append(try writer.add(link)) }
    }
  }

  func unlink(_ id: LinkID, _ links: [Link], removed: inout [Bool]) throws(BolideError) {
    let table = try schema.link(id)
    try write { (transaction) throws(BolideError) in
      let writer = LinkWriter(transaction: transaction, table: table)
      for link in links { removed.append(try writer.remove(link)) }
    }
  }
}

/// Writes the entries of links on both sides.
private struct LinkWriter {
  let transaction: OpaquePointer
  let table: StoredLink

  func add(_ link: Link) throws(BolideError) -> Bool {
    guard link.from > 0, link.to > 0 else { throw LMDBFailure.misuse("A link names the number 0") }
    var key: [UInt8] = []
    LinkEntry.pairKey(link.from, link.to, into: &key)
    let value = LinkEntry.pairValue(link.order, link.inverseOrder)
    guard try put(key, value, in: table.forward) else { return false }
    LinkEntry.pairKey(link.to, link.from, into: &key)
    let isNew = try put(key, LinkEntry.pairValue(link.inverseOrder, link.order), in: table.inverse)
    guard isNew else { throw damaged }
    try addPlace(link.from, link.order, link.to, other: link.inverseOrder, in: table.forward)
    try addPlace(link.to, link.inverseOrder, link.from, other: link.order, in: table.inverse)
    return true
  }

  func remove(_ link: Link) throws(BolideError) -> Bool {
    var key: [UInt8] = []
    LinkEntry.pairKey(link.from, link.to, into: &key)
    guard let order = try orders(key) else { return false }
    try delete(key, in: table.forward)
    LinkEntry.pairKey(link.to, link.from, into: &key)
    try delete(key, in: table.inverse)
    if order.own != 0 {
      LinkEntry.placeKey(link.from, order.own, link.to, into: &key)
      try delete(key, in: table.forward)
    }
    if order.other != 0 {
      LinkEntry.placeKey(link.to, order.other, link.from, into: &key)
      try delete(key, in: table.inverse)
    }
    return true
  }

  private func addPlace(
    _ own: Number, _ order: Int64, _ other: Number, other inverseOrder: Int64, in database: MDB_dbi
  ) throws(BolideError) {
    if order == 0 { return }
    var key: [UInt8] = []
    LinkEntry.placeKey(own, order, other, into: &key)
    var value: [UInt8] = []
    value.appendLittle(inverseOrder)
    guard try put(key, value, in: database) else { throw damaged }
  }

  private var damaged: BolideError { LMDBFailure.damaged("The sides of \(table.name) disagree") }

  /// Puts an entry unless its key is there.
  private func put(_ key: [UInt8], _ value: [UInt8], in database: MDB_dbi) throws(BolideError) -> Bool {
    try key.withBytes { (key) throws(BolideError) in
      try value.withBytes { (value) throws(BolideError) in
        var key = MDB_val(key)
        var data = MDB_val(value)
        let code = mdb_put(transaction, database, &key, &data, UInt32(MDB_NOOVERWRITE))
        if code == MDB_KEYEXIST { return false }
        try check(code, "write a link of \(table.name)")
        return true
      }
    }
  }

  private func orders(_ key: [UInt8]) throws(BolideError) -> (own: Int64, other: Int64)? {
    try key.withBytes { (key) throws(BolideError) -> (own: Int64, other: Int64)? in
      var key = MDB_val(key)
      var data = MDB_val()
      let code = mdb_get(transaction, table.forward, &key, &data)
      if code == MDB_NOTFOUND { return nil }
      try check(code, "read a link of \(table.name)")
      return try LinkEntry.orders(data.bytes)
    }
  }

  private func delete(_ key: [UInt8], in database: MDB_dbi) throws(BolideError) {
    guard try RecordWriter(transaction: transaction, database: database).delete(key) else { throw damaged }
  }
}

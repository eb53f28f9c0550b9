import BolideStorage
import CSQLite

extension Session {
  func links(
    _ link: LinkID, of numbers: [Number], side: LinkSide, after: Link?, limit: Int, into links: inout [Link]
  ) throws(BolideError) {
    let table = try schema.link(link)
    let sql = LinkSQL(table, side: side)
    let select = try connection.kept(sql: sql.select)
    defer { select.reset() }
    var remaining = limit
    var rest = numbers[...]
    var last = (order: Int64.min, number: Int64.min)
    if let after {
      let own = side == .forward ? after.from : after.to
      guard let start = numbers.lastIndex(of: own) else {
        throw .misuse("The link to go on from is of an object that was not asked for")
      }
      rest = numbers[start...]
      last = side == .forward ? (after.order, after.to) : (after.inverseOrder, after.from)
    }
    for number in rest {
      if remaining <= 0 { return }
      select.reset()
      _ = select.bind(1, number)
      _ = select.bind(2, last.order)
      _ = select.bind(3, last.number)
      _ = select.bind(4, Int64(remaining))
      while try connection.step(select, while: "reading the links of \(table.layout.name)") {
        links.append(
          Link(
            from: select.int(0), to: select.int(1), order: select.int(2), inverseOrder: select.int(3)))
        remaining -= 1
      }
      last = (.min, .min)
    }
  }

  func linkCounts(
    _ link: LinkID, of numbers: [Number], side: LinkSide, into counts: inout [Int]
  ) throws(BolideError) {
    let table = try schema.link(link)
    let select = try connection.kept(sql: LinkSQL(table, side: side).count)
    defer { select.reset() }
    for number in numbers {
      select.reset()
      _ = select.bind(1, number)
      let hasRow = try connection.step(select, while: "counting the links of \(table.layout.name)")
      counts.append(hasRow ? Int(select.int(0)) : 0)
    }
  }
}

/// The reading statements of a link table, from one side.
private struct LinkSQL {
  let select: String
  let count: String

  init(_ table: StoredLink, side: LinkSide) {
    let order = SQLNames.linkOrders[0]
    let inverseOrder = SQLNames.linkOrders[1]
    let (own, other, place, index) =
      side == .forward
      ? (table.source, table.target, order, table.forward)
      : (table.target, table.source, inverseOrder, table.inverse)
    select = """
      SELECT \(table.source), \(table.target), \(order), \(inverseOrder)
      FROM \(table.name) INDEXED BY \(index)
      WHERE \(own) = ?1 AND (\(place), \(other)) > (?2, ?3)
      ORDER BY \(place), \(other) LIMIT ?4
      """
    count = "SELECT count(*) FROM \(table.name) INDEXED BY \(index) WHERE \(own) = ?1"
  }
}

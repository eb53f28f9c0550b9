import BolideStorage
import CSQLite

extension SQLiteTransaction {
  func link(_ link: LinkID, _ links: [Link], added: inout [Bool]) throws(BolideError) {
    try writing { (session) throws(BolideError) in
      let table = try session.schema.link(link)
      let connection = session.connection
      let statement = try connection.kept(
        sql: """
          INSERT INTO \(table.name) (\(table.source), \(table.target), \(SQLNames.linkOrders[0]), \
          \(SQLNames.linkOrders[1])) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING
          """)
      defer { statement.reset() }
      for link in links {
        statement.reset()
        _ = statement.bind(1, link.from)
        _ = statement.bind(2, link.to)
        _ = statement.bind(3, link.order)
        _ = statement.bind(4, link.inverseOrder)
        _ = try connection.step(statement, while: "adding links of \(table.layout.name)")
        added.append(sqlite3_changes(connection.handle) > 0)
      }
    }
  }

  func unlink(_ link: LinkID, _ links: [Link], removed: inout [Bool]) throws(BolideError) {
    try writing { (session) throws(BolideError) in
      let table = try session.schema.link(link)
      let connection = session.connection
      let statement = try connection.kept(
        sql: "DELETE FROM \(table.name) WHERE \(table.source) = ?1 AND \(table.target) = ?2")
      defer { statement.reset() }
      for link in links {
        statement.reset()
        _ = statement.bind(1, link.from)
        _ = statement.bind(2, link.to)
        _ = try connection.step(statement, while: "removing links of \(table.layout.name)")
        removed.append(sqlite3_changes(connection.handle) > 0)
      }
    }
  }
}

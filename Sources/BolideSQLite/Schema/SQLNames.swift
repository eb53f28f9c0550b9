import BolideStorage

/// The names that a layout's tables, columns and indexes have in the file.
///
/// They are the layout's own names wherever SQL allows it. SQL does not tell letter cases apart, keeps all
/// tables and indexes in one name space, and some names are the store's: those get a suffix. The names are
/// kept in the metadata, since a suffix that was given once stays when its cause goes.
struct SQLNames: Codable, Hashable, Sendable {
  var tables: [String: Table] = [:]
  var links: [String: Link] = [:]

  /// Names of a table and of what belongs to it, by the layout's names.
  struct Table: Codable, Hashable, Sendable {
    var name: String
    var tombstones: String
    var columns: [String: String] = [:]
    /// The hidden columns that order decimals, by the decimal's column.
    var orders: [String: String] = [:]
    var indexes: [String: String] = [:]
  }

  /// Names of a link table, its columns and its two indexes.
  struct Link: Codable, Hashable, Sendable {
    var name: String
    var source: String
    var target: String
    var forward: String
    var inverse: String
  }

  /// The row number's column.
  static let number = "_number"
  /// The columns of a link table that hold the places on both sides.
  static let linkOrders = ["_order", "_inverse_order"]

  /// The names of a new layout: names given before stay, the others are chosen.
  func adapted(to layout: Layout) -> SQLNames {
    var result = SQLNames()
    var global = NameSpace()
    let kept = layout.tables.compactMap { tables[$0.name] }
    for table in kept { global.take([table.name, table.tombstones] + table.indexes.values) }
    for link in layout.links.compactMap({ links[$0.name] }) {
      global.take([link.name, link.forward, link.inverse])
    }
    for table in layout.tables {
      var names =
        tables[table.name]
        ?? Table(
          name: global.choose(table.name), tombstones: global.chooseOwn("bolide_tombstone_" + table.name))
      var local = NameSpace()
      local.take([Self.number] + names.columns.values + names.orders.values)
      let columns = Set(table.columns.map(\.name))
      names.columns = names.columns.filter { columns.contains($0.key) }
      for column in table.columns where names.columns[column.name] == nil {
        names.columns[column.name] = local.choose(column.name)
      }
      let ordered = Set(table.orderedDecimals.map { table.columns[$0].name })
      names.orders = names.orders.filter { ordered.contains($0.key) }
      for column in ordered.sorted() where names.orders[column] == nil {
        names.orders[column] = local.choose("_order_" + column)
      }
      let indexes = Set(table.indexes.map(\.name))
      names.indexes = names.indexes.filter { indexes.contains($0.key) }
      for index in table.indexes where names.indexes[index.name] == nil {
        names.indexes[index.name] = global.choose(table.name + "_" + index.name)
      }
      result.tables[table.name] = names
    }
    for link in layout.links {
      if let names = links[link.name] {
        result.links[link.name] = names
        continue
      }
      var local = NameSpace()
      local.take(Self.linkOrders)
      let name = global.choose(link.name)
      result.links[link.name] = Link(
        name: name, source: local.choose(link.sourceName), target: local.choose(link.targetName),
        forward: global.choose(link.name + "_forward"), inverse: global.choose(link.name + "_inverse"))
    }
    return result
  }

  /// The names of a table's columns among its tombstones, where the column `transaction` is the store's.
  ///
  /// A column of that name takes one that no column is ever given.
  static func tombstoneColumns(_ columns: [String]) -> [String] {
    columns.map { NameSpace.areEqual($0, "transaction") ? "bolide_transaction" : $0 }
  }

  /// A name as SQL text.
  static func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }

  /// Names in use, as SQL compares them: without regard to the case of ASCII letters.
  private struct NameSpace {
    private var used: Set<[UInt8]> = []

    mutating func take(_ names: some Sequence<String>) {
      for name in names { used.insert(Self.folded(name)) }
    }

    /// A free name like the wanted one that is no system name.
    mutating func choose(_ wanted: String) -> String {
      let name = wanted.split(separator: "\0", omittingEmptySubsequences: false).joined(separator: "_")
      let folded = name.lowercased()
      let isReserved = name.isEmpty || folded.hasPrefix("bolide_") || folded.hasPrefix("sqlite_")
      return chooseOwn(isReserved ? "_" + name : name)
    }

    mutating func chooseOwn(_ wanted: String) -> String {
      var name = wanted
      var suffix = 2
      while !used.insert(Self.folded(name)).inserted {
        name = "\(wanted)_\(suffix)"
        suffix += 1
      }
      return name
    }

    static func areEqual(_ left: String, _ right: String) -> Bool { folded(left) == folded(right) }

    private static func folded(_ name: String) -> [UInt8] {
      name.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }
    }
  }
}

extension TableLayout {
  /// The decimal columns that some index orders, ascending.
  var orderedDecimals: [Int] {
    let indexed = Set(indexes.flatMap(\.columns))
    return columns.indices.filter { columns[$0].type == .decimal && indexed.contains($0) }
  }
}

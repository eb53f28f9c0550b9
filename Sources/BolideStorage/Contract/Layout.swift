/// What a store keeps: tables, their columns and indexes, and link tables.
///
/// A layout is made by the layer above from its schema, is kept by the store in its metadata, and
/// changes only by ``WriteTransaction/change(_:)``.
public struct Layout: Codable, Hashable, Sendable {
  /// Grows by one with every change; a transaction begun on another epoch is refused.
  public var epoch: UInt64
  /// One table a root entity. A table's id is its place here.
  public var tables: [TableLayout]
  /// One link table a many-to-many relationship. A link's id is its place here.
  public var links: [LinkLayout]
  /// Every entity, sub-entities included. An entity's id is its place here.
  public var entities: [EntityLayout]

  /// Assembles a layout.
  public init(epoch: UInt64 = 1, tables: [TableLayout], links: [LinkLayout], entities: [EntityLayout]) {
    self.epoch = epoch
    self.tables = tables
    self.links = links
    self.entities = entities
  }
}

/// An entity as history names it.
public struct EntityLayout: Codable, Hashable, Sendable {
  /// The entity's name.
  public var name: String
  /// The table its rows are in.
  public var table: TableID

  /// Names an entity.
  public init(name: String, table: TableID) {
    self.name = name
    self.table = table
  }
}

/// A table: the rows of a root entity and its sub-entities.
public struct TableLayout: Codable, Hashable, Sendable {
  /// The root entity's name.
  public var name: String
  /// The columns; a column's id is its place here.
  public var columns: [ColumnLayout]
  /// The indexes; an index's id is its place here.
  public var indexes: [IndexLayout]
  /// The names of the properties that history speaks of, by property id.
  ///
  /// Ids are stable: a rename changes the name, a removal leaves an empty name behind.
  public var properties: [String]
  /// The columns kept in tombstones.
  public var preserved: [Int]

  /// Assembles a table.
  public init(
    name: String, columns: [ColumnLayout], indexes: [IndexLayout], properties: [String], preserved: [Int]
  ) {
    self.name = name
    self.columns = columns
    self.indexes = indexes
    self.properties = properties
    self.preserved = preserved
  }

  /// The row format of the table.
  public var format: RowFormat { RowFormat(columns.map(\.type)) }
  /// The row format of the table's tombstones: the preserved columns alone.
  public var tombstoneFormat: RowFormat { RowFormat(preserved.map { columns[$0].type }) }
}

/// A column.
public struct ColumnLayout: Codable, Hashable, Sendable {
  /// The attribute's name, which a store that shows its columns uses.
  public var name: String
  /// The type.
  public var type: ValueType

  /// Names a column.
  public init(name: String, type: ValueType) {
    self.name = name
    self.type = type
  }
}

/// An index over columns of one table.
public struct IndexLayout: Codable, Hashable, Sendable {
  /// A name, unique in the table.
  public var name: String
  /// The columns, the most significant first.
  public var columns: [Int]
  /// Whether two rows without a nil among these columns must differ in one of them (rule U-2).
  public var isUnique: Bool

  /// Describes an index.
  public init(name: String, columns: [Int], isUnique: Bool) {
    self.name = name
    self.columns = columns
    self.isUnique = isUnique
  }
}

/// A link table: pairs of numbers, each pair at most once.
public struct LinkLayout: Codable, Hashable, Sendable {
  /// The table's name, such as `Fireball_groups`.
  public var name: String
  /// The table of the `from` side, and the name of that column.
  public var source: TableID
  public var sourceName: String
  /// The table of the `to` side, and the name of that column.
  public var target: TableID
  public var targetName: String

  /// Describes a link table.
  public init(name: String, source: TableID, sourceName: String, target: TableID, targetName: String) {
    self.name = name
    self.source = source
    self.sourceName = sourceName
    self.target = target
    self.targetName = targetName
  }
}

/// The place of a table in ``Layout/tables``.
public typealias TableID = Int
/// The place of an entity in ``Layout/entities``.
public typealias EntityID = Int
/// The place of an index in ``TableLayout/indexes``.
public typealias IndexID = Int
/// The place of a link table in ``Layout/links``.
public typealias LinkID = Int

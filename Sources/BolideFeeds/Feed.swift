/// A kind of document that can be imported.
public enum Feed: String, Sendable, CaseIterable, Codable {
  /// The JPL fireball API (JSON).
  case jpl
  /// The USGS earthquake summary (GeoJSON).
  case usgs
  /// The USGS earthquake summary (CSV).
  case usgsCSV = "usgs-csv"
  /// The table that the CNEOS fireball page exports (CSV).
  case cneosCSV = "cneos-csv"
  /// A list of to-do items (JSON).
  case todos

  /// What the feed's records hold.
  package var fields: [FeedField] {
    switch self {
    case .jpl, .cneosCSV: FireballFields.all
    case .usgs, .usgsCSV: QuakeFields.all
    case .todos: TodoDecoder.fields
    }
  }
  /// The fields without which a record is of no use: its key, and all four attributes of a plain quake.
  func required(keyedByNet: Bool) -> [Int] {
    switch self {
    case .jpl, .cneosCSV: [FireballFields.date]
    case .usgs, .usgsCSV: keyedByNet ? QuakeFields.key : QuakeFields.plain
    case .todos: [TodoDecoder.title]
    }
  }
}

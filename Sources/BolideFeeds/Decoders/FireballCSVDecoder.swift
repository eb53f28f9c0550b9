/// Decodes the CSV that the CNEOS fireball page exports.
///
/// Coordinates carry their direction as a letter behind the number; an empty field is no value; the radiated
/// energy is in J here and becomes 10^10 J by moving the decimal point, so both feeds give equal doubles.
package struct FireballCSVDecoder: RecordDecoder, ~Copyable {
  /// The columns, in the order of the fields.
  private static let names = [
    "Peak Brightness Date/Time (UT)", "Latitude (deg.)", "Longitude (deg.)", "Altitude (km)",
    "Velocity (km/s)", "Total Radiated Energy (J)", "Calculated Total Impact Energy (kt)",
  ]
  /// From J to 10^10 J.
  private static let energyShift = -10
  /// No coordinate has more digits.
  private static let coordinateLimit = 40

  private var reader: CSVReader
  private let selection: FeedSelection
  private var names: [String] = []
  /// The field of each column, −1 for one that is not used.
  private var columns: [Int] = []

  init(_ reader: consuming CSVReader, _ selection: FeedSelection) {
    self.reader = reader
    self.selection = selection
  }

  package var offset: Int { reader.window.offset }
  package var warnings: [String] { [] }

  package mutating func next(into record: inout FeedRecord) throws(FeedFault) -> Bool {
    if columns.isEmpty { try readHeading() }
    guard try reader.nextRecord() else { return false }
    record.begin(at: reader.position)
    try reader.readFields(columns, named: names, of: &record, Self.read)
    record.finish(selection)
    return true
  }

  private mutating func readHeading() throws(FeedFault) {
    let heading = try CSVHeading(&reader, known: Self.names, named: "a CNEOS fireball table")
    try heading.require(Self.names[FireballFields.date])
    try heading.requireOnce(Self.names)
    let wanted = selection.wanted
    columns = heading.names.map { name in
      Self.names.firstIndex(of: name).flatMap { wanted[$0] ? $0 : nil } ?? -1
    }
    names = heading.names
  }

  /// Reads a field; returns what is wrong with it.
  private static func read(
    _ field: Int, _ text: UnsafeBufferPointer<UInt8>, into record: inout FeedRecord
  ) -> String? {
    switch field {
    case _ where text.isEmpty: record.setNull(field)
    case FireballFields.date:
      guard let date = FeedDate.seconds(text) else { return "“\(excerpt(text))” is no date" }
      record.set(field, to: date)
    case FireballFields.latitude: return readCoordinate(text, .latitude, field, into: &record)
    case FireballFields.longitude: return readCoordinate(text, .longitude, field, into: &record)
    case FireballFields.radiatedEnergy: return record.set(field, toNumberIn: text, shiftedBy: energyShift)
    default: return record.set(field, toNumberIn: text)
    }
    return nil
  }

  /// Reads a coordinate such as `44.3N`; returns what is wrong with it.
  private static func readCoordinate(
    _ text: UnsafeBufferPointer<UInt8>, _ letters: FireballFields.Letters, _ field: Int,
    into record: inout FeedRecord
  ) -> String? {
    let direction = FireballFields.Direction(UnsafeBufferPointer(rebasing: text.suffix(1)), letters)
    guard text.count > 1, text.count <= coordinateLimit, direction != .unreadable else {
      return "“\(excerpt(text))” is no coordinate with a direction"
    }
    // An E behind the number would be taken for an exponent: the number is looked at by itself.
    let reason = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: coordinateLimit + 1) { copy in
      copy.initialize(repeating: 0)
      let digits = UnsafeBufferPointer(rebasing: text.dropLast())
      _ = copy.update(fromContentsOf: digits)
      let number = UnsafeBufferPointer(rebasing: UnsafeBufferPointer(copy)[..<digits.count])
      return record.set(field, toNumberIn: number)
    }
    FireballFields.apply(direction, to: field, of: &record, named: names[field])
    return reason
  }
}

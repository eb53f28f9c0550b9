/// Decodes the USGS CSV summary feeds.
///
/// There is no column for a quake's code: it is the id without the net that the id begins with. An empty field
/// is no value; what the table has no column for is not mentioned.
package struct QuakeCSVDecoder: RecordDecoder, ~Copyable {
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
  package var warnings: [String] {
    reader.endsWithLine ? [] : ["the last line has no end: the document may have been cut off there"]
  }

  package mutating func next(into record: inout FeedRecord) throws(FeedFault) -> Bool {
    if columns.isEmpty { try readHeading() }
    guard try reader.nextRecord() else { return false }
    record.begin(at: reader.position)
    try reader.readFields(columns, named: names, of: &record, Self.read)
    Self.findCode(of: &record)
    QuakeFields.finish(&record, selection)
    return true
  }

  private mutating func readHeading() throws(FeedFault) {
    let known = QuakeFields.all.map(\.source).filter { $0 != "code" && $0 != "ids" }
    let heading = try CSVHeading(&reader, known: known, named: "a table of earthquakes")
    // The code comes from the id and the net, so both are read even where no attribute takes them.
    let needed = [QuakeFields.id, QuakeFields.net]
    for field in needed + selection.required where field != QuakeFields.code && field != QuakeFields.ids {
      try heading.require(QuakeFields.all[field].source)
    }
    try heading.requireOnce(known)
    let wanted = selection.wanted
    columns = heading.names.map { name in
      guard known.contains(name), let field = QuakeFields.all.firstIndex(where: { $0.source == name }),
        wanted[field] || needed.contains(field)
      else { return -1 }
      return field
    }
    names = heading.names
  }

  private static func findCode(of record: inout FeedRecord) {
    record.require([QuakeFields.id, QuakeFields.net])
    if record.flaw != nil { return }
    let net = record.text(QuakeFields.net)
    let id = record.text(QuakeFields.id)
    if id.count > net.count, id.starts(with: net) {
      record.set(QuakeFields.code, toTextOf: QuakeFields.id, droppingFirst: net.count)
    } else {
      record.reject(
        "id", "“\(excerpt(id))” does not begin with the net “\(excerpt(net))”", at: record.position)
    }
  }

  /// Reads a field; returns what is wrong with it.
  private static func read(
    _ field: Int, _ text: UnsafeBufferPointer<UInt8>, into record: inout FeedRecord
  ) -> String? {
    switch field {
    case _ where text.isEmpty: record.setNull(field)
    case QuakeFields.time, QuakeFields.updated:
      guard let date = FeedDate.seconds(text) else { return "“\(excerpt(text))” is no date" }
      record.set(field, to: date)
    case QuakeFields.magnitude...QuakeFields.depth: return record.set(field, toNumberIn: text)
    default: record.set(field, to: text)
    }
    return nil
  }
}

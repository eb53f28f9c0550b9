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
    let columns = self.columns
    guard try reader.nextRecord() else { return false }
    record.begin(at: reader.position)
    let names = self.names
    try reader.readFields(columns.count, of: &record, names: names) { column, reader, place, record in
      let field = columns[column]
      if field >= 0 { Self.read(reader.text, into: field, of: &record, named: names[column], at: place) }
    }
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

  private static func read(
    _ text: UnsafeBufferPointer<UInt8>, into field: Int, of record: inout FeedRecord, named name: String,
    at place: FeedPosition
  ) {
    if text.isEmpty { return record.setNull(field) }
    switch QuakeFields.all[field].type {
    case .text: record.set(field, to: text)
    case .date:
      if let date = FeedDate.seconds(text) {
        record.set(field, to: date)
      } else {
        record.reject(name, "“\(excerpt(text))” is no date", at: place)
      }
    case .double, .boolean:
      if let number = DecimalNumber(text), let start = text.baseAddress {
        if let value = number.double(in: start) {
          record.set(field, to: value)
        } else {
          record.reject(name, "“\(excerpt(text))” is too large for a double", at: place)
        }
      } else {
        record.reject(name, "“\(excerpt(text))” is no number", at: place)
      }
    }
  }
}

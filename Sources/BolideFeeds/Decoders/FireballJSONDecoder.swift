/// Decodes the answer of the JPL fireball API: rows of bare cells, whose columns `fields` names.
///
/// Columns are found by name, in any order; those it does not know are passed over. Cells are texts, numbers
/// or null. Latitude and longitude are unsigned, with a direction in a column of its own; times are UTC;
/// energy is in 10^10 J.
package struct FireballJSONDecoder: RecordDecoder, ~Copyable {
  private enum Phase { case start, rows, end }

  /// What a column holds.
  private enum Column {
    case date
    case number(Int)
    case latitudeDirection
    case longitudeDirection
    case unknown
  }

  private static let keys = KeyNames(["fields", "data", "count", "signature", "message", "error"])
  private static let signatureKeys = KeyNames(["version"])
  private static let knownVersions: Set<String> = ["1.0", "1.1", "1.2"]

  private var reader: JSONReader
  private let selection: FeedSelection
  private var phase = Phase.start
  private var columns: [Column]?
  private var firstRow = true
  private var firstKey = true
  /// Whether rows were passed over because their columns were not known yet.
  private var isLate = false
  private var hasRows = false
  private var count: Int?
  private var rowCount = 0
  private var note: String?
  package private(set) var warnings: [String] = []

  init(_ reader: consuming JSONReader, _ selection: FeedSelection) {
    self.reader = reader
    self.selection = selection
  }

  package var offset: Int { reader.window.offset }

  package mutating func next(into record: inout FeedRecord) throws(FeedFault) -> Bool {
    if phase == .start {
      try reader.openDocument(.object, named: "a fireball document")
      try reader.enterObject()
      try readMembers()
    }
    if phase == .rows {
      if try reader.nextElement(first: &firstRow) {
        rowCount += 1
        record.begin(at: reader.position)
        try readRow(into: &record)
        return true
      }
      try readMembers()
      if phase == .rows { return try next(into: &record) }
    }
    return false
  }

  // MARK: The document

  /// Reads members until the rows begin or the document ends.
  private mutating func readMembers() throws(FeedFault) {
    while let key = try reader.nextKey(in: Self.keys, first: &firstKey) {
      switch key {
      case 0:
        guard try reader.expectArray(named: "fields") else { continue }
        if columns == nil { try readFields() } else { try reader.skipValue() }
      case 1:
        guard try reader.expectArray(named: "data") else { continue }
        if hasRows { throw FeedFault(.notTheFeed, "“data” is there twice", at: reader.position) }
        if try enterRows() { return }
      case 2: count = try reader.readCount() ?? count
      case 3: try readSignature()
      case 4, 5: note = try reader.readNote() ?? note
      default: try reader.skipValue()
      }
    }
    try reader.finish()
    if isLate { return try startAgain() }
    phase = .end
    try checkEnd()
  }

  /// Enters the rows; false when they were passed over.
  private mutating func enterRows() throws(FeedFault) -> Bool {
    if columns != nil {
      try reader.enterArray()
      hasRows = true
      phase = .rows
      return true
    }
    let place = reader.position
    try reader.enterArray()
    var first = true
    while try reader.nextElement(first: &first) { try reader.skipValue() }
    if isLate { throw FeedFault(.notTheFeed, "“data” is there twice", at: place) }
    // Without a row it does not matter that no column is known.
    if first { hasRows = true } else { isLate = true }
    return false
  }

  /// Reads the document a second time, now that the columns are known: `data` stood before `fields`.
  private mutating func startAgain() throws(FeedFault) {
    guard columns != nil else {
      throw FeedFault(.columnMissing, "the document has rows but no “fields” that name their columns")
    }
    guard reader.rewind() else {
      throw FeedFault(
        .notTheFeed, "“fields” stands after “data”, and the source cannot be read a second time")
    }
    isLate = false
    warnings = []
    firstKey = true
    try reader.window.skipByteOrderMark()
    try reader.enterObject()
    try readMembers()
  }

  private mutating func checkEnd() throws(FeedFault) {
    if !hasRows && count != 0 {
      throw reader.notTheFeed("a fireball document: it has no “data”", note: note)
    }
    if let count, count != rowCount {
      warnings.append("the document says that it has \(count) rows and has \(rowCount)")
    }
  }

  private mutating func readSignature() throws(FeedFault) {
    guard try reader.kind() == .object else { return try reader.skipValue() }
    try reader.enterObject()
    var first = true
    while let key = try reader.nextKey(in: Self.signatureKeys, first: &first) {
      if key < 0 {
        try reader.skipValue()
      } else if let version = try reader.readNote(), !Self.knownVersions.contains(version) {
        warnings.append("the document's version “\(version)” is not one that is known")
      }
    }
  }

  private mutating func readFields() throws(FeedFault) {
    let place = reader.position
    var names: [String] = []
    try reader.enterArray()
    var first = true
    while try reader.nextElement(first: &first) { names.append(try reader.readNote() ?? "") }
    let duplicates = Dictionary(grouping: names.filter { $0 != "" }, by: { $0 }).filter { $1.count > 1 }
    if let name = duplicates.keys.sorted().first {
      throw FeedFault(.notTheFeed, "“fields” names the column “\(name)” twice", at: place)
    }
    try require("date", among: names, at: place)
    if names.contains("lat") { try require("lat-dir", among: names, at: place) }
    if names.contains("lon") { try require("lon-dir", among: names, at: place) }
    let wanted = selection.wanted
    columns = names.map { Self.column($0, wanted: wanted) }
  }

  private func require(_ name: String, among names: [String], at place: FeedPosition) throws(FeedFault) {
    if names.contains(name) { return }
    let found = names.joined(separator: ", ")
    throw FeedFault(.columnMissing, "the column “\(name)” is missing; there are: \(found)", at: place)
  }

  private static func column(_ name: String, wanted: [Bool]) -> Column {
    switch name {
    case "lat-dir": return .latitudeDirection
    case "lon-dir": return .longitudeDirection
    default:
      guard let field = FireballFields.all.firstIndex(where: { $0.source == name }), wanted[field]
      else { return .unknown }
      return field == FireballFields.date ? .date : .number(field)
    }
  }

  // MARK: A row

  private mutating func readRow(into record: inout FeedRecord) throws(FeedFault) {
    guard let columns else { return }
    let kind = try reader.kind()
    guard kind == .array else {
      record.reject(nil, "\(kind.name) stands where a row is expected", at: reader.position)
      return try reader.skipValue()
    }
    try reader.enterArray()
    var latitude = FireballFields.Direction.unmentioned
    var longitude = FireballFields.Direction.unmentioned
    var index = 0
    var first = true
    while try reader.nextElement(first: &first) {
      if index < columns.count {
        switch columns[index] {
        case .date: try reader.readDateText(FireballFields.date, of: &record)
        case .number(let field): try readCell(field, of: &record)
        case .latitudeDirection: latitude = try readDirection(.latitude)
        case .longitudeDirection: longitude = try readDirection(.longitude)
        case .unknown: try reader.skipValue()
        }
      } else {
        try reader.skipValue()
      }
      index += 1
    }
    if index != columns.count {
      record.reject(
        nil, "the row has \(index) cells where \(columns.count) are expected", at: record.position)
    }
    FireballFields.apply(latitude, to: FireballFields.latitude, of: &record, named: "lat-dir")
    FireballFields.apply(longitude, to: FireballFields.longitude, of: &record, named: "lon-dir")
    record.finish(selection)
  }

  /// Reads a number, quoted or not.
  private mutating func readCell(_ field: Int, of record: inout FeedRecord) throws(FeedFault) {
    guard try reader.kind() == .text else { return try reader.readDouble(field, of: &record) }
    let place = reader.position
    let name = record.fields[field].source
    guard try reader.readWholeText(name, at: place, of: &record) else { return }
    if let reason = record.set(field, toNumberIn: reader.text) { record.reject(name, reason, at: place) }
  }

  private mutating func readDirection(
    _ letters: FireballFields.Letters
  ) throws(FeedFault) -> FireballFields.Direction {
    switch try reader.kind() {
    case .null:
      try reader.readNull()
      return .null
    case .text:
      return try reader.readText() == .whole ? FireballFields.Direction(reader.text, letters) : .unreadable
    default:
      try reader.skipValue()
      return .unreadable
    }
  }
}

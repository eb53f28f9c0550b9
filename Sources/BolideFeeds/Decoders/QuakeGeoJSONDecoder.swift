/// Decodes the USGS GeoJSON summary feeds: a feature collection of earthquakes.
///
/// Times are milliseconds since 1970; coordinates are longitude, latitude and depth. Properties that it does
/// not know are passed over, whatever they hold.
package struct QuakeGeoJSONDecoder: RecordDecoder, ~Copyable {
  private enum Phase { case start, features, end }

  private static let keys = KeyNames(["features", "type", "metadata", "message", "error"])
  private static let metadataKeys = KeyNames(["count", "error"])
  private static let featureKeys = KeyNames(["properties", "geometry", "id"])
  private static let geometryKeys = KeyNames(["coordinates"])
  /// The properties, in the order of their fields; a field that is no property has a name that none has.
  private static let propertyKeys = KeyNames([
    "code", "net", "", "ids", "status", "type", "magType", "place", "updated", "time", "mag",
  ])
  private static let coordinates = [QuakeFields.longitude, QuakeFields.latitude, QuakeFields.depth]

  private var reader: JSONReader
  private let selection: FeedSelection
  /// Whether some coordinate is used.
  private let isPlaced: Bool
  private var phase = Phase.start
  private var firstKey = true
  private var firstFeature = true
  private var hasFeatures = false
  private var count: Int?
  private var featureCount = 0
  private var note: String?
  package private(set) var warnings: [String] = []

  init(_ reader: consuming JSONReader, _ selection: FeedSelection) {
    self.reader = reader
    self.selection = selection
    isPlaced = Self.coordinates.contains { selection.wanted[$0] }
  }

  package var offset: Int { reader.window.offset }

  package mutating func next(into record: inout FeedRecord) throws(FeedFault) -> Bool {
    if phase == .start {
      try reader.openDocument(.object, named: "a GeoJSON feature collection")
      try reader.enterObject()
      try readMembers()
    }
    if phase == .features {
      if try reader.nextElement(first: &firstFeature) {
        featureCount += 1
        record.begin(at: reader.position)
        try readFeature(into: &record)
        return true
      }
      try readMembers()
    }
    return false
  }

  // MARK: The document

  /// Reads members until the features begin or the document ends.
  private mutating func readMembers() throws(FeedFault) {
    while let key = try reader.nextKey(in: Self.keys, first: &firstKey) {
      switch key {
      case 0:
        guard try reader.expectArray(named: "features") else { continue }
        if hasFeatures { throw FeedFault(.notTheFeed, "“features” is there twice", at: reader.position) }
        hasFeatures = true
        try reader.enterArray()
        phase = .features
        return
      case 1:
        let place = reader.position
        if let type = try reader.readNote(), type != "FeatureCollection" {
          throw FeedFault(.notTheFeed, "a GeoJSON “\(type)”, not a feature collection", at: place)
        }
      case 2: try readMetadata()
      case 3, 4: note = try reader.readNote() ?? note
      default: try reader.skipValue()
      }
    }
    try reader.finish()
    phase = .end
    try checkEnd()
  }

  private mutating func readMetadata() throws(FeedFault) {
    guard try reader.kind() == .object else { return try reader.skipValue() }
    try reader.enterObject()
    var first = true
    while let key = try reader.nextKey(in: Self.metadataKeys, first: &first) {
      switch key {
      case 0: count = try reader.readCount() ?? count
      case 1: note = try reader.readNote() ?? note
      default: try reader.skipValue()
      }
    }
  }

  private mutating func checkEnd() throws(FeedFault) {
    guard hasFeatures else {
      throw reader.notTheFeed("a feature collection: it has no “features”", note: note)
    }
    if let count, count != featureCount {
      warnings.append("the document says that it has \(count) features and has \(featureCount)")
    }
  }

  // MARK: A feature

  private mutating func readFeature(into record: inout FeedRecord) throws(FeedFault) {
    let kind = try reader.kind()
    guard kind == .object else {
      record.reject(nil, "\(kind.name) stands where a feature is expected", at: reader.position)
      return try reader.skipValue()
    }
    try reader.enterObject()
    var first = true
    while let key = try reader.nextKey(in: Self.featureKeys, first: &first) {
      switch key {
      case 0: try readProperties(into: &record)
      case 1 where isPlaced: try readGeometry(into: &record)
      case 2 where selection.wanted[QuakeFields.id]: try reader.readText(QuakeFields.id, of: &record)
      default: try reader.skipValue()
      }
    }
    QuakeFields.finish(&record, selection)
  }

  private mutating func readProperties(into record: inout FeedRecord) throws(FeedFault) {
    let kind = try reader.kind()
    guard kind == .object else {
      if kind != .null {
        let reason = "\(kind.name) stands where an object is expected"
        record.reject("properties", reason, at: reader.position)
      }
      return try reader.skipValue()
    }
    try reader.enterObject()
    var first = true
    while let field = try reader.nextKey(in: Self.propertyKeys, first: &first) {
      if field < 0 || field == QuakeFields.id || !selection.wanted[field] {
        try reader.skipValue()
        continue
      }
      switch field {
      case QuakeFields.time, QuakeFields.updated: try reader.readEpochMilliseconds(field, of: &record)
      case QuakeFields.magnitude: try reader.readDouble(field, of: &record)
      default: try reader.readText(field, of: &record)
      }
    }
  }

  // MARK: Its place

  private mutating func readGeometry(into record: inout FeedRecord) throws(FeedFault) {
    switch try reader.kind() {
    case .null:
      try reader.readNull()
      for field in Self.coordinates { record.setNull(field) }
    case .object:
      try reader.enterObject()
      var first = true
      while let key = try reader.nextKey(in: Self.geometryKeys, first: &first) {
        if key < 0 { try reader.skipValue() } else { try readCoordinates(into: &record) }
      }
    case let kind:
      record.reject("geometry", "\(kind.name) stands where an object is expected", at: reader.position)
      try reader.skipValue()
    }
  }

  /// Reads longitude, latitude and depth; what the array does not hold is no value.
  private mutating func readCoordinates(into record: inout FeedRecord) throws(FeedFault) {
    for field in Self.coordinates { record.setNull(field) }
    switch try reader.kind() {
    case .null: try reader.readNull()
    case .array:
      try reader.enterArray()
      var first = true
      var index = 0
      while try reader.nextElement(first: &first) {
        if index < Self.coordinates.count {
          try reader.readDouble(Self.coordinates[index], of: &record)
        } else {
          try reader.skipValue()
        }
        index += 1
      }
    case let kind:
      let reason = "\(kind.name) stands where an array is expected"
      record.reject("coordinates", reason, at: reader.position)
      try reader.skipValue()
    }
  }
}

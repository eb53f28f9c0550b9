/// What both earthquake feeds deliver.
enum QuakeFields {
  static let code = 0
  static let net = 1
  static let id = 2
  static let ids = 3
  static let status = 4
  static let type = 5
  static let magnitudeType = 6
  static let place = 7
  static let updated = 8
  static let time = 9
  static let magnitude = 10
  static let latitude = 11
  static let longitude = 12
  static let depth = 13

  /// The fields under the names of the GeoJSON feed.
  static let all = [
    FeedField("code", from: "code", .text),
    FeedField("net", from: "net", .text),
    FeedField("id", from: "id", .text),
    FeedField("ids", from: "ids", .text),
    FeedField("status", from: "status", .text),
    FeedField("type", from: "type", .text),
    FeedField("magType", from: "magType", .text),
    FeedField("place", from: "place", .text),
    FeedField("updated", from: "updated", .date),
    FeedField("time", from: "time", .date),
    FeedField("magnitude", from: "mag", .double),
    FeedField("latitude", from: "latitude", .double),
    FeedField("longitude", from: "longitude", .double),
    FeedField("depth", from: "depth", .double),
  ]

  /// What tells one quake from another.
  static let key = [net, code]
  /// All attributes of a quake that is told apart by its code alone.
  static let plain = [code, magnitude, place, time]

  /// Checks a record that has been read.
  ///
  /// A withdrawn quake comes without its usual values; its nulls do not clear what is stored.
  static func finish(_ record: inout FeedRecord, _ selection: FeedSelection) {
    if record.state(status) == .text, record.text(status).elementsEqual("deleted".utf8) {
      record.forgetNulls()
    }
    record.finish(selection)
  }
}

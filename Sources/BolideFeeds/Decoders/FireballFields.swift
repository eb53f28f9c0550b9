/// What both fireball feeds deliver, and the reading of their texts.
enum FireballFields {
  static let date = 0
  static let latitude = 1
  static let longitude = 2
  static let altitude = 3
  static let velocity = 4
  static let radiatedEnergy = 5
  static let impactEnergy = 6

  /// The fields under the names of the API.
  static let all = [
    FeedField("dateTimeStamp", from: "date", .date),
    FeedField("latitude", from: "lat", .double),
    FeedField("longitude", from: "lon", .double),
    FeedField("altitude", from: "alt", .double),
    FeedField("velocity", from: "vel", .double),
    FeedField("radiatedEnergy", from: "energy", .double),
    FeedField("impactEnergy", from: "impact-e", .double),
  ]

  /// What a record says about the direction of a coordinate.
  enum Direction {
    case unmentioned
    case null
    case positive
    case negative
    case unreadable

    /// - Parameter letters: the letters for positive and negative.
    init(_ text: UnsafeBufferPointer<UInt8>, _ letters: Letters) {
      switch text.count == 1 ? text[0] : 0 {
      case letters.positive: self = .positive
      case letters.negative: self = .negative
      default: self = .unreadable
      }
    }
  }

  /// The letters of a coordinate's directions.
  struct Letters {
    var positive: UInt8
    var negative: UInt8
    static let latitude = Letters(positive: UInt8(ascii: "N"), negative: UInt8(ascii: "S"))
    static let longitude = Letters(positive: UInt8(ascii: "E"), negative: UInt8(ascii: "W"))
  }

  /// Gives a coordinate the sign of its direction.
  static func apply(
    _ direction: Direction, to field: Int, of record: inout FeedRecord, named name: String
  ) {
    guard record.state(field) == .number else { return }
    let value = record.double(field)
    if value < 0 {
      let reason = "the number is negative although a letter gives its direction"
      record.reject(record.fields[field].source, reason, at: record.position)
      return
    }
    switch direction {
    case .positive: break
    case .negative: record.set(field, to: -value)
    case .unmentioned: record.reject(name, "is missing", at: record.position)
    case .null: record.reject(name, "is null", at: record.position)
    case .unreadable: record.reject(name, "is no direction", at: record.position)
    }
  }
}

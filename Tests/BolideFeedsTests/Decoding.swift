@testable import BolideFeeds

/// What a document decodes to, in a form that tests compare.
struct Decoded: Equatable {
  /// The records that can be used, a line each: `attribute=value` for what was given.
  var rows: [String] = []
  /// The records that cannot: `number field: reason @offset line:column`.
  var skipped: [String] = []
  var warnings: [String] = []
  /// Why the document is refused: its code.
  var code: String?
  var message = ""
  var position: FeedPosition?
}

/// Decodes a document whole.
///
/// - Parameters:
///   - piece: the most bytes that the source gives at once.
///   - window: the capacity at first, and the largest one.
///   - attributes: the attributes that are wanted; all without it.
func decode(
  _ feed: Feed, _ bytes: [UInt8], piece: Int = .max, window: (capacity: Int, limit: Int) = (1 << 16, 1 << 20),
  attributes: Set<String>? = nil, keyedByNet: Bool = true
) -> Decoded {
  let wanted = feed.fields.map { field in
    attributes.map { !$0.isDisjoint(with: field.attributes) } ?? true
  }
  var record = FeedRecord(fields: feed.fields)
  let selection = FeedSelection(feed, wanted: wanted, keyedByNet: keyedByNet)
  let reader = feed.reader(MemoryByteSource(bytes, piece: piece), selection, window: window)
  var decoded = Decoded()
  do throws(FeedFault) {
    while try reader.read(7, into: &record, { decoded.append($0) }) {}
  } catch {
    decoded.code = error.kind.code.name
    decoded.message = error.message
    decoded.position = error.position
  }
  decoded.warnings = reader.warnings
  return decoded
}

func decode(
  _ feed: Feed, _ text: String, attributes: Set<String>? = nil, keyedByNet: Bool = true
) -> Decoded {
  decode(feed, Array(text.utf8), attributes: attributes, keyedByNet: keyedByNet)
}

extension Decoded {
  fileprivate mutating func append(_ record: borrowing FeedRecord) {
    if let flaw = record.flaw {
      let place = flaw.position
      skipped.append(
        "\(record.number) \(flaw.field ?? "record"): \(flaw.reason) @\(place.offset) \(place.line):\(place.column)"
      )
      return
    }
    var parts: [String] = []
    for (index, field) in record.fields.enumerated() {
      let value: String
      switch record.state(index) {
      case .absent: continue
      case .null: value = "nil"
      case .text: value = "\"" + String(decoding: record.text(index), as: UTF8.self) + "\""
      case .number: value = field.type == .boolean ? "\(record.boolean(index))" : "\(record.double(index))"
      }
      parts.append("\(field.attributes[0])=\(value)")
    }
    rows.append(parts.joined(separator: " "))
  }
}

/// What an import wants from a feed.
package struct FeedSelection: Sendable {
  /// Which of the feed's fields are used.
  package let wanted: [Bool]
  /// The fields that a record must have a value for.
  package let required: [Int]
  /// The fields that may be absent, but not null.
  package let filled: [Int]

  /// - Parameters:
  ///   - keyedByNet: whether earthquakes are told apart by net and code, or by code alone.
  ///   - required: what must have a value besides the fields that the feed's records need.
  package init(
    _ feed: Feed, wanted: [Bool], keyedByNet: Bool = true, required: [Int] = [], filled: [Int] = []
  ) {
    let needed = feed.required(keyedByNet: keyedByNet)
    self.wanted = wanted
    self.required = (needed + required.filter { !needed.contains($0) }).filter { wanted[$0] }
    self.filled = filled
  }
}

/// A decoder in a box: one call a chunk, whatever the feed.
package class FeedReader {
  fileprivate init() {}

  /// Decodes at most `limit` records and hands each to `body`; false at the end of the document.
  package func read(
    _ limit: Int, into record: inout FeedRecord, _ body: (borrowing FeedRecord) -> Void
  ) throws(FeedFault) -> Bool { false }

  /// How many bytes have been decoded.
  package var offset: Int { 0 }
  /// What is odd about the document without being wrong.
  package var warnings: [String] { [] }
}

private final class DecoderBox<Decoder: RecordDecoder & ~Copyable>: FeedReader {
  private var decoder: Decoder

  init(_ decoder: consuming Decoder) {
    self.decoder = decoder
    super.init()
  }

  override func read(
    _ limit: Int, into record: inout FeedRecord, _ body: (borrowing FeedRecord) -> Void
  ) throws(FeedFault) -> Bool {
    for _ in 0..<limit {
      guard try decoder.next(into: &record) else { return false }
      body(record)
    }
    return true
  }

  override var offset: Int { decoder.offset }
  override var warnings: [String] { decoder.warnings }
}

extension Feed {
  /// A reader for one document.
  ///
  /// - Parameter window: how many bytes are held at first, and at most for one long token.
  package func reader(
    _ source: any ByteSource, _ selection: FeedSelection,
    window: (capacity: Int, limit: Int) = (128 << 10, 1 << 20)
  ) -> FeedReader {
    func json() -> JSONReader { JSONReader(source, capacity: window.capacity, limit: window.limit) }
    func csv() -> CSVReader { CSVReader(source, capacity: window.capacity, limit: window.limit) }
    switch self {
    case .jpl: return DecoderBox(FireballJSONDecoder(json(), selection))
    case .cneosCSV: return DecoderBox(FireballCSVDecoder(csv(), selection))
    case .usgs: return DecoderBox(QuakeGeoJSONDecoder(json(), selection))
    case .usgsCSV: return DecoderBox(QuakeCSVDecoder(csv(), selection))
    case .todos: return DecoderBox(TodoDecoder(json(), selection))
    }
  }
}

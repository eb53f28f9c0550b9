/// The first record of a CSV document: the names of its columns.
struct CSVHeading {
  private static let limit = 1000

  let names: [String]
  /// Where the heading starts.
  let position: FeedPosition

  /// Reads the heading.
  ///
  /// - Parameter name: the document in words, for messages.
  /// - Throws: `feed.not-the-feed` when no column is one of `known`, showing the first bytes.
  init(_ reader: inout CSVReader, known: [String], named name: String) throws(FeedFault) {
    try reader.window.skipByteOrderMark()
    guard try reader.nextRecord() else {
      throw FeedFault(.notTheFeed, "the document is empty, not \(name)", at: reader.position)
    }
    position = reader.position
    var names: [String] = []
    var end = CSVReader.FieldEnd.comma
    while end == .comma {
      end = try reader.nextField()
      if reader.flaw != nil || names.count == Self.limit { break }
      names.append(String(decoding: reader.text, as: UTF8.self))
    }
    guard reader.flaw == nil, names.count < Self.limit, names.contains(where: known.contains) else {
      let opening = excerpt(reader.window.opening)
      throw FeedFault(.notTheFeed, "not \(name): the document begins with “\(opening)”", at: position)
    }
    self.names = names
  }

  /// Checks that a column is there once.
  ///
  /// - Throws: `feed.column-missing`, naming it and those that are there.
  func require(_ name: String) throws(FeedFault) {
    if names.contains(name) { return }
    let found = names.joined(separator: ", ")
    throw FeedFault(.columnMissing, "the column “\(name)” is missing; there are: \(found)", at: position)
  }

  /// Checks that no known column is there twice.
  func requireOnce(_ known: [String]) throws(FeedFault) {
    for name in known where names.lazy.filter({ $0 == name }).count > 1 {
      throw FeedFault(.notTheFeed, "the column “\(name)” is there twice", at: position)
    }
  }
}

extension CSVReader {
  /// Reads a record's fields and hands those that are used to `body`, which returns what is wrong with one.
  ///
  /// A record with too few or too many fields, or a flawed one, is spoiled. A document that ends in the
  /// middle of a record is cut off.
  ///
  /// - Parameter uses: what each column is used for, −1 for nothing.
  mutating func readFields(
    _ uses: [Int], named names: [String], of record: inout FeedRecord,
    _ body: (_ use: Int, UnsafeBufferPointer<UInt8>, inout FeedRecord) -> String?
  ) throws(FeedFault) {
    var index = 0
    var end = FieldEnd.comma
    while end == .comma {
      let place = position
      end = try nextField()
      if let flaw {
        record.reject(index < names.count ? names[index] : nil, flaw.reason, at: place)
      } else if index < uses.count, uses[index] >= 0, let reason = body(uses[index], text, &record) {
        record.reject(names[index], reason, at: place)
      }
      index += 1
    }
    if index == uses.count { return }
    if end == .document, index < uses.count {
      throw FeedFault(.truncated, "the document ends after \(index) of \(uses.count) fields", at: position)
    }
    let reason = "the record has \(index) fields where \(uses.count) are expected"
    record.reject(nil, reason, at: record.position)
  }
}

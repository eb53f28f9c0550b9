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
  /// Reads a record's fields and hands each to `body` with its column.
  ///
  /// A record with too few or too many fields, or a flawed one, is spoiled. A document that ends in the
  /// middle of a record is cut off.
  mutating func readFields(
    _ count: Int, of record: inout FeedRecord, names: [String],
    _ body: (Int, borrowing CSVReader, FeedPosition, inout FeedRecord) -> Void
  ) throws(FeedFault) {
    var index = 0
    var end = FieldEnd.comma
    while end == .comma {
      let place = position
      end = try nextField()
      if index < count {
        if let flaw {
          record.reject(names[index], flaw.reason, at: place)
        } else {
          body(index, self, place, &record)
        }
      }
      index += 1
    }
    if index == count { return }
    if end == .document, index < count {
      throw FeedFault(.truncated, "the document ends after \(index) of \(count) fields", at: position)
    }
    record.reject(nil, "the record has \(index) fields where \(count) are expected", at: record.position)
  }
}

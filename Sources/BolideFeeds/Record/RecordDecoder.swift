/// A decoder of one document: pulls its bytes and hands out one record at a time.
package protocol RecordDecoder: ~Copyable {
  /// Decodes the next record; false at the end, when the whole document has been checked.
  ///
  /// A record that cannot be used carries a flaw and decoding goes on.
  ///
  /// - Throws: what makes the document unusable as a whole.
  mutating func next(into record: inout FeedRecord) throws(FeedFault) -> Bool

  /// How many bytes have been decoded.
  var offset: Int { get }

  /// What is odd about the document without being wrong.
  var warnings: [String] { get }
}

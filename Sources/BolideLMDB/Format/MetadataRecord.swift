import BolideStorage

/// The keys of the metadata database.
enum MetadataRecord {
  /// What the file is and which version of the layout on disk it has.
  static let format = [UInt8]("format".utf8)
  /// The epoch of the layout, 8 bytes, compared whenever a transaction begins.
  static let epoch = [UInt8]("epoch".utf8)
  /// The ``Catalogue``.
  static let catalogue = [UInt8]("catalogue".utf8)
  /// The newest transaction, and the newest that was dropped from history.
  static let head = [UInt8]("head".utf8)
  static let start = [UInt8]("start".utf8)

  private static let formatName = "bolide-lmdb/"
  static let version = 1

  /// The value of ``format``.
  static var formatText: [UInt8] { [UInt8]("\(formatName)\(version)".utf8) }

  /// Throws unless this version can read the store.
  static func checkFormat(_ bytes: UnsafeRawBufferPointer, _ path: String) throws(BolideError) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.hasPrefix(formatName), let found = Int(text.dropFirst(formatName.count)) else {
      throw LMDBFailure.damaged("The format record of \(path) is damaged")
    }
    if found > version {
      throw BolideError(
        .storeNewer, "The store at \(path) has format \(found), and this version knows up to \(version)")
    }
  }

  /// The longest name of the layer above that is a key as it is.
  private static let longest = 400

  /// The key under which the layer above keeps something, and the name as long as the key does not hold it.
  ///
  /// Names that are too long for a key of LMDB share records by a hash; such a record lists names and values.
  static func key(_ name: String) -> (key: [UInt8], long: [UInt8]?) {
    let utf8 = [UInt8](name.utf8)
    if utf8.count <= longest { return ([UInt8]("key:".utf8) + utf8, nil) }
    // FNV-1a: stable across processes and versions, which Swift's own hashes are not.
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    var key = [UInt8]("long:".utf8)
    key.appendBig(hash)
    return (key, utf8)
  }

  /// The names and values of a record of long names.
  static func longEntries(
    _ bytes: UnsafeRawBufferPointer
  ) throws(BolideError) -> [(name: [UInt8], value: [UInt8])] {
    var entries: [(name: [UInt8], value: [UInt8])] = []
    var offset = 0
    func next() throws(BolideError) -> [UInt8] {
      guard offset + 8 <= bytes.count else { throw LMDBFailure.damaged("A metadata record is damaged") }
      let length = bytes.big(offset, UInt64.self)
      guard length <= UInt64(bytes.count - offset - 8) else {
        throw LMDBFailure.damaged("A metadata record is damaged")
      }
      let start = offset + 8
      offset = start + Int(length)
      return [UInt8](bytes[start..<offset])
    }
    while offset < bytes.count { entries.append((try next(), try next())) }
    return entries
  }

  static func encode(_ entries: [(name: [UInt8], value: [UInt8])]) -> [UInt8] {
    var bytes: [UInt8] = []
    for entry in entries {
      for part in [entry.name, entry.value] {
        bytes.appendBig(UInt64(part.count))
        bytes.append(contentsOf: part)
      }
    }
    return bytes
  }
}

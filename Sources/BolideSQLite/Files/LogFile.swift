import Foundation

/// A log read without SQLite: which marks its commits left.
///
/// SQLite keeps no locks on the log itself, so that it may be opened and closed here (see ``StoreFile``).
///
/// ```
/// header  magic 4, version 4, page size 4, sequence 4, salt 8, checksum 8
/// frame   page number 4, pages of the file after a commit or 0 4, salt 8, checksum 8; the page
/// ```
///
/// All numbers are big-endian. Frames with another salt are left over from an earlier log.
struct LogFile: Equatable {
  /// Tells this log from those before and after it in the same file.
  let salt: [UInt8]
  /// The marks of the committed transactions, and the one that they began with.
  private(set) var marks: Set<Int64> = []
  /// Whether there is a committed transaction: without one SQLite takes nothing from the log.
  private(set) var hasCommits = false

  private static let headerLength = 32
  private static let frameHeaderLength = 24
  private static let magic: [UInt32] = [0x377F_0682, 0x377F_0683]

  /// Reads a log; `nil` where there is none that SQLite would look at.
  ///
  /// - Parameter page: the page that holds the marks.
  init?(_ path: String, markPage page: Int64) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard let header = Self.read(descriptor, at: 0, count: Self.headerLength),
      Self.magic.contains(UInt32(bigEndian: header))
    else { return nil }
    let pageSize = Int(UInt32(bigEndian: header[8...]))
    // What SQLite takes for a page size; it does not read a log with another.
    guard pageSize >= 512, pageSize <= 65536, pageSize & (pageSize - 1) == 0 else { return nil }
    salt = Array(header[16..<24])
    var offset = Self.headerLength
    var found: Set<Int64> = []
    while let frame = Self.read(descriptor, at: offset, count: Self.frameHeaderLength),
      Array(frame[8..<16]) == salt
    {
      if Int64(UInt32(bigEndian: frame)) == page,
        let bytes = Self.read(descriptor, at: offset + Self.frameHeaderLength, count: pageSize)
      {
        found.formUnion(Self.marks(in: bytes))
      }
      if UInt32(bigEndian: frame[4...]) != 0 {
        hasCommits = true
        marks.formUnion(found)
        found = []
      }
      offset += Self.frameHeaderLength + pageSize
    }
  }

  private static func read(_ descriptor: Int32, at offset: Int, count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    let got = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, count, off_t(offset)) }
    return got == count ? bytes : nil
  }

  /// The integers of the one row of a leaf page; none where the page is another's.
  static func marks(in page: [UInt8]) -> [Int64] {
    let leafOfTable: UInt8 = 0x0D
    guard page[0] == leafOfTable, page[3] == 0, page[4] == 1 else { return [] }
    var reader = RecordReader(page, at: Int(page[8]) << 8 | Int(page[9]))
    // The length of the row and its id come first; both marks are whole numbers.
    guard reader.number() != nil, reader.number() != nil else { return [] }
    return reader.integers() ?? []
  }
}

/// SQLite's form of a row, read with every bound checked.
private struct RecordReader {
  private let bytes: [UInt8]
  private var place: Int

  init(_ bytes: [UInt8], at place: Int) {
    self.bytes = bytes
    self.place = place
  }

  private mutating func byte() -> UInt8? {
    guard place < bytes.count else { return nil }
    defer { place += 1 }
    return bytes[place]
  }

  /// A number of one to nine bytes, seven bits each, all eight of the ninth.
  mutating func number() -> UInt64? {
    var result: UInt64 = 0
    for index in 0..<9 {
      guard let byte = byte() else { return nil }
      if index == 8 { return result << 8 | UInt64(byte) }
      result = result << 7 | UInt64(byte & 0x7F)
      if byte & 0x80 == 0 { return result }
    }
    return nil
  }

  /// The values of a row of integers; `nil` where there is another value.
  mutating func integers() -> [Int64]? {
    let start = place
    guard let length = number(), length <= UInt64(bytes.count - start) else { return nil }
    let end = start + Int(length)
    var types: [UInt64] = []
    while place < end {
      guard let type = number() else { return nil }
      types.append(type)
    }
    var values: [Int64] = []
    for type in types {
      switch type {
      case 8, 9: values.append(Int64(type) - 8)
      case 1...6:
        var value: Int64 = 0
        for index in 0..<[1, 2, 3, 4, 6, 8][Int(type) - 1] {
          guard let byte = byte() else { return nil }
          value = index == 0 ? Int64(Int8(bitPattern: byte)) : value << 8 | Int64(byte)
        }
        values.append(value)
      default: return nil
      }
    }
    return values
  }
}

extension UInt32 {
  /// The first four bytes, the highest first.
  fileprivate init(bigEndian bytes: some Sequence<UInt8>) {
    self = bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }
}

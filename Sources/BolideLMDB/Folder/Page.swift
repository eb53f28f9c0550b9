import Foundation

/// A branch or leaf page of an LMDB file, whose nodes were seen to keep inside it.
///
/// ```
/// page   number 8, padding 2, flags 2, lower 2, upper 2; the offset of each node, 2 each, up to lower;
///        the nodes from upper on
/// node   4 bytes (leaf: length of the data; branch: child's page number, low part), flags 2 (branch: the
///        high part), length of the key 2, the key; in a leaf the data, or the number of an overflow page
/// ```
struct Page {
  static let branchFlag: UInt16 = 0x01
  static let leafFlag: UInt16 = 0x02
  static let overflowFlag: UInt16 = 0x04
  static let metaFlag: UInt16 = 0x08
  /// Node flags: the data is the number of overflow pages; the data is the record of a named database.
  static let bigFlag: UInt16 = 0x01
  static let treeFlag: UInt16 = 0x02
  static let headerLength = 16

  let isBranch: Bool
  /// Where each node begins in the page.
  let nodes: [Int]
  private let bytes: [UInt8]

  /// Takes the bytes of a page; `nil` unless they are a well-formed page of that number.
  init?(_ bytes: [UInt8], number: UInt64) {
    self.bytes = bytes
    let seen: (isBranch: Bool, nodes: [Int])? = bytes.withUnsafeBytes { page in
      let flags = page.number(10, UInt16.self)
      let lower = Int(page.number(12, UInt16.self))
      let upper = Int(page.number(14, UInt16.self))
      guard page.number(0, UInt64.self) == number, flags == Self.branchFlag || flags == Self.leafFlag else {
        return nil
      }
      let isBranch = flags == Self.branchFlag
      let count = (lower - Self.headerLength) / 2
      guard lower >= Self.headerLength, lower <= upper, upper <= page.count, count >= (isBranch ? 2 : 1)
      else {
        return nil
      }
      var nodes: [Int] = []
      nodes.reserveCapacity(count)
      for index in 0..<count {
        let node = Int(page.number(Self.headerLength + index * 2, UInt16.self))
        guard node >= upper, node + 8 <= page.count else { return nil }
        let keyEnd = node + 8 + Int(page.number(node + 6, UInt16.self))
        var end = keyEnd
        if !isBranch {
          let isBig = page.number(node + 4, UInt16.self) & Self.bigFlag != 0
          end += isBig ? 8 : Int(page.number(node, UInt32.self))
        }
        guard end <= page.count else { return nil }
        nodes.append(node)
      }
      return (isBranch, nodes)
    }
    guard let seen else { return nil }
    isBranch = seen.isBranch
    nodes = seen.nodes
  }

  /// The flags of a leaf node.
  func flags(of node: Int) -> UInt16 { bytes.withUnsafeBytes { $0.number(node + 4, UInt16.self) } }

  /// The page that a branch node leads to.
  func child(_ node: Int) -> UInt64 {
    bytes.withUnsafeBytes {
      UInt64($0.number(node, UInt32.self)) | UInt64($0.number(node + 4, UInt16.self)) << 32
    }
  }

  /// The length of a leaf node's data.
  func dataLength(of node: Int) -> Int { bytes.withUnsafeBytes { Int($0.number(node, UInt32.self)) } }

  /// The key of a node.
  func key(of node: Int) -> [UInt8] { withKey(of: node) { [UInt8]($0) } }

  func withKey<T>(of node: Int, _ body: (UnsafeRawBufferPointer) -> T) -> T {
    bytes.withUnsafeBytes { page in
      let length = Int(page.number(node + 6, UInt16.self))
      return body(UnsafeRawBufferPointer(rebasing: page[(node + 8)..<(node + 8 + length)]))
    }
  }

  /// Whether keys ascend, and have the length of a number where they are numbers.
  func isOrdered(byNumber: Bool) -> Bool {
    bytes.withUnsafeBytes { page in
      guard let base = page.baseAddress else { return false }
      var previous: (start: Int, length: Int)?
      // The first key of a branch page is not looked at by LMDB and may be empty.
      for node in nodes.dropFirst(isBranch ? 1 : 0) {
        let key = (start: node + 8, length: Int(page.number(node + 6, UInt16.self)))
        if byNumber ? key.length != 8 : key.length == 0 { return false }
        if let previous {
          let isAbove: Bool
          if byNumber {
            isAbove = page.number(previous.start, UInt64.self) < page.number(key.start, UInt64.self)
          } else {
            let order = memcmp(base + previous.start, base + key.start, min(previous.length, key.length))
            isAbove = order == 0 ? previous.length < key.length : order < 0
          }
          if !isAbove { return false }
        }
        previous = key
      }
      return true
    }
  }

  /// The data of a leaf node; for big data, the 8 bytes of its page number.
  func withData<T>(of node: Int, _ body: (UnsafeRawBufferPointer) -> T) -> T {
    bytes.withUnsafeBytes { page in
      let start = node + 8 + Int(page.number(node + 6, UInt16.self))
      let isBig = page.number(node + 4, UInt16.self) & Self.bigFlag != 0
      let length = isBig ? 8 : Int(page.number(node, UInt32.self))
      return body(UnsafeRawBufferPointer(rebasing: page[start..<(start + length)]))
    }
  }
}

import BolideStorage
import Foundation

/// `data.mdb` read page by page, without LMDB: to tell what a file is before LMDB touches it, and to
/// find damage that LMDB would follow out of bounds.
///
/// LMDB trusts its pages: a page number or an offset that was damaged makes it read outside the file,
/// which ends the process.
final class PageFile {
  /// One of the two pages that say where the trees of a committed state begin.
  struct Meta {
    let pageSize: Int
    let lastPage: UInt64
    let transaction: UInt64
    let freeList: Tree
    let main: Tree
  }

  /// A tree of pages: a database.
  struct Tree {
    let flags: UInt16
    let depth: Int
    let entries: UInt64
    /// The page number of the root; `none` for an empty tree.
    let root: UInt64

    static let none = UInt64.max
    static let byteCount = 48
    static let integerKey: UInt16 = 0x08

    init(_ bytes: UnsafeRawBufferPointer) {
      flags = bytes.number(4, UInt16.self)
      depth = Int(bytes.number(6, UInt16.self))
      entries = bytes.number(32, UInt64.self)
      root = bytes.number(40, UInt64.self)
    }
  }

  let path: String
  let size: Int
  let descriptor: Int32

  init(_ path: String) throws(BolideError) {
    self.path = path
    descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 { throw LMDBFailure.system(errno, "open \(path)") }
    var status = stat()
    fstat(descriptor, &status)
    size = Int(status.st_size)
  }

  deinit { Foundation.close(descriptor) }

  /// Reads bytes of the file; `nil` where it ends before.
  func read(at offset: Int, count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    let got = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, count, off_t(offset)) }
    return got == count ? bytes : nil
  }

  /// The meta page of the newest committed state.
  ///
  /// - Throws: `store.foreign` for a file that LMDB did not write, `store.damaged`, `store.newer-format`.
  func newestMeta() throws(BolideError) -> Meta {
    let (first, second) = try metas()
    return second.transaction > first.transaction ? second : first
  }

  /// The meta page of one state, which a reader holds; `nil` when writers have gone on too far.
  ///
  /// A meta page is overwritten by the second commit after its own.
  func meta(ofTransaction transaction: UInt64) throws(BolideError) -> Meta? {
    let (first, second) = try metas()
    guard max(first.transaction, second.transaction) <= transaction + 1 else { return nil }
    return first.transaction == transaction ? first : second.transaction == transaction ? second : nil
  }

  private func metas() throws(BolideError) -> (Meta, Meta) {
    guard let start = read(at: 0, count: 152), Self.isMeta(start) else {
      throw BolideError(.storeForeign, "\(path) is not a file of LMDB")
    }
    let first = try meta(start)
    guard let start = read(at: first.pageSize, count: 152), Self.isMeta(start) else {
      throw LMDBFailure.damaged("The second page of \(path) is damaged")
    }
    let second = try meta(start)
    guard second.pageSize == first.pageSize else {
      throw LMDBFailure.damaged("The first pages of \(path) contradict each other")
    }
    return (first, second)
  }

  private static func isMeta(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes {
      $0.number(10, UInt16.self) & Page.metaFlag != 0 && $0.number(16, UInt32.self) == 0xBEEF_C0DE
    }
  }

  private func meta(_ bytes: [UInt8]) throws(BolideError) -> Meta {
    try bytes.withBytes { (bytes) throws(BolideError) in
      guard bytes.number(20, UInt32.self) == 1 else {
        throw BolideError(.storeNewer, "\(path) has a file format that this LMDB does not know")
      }
      let size = Int(bytes.number(40, UInt32.self))
      guard size >= 256, size <= 65536, size & (size - 1) == 0 else {
        throw LMDBFailure.damaged("The page size in \(path) is damaged")
      }
      guard bytes.number(136, UInt64.self) < 1 << 40 else {
        throw LMDBFailure.damaged("The page count in \(path) is damaged")
      }
      return Meta(
        pageSize: size, lastPage: bytes.number(136, UInt64.self), transaction: bytes.number(144, UInt64.self),
        freeList: Tree(UnsafeRawBufferPointer(rebasing: bytes[40..<88])),
        main: Tree(UnsafeRawBufferPointer(rebasing: bytes[88..<136])))
    }
  }

  /// Whether the file has a named database.
  ///
  /// Another process may write meanwhile and reuse the pages that are read; then a later state is looked at.
  func hasDatabase(_ name: String, _ meta: Meta) throws(BolideError) -> Bool {
    var meta = meta
    for _ in 0..<16 {
      let found = databases(meta).contains { $0.name.elementsEqual(name.utf8) }
      let newest = try newestMeta()
      if newest.transaction == meta.transaction { return found }
      meta = newest
    }
    return true
  }

  /// The named databases of a state, as far as their records can be read.
  func databases(_ meta: Meta) -> [(name: [UInt8], tree: Tree)] {
    var result: [(name: [UInt8], tree: Tree)] = []
    var pages = [meta.main.root]
    var seen = 0
    while let number = pages.popLast(), seen < 4096 {
      seen += 1
      guard number != Tree.none, let page = page(number, meta) else { continue }
      for node in page.nodes {
        if page.isBranch {
          pages.append(page.child(node))
        } else if page.flags(of: node) & Page.treeFlag != 0 {
          page.withData(of: node) { data in
            if data.count == Tree.byteCount { result.append((page.key(of: node), Tree(data))) }
          }
        }
      }
    }
    return result
  }

  /// A page of a tree whose header and nodes keep inside their bounds; `nil` for any other.
  func page(_ number: UInt64, _ meta: Meta) -> Page? {
    guard number > 1, number <= meta.lastPage else { return nil }
    guard let bytes = read(at: Int(number) * meta.pageSize, count: meta.pageSize) else { return nil }
    return Page(bytes, number: number)
  }
}

extension UnsafeRawBufferPointer {
  /// A number in the file's order, which is little-endian.
  func number<T: FixedWidthInteger>(_ offset: Int, _ type: T.Type) -> T {
    T(littleEndian: loadUnaligned(fromByteOffset: offset, as: T.self))
  }
}

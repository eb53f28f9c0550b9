import BolideStorage
import Foundation

extension PageFile {
  /// Copies one state into a new file, its free pages included: at the speed of the file system.
  ///
  /// The caller holds a read transaction of that state. Writers may go on meanwhile: they leave the pages
  /// of a state alone that somebody reads, and what else is copied is not reachable from it.
  /// - Returns: false when writers had gone on too far to find where the state begins.
  func copy(_ transaction: UInt64, to target: Int32) throws(BolideError) -> Bool {
    guard let meta = try meta(ofTransaction: transaction) else { return false }
    let place = Int(transaction & 1)
    guard var page = read(at: place * meta.pageSize, count: meta.pageSize),
      page.withUnsafeBytes({ $0.number(144, UInt64.self) }) == transaction,
      let again = try self.meta(ofTransaction: transaction), again.lastPage == meta.lastPage
    else { return false }
    var end = stat()
    fstat(descriptor, &end)
    try copyBytes(min(Int(end.st_size), (Int(meta.lastPage) + 1) * meta.pageSize), to: target)
    // Both meta pages of the copy are that of the state, each with its own page number first.
    for number in UInt64(0)...1 {
      page.replaceSubrange(0..<8, with: withUnsafeBytes(of: number.littleEndian) { [UInt8]($0) })
      let written = page.withUnsafeBytes {
        pwrite(target, $0.baseAddress, $0.count, off_t(Int(number) * meta.pageSize))
      }
      if written != page.count { throw LMDBFailure.system(errno, "write a copy of \(path)") }
    }
    return true
  }

  private func copyBytes(_ count: Int, to target: Int32) throws(BolideError) {
    // Small enough to stay in the processor's caches, and never filled with zeros.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 << 10, alignment: 16)
    defer { buffer.deallocate() }
    var offset = 0
    while offset < count {
      let got = pread(descriptor, buffer.baseAddress, min(buffer.count, count - offset), off_t(offset))
      if got == 0 { throw LMDBFailure.damaged("\(path) ended while it was copied") }
      let put = got < 0 ? got : pwrite(target, buffer.baseAddress, got, off_t(offset))
      if put < 0 { throw LMDBFailure.system(errno, "copy \(path)") }
      offset += put
    }
  }
}

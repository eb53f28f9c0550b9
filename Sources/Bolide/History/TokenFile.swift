import BolideStorage
import Foundation
import Synchronization

/// A file that remembers a place in history between runs (rule H-6).
///
/// The file is replaced atomically and checked on reading. A missing file means "from the start"; a damaged one
/// is set aside under a name of its own and reported: it is never believed and never fatal.
public struct TokenFile: Sendable {
  /// The file.
  public let url: URL

  /// What loading found.
  public enum Contents: Equatable, Sendable {
    /// There is no file: begin at the start.
    case missing
    /// The place that was saved.
    case token(PersistentHistoryToken)
    /// The file was damaged and is now at this place: begin at the start.
    case damaged(setAside: URL)
  }

  /// A file at a place of one's own.
  public init(_ url: URL) { self.url = url }

  /// The usual file for a store in a folder: its name contains the store's id, so that two stores never share one.
  public init(folder: URL, storeID: UUID) {
    url = folder.appendingPathComponent("token-\(storeID.uuidString.lowercased()).data")
  }

  /// Reads the token.
  ///
  /// - Throws: `store.io` where the file is there but cannot be read or set aside.
  public func load() throws(BolideError) -> Contents {
    guard FileManager.default.fileExists(atPath: url.path) else { return .missing }
    let data: Data
    do { data = try Data(contentsOf: url) } catch { throw Self.failure("read", url, error) }
    if let token = Self.decode(data) { return .token(token) }
    let aside = freeName()
    do { try FileManager.default.moveItem(at: url, to: aside) } catch {
      throw Self.failure("set aside", url, error)
    }
    return .damaged(setAside: aside)
  }

  /// Replaces the file by one that holds the token.
  ///
  /// - Throws: `store.io`; the old file is still there then.
  public func save(_ token: PersistentHistoryToken) throws(BolideError) {
    do {
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Self.encode(token).write(to: url, options: .atomic)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: url.path)
    } catch {
      throw Self.failure("write", url, error)
    }
  }

  /// Replaces the file by one that holds the token, unless it holds a later one of the same store: for passes that may
  /// overlap, of which a slow one must not take the place of a newer one.
  ///
  /// Calls of one process take turns. After ``PersistentContainer/resync()`` of a store that was restored use ``save(_:)``,
  /// which goes back, too.
  ///
  /// - Returns: whether the file was replaced.
  /// - Throws: `store.io`; the old file is still there then.
  @discardableResult
  public func advance(to token: PersistentHistoryToken) throws(BolideError) -> Bool {
    try Self.turn.withLock { (_) throws(BolideError) in
      if case .token(let saved) = try load(), saved.storeID == token.storeID, saved.number >= token.number {
        return false
      }
      try save(token)
      return true
    }
  }

  private static let turn = Mutex(())

  /// `bolide-token 1`, the token and a checksum of it, a line each: half a file or a flipped bit is recognised.
  static func encode(_ token: PersistentHistoryToken) -> Data {
    let text = token.description
    return Data("bolide-token 1\n\(text)\n\(checksum(text))\n".utf8)
  }

  static func decode(_ data: Data) -> PersistentHistoryToken? {
    let lines = String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count == 4, lines[0] == "bolide-token 1", lines[3].isEmpty,
      let token = PersistentHistoryToken(String(lines[1])), lines[2] == checksum(String(lines[1])),
      encode(token) == data
    else { return nil }
    return token
  }

  /// FNV-1a over 64 bits, in hex.
  private static func checksum(_ text: String) -> String {
    let hash = text.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    let hex = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - hex.count) + hex
  }

  private func freeName() -> URL {
    var count = 1
    while true {
      let candidate = url.deletingLastPathComponent()
        .appendingPathComponent("\(url.lastPathComponent).damaged-\(count)")
      if !FileManager.default.fileExists(atPath: candidate.path) { return candidate }
      count += 1
    }
  }

  private static func failure(_ verb: String, _ url: URL, _ error: any Error) -> BolideError {
    BolideError(
      .storeIO,
      "the token file \(url.path) could not be \(verb == "read" ? "read" : verb == "write" ? "written" : verb)",
      underlying: .init(
        domain: "foundation", code: Int32(truncatingIfNeeded: (error as NSError).code), text: "\(error)"))
  }
}

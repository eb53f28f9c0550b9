import Bolide
import Foundation

/// A way to spoil a file.
enum Damage: Sendable {
  /// Only the first half is left.
  case half
  /// As many bytes, and none of them right.
  case random
  /// A file of another kind.
  case other
  case empty
  /// One bit in the middle is another.
  case flip
  case missing
  /// The first bytes are wrong.
  case header
  /// What follows the first bytes is wrong from some place on.
  case pages

  /// Spoils the file, which is there.
  func apply(to file: URL) throws {
    if self == .missing { return try FileManager.default.removeItem(at: file) }
    try Data(spoiled(Array(try Data(contentsOf: file)))).write(to: file)
  }

  /// Two pages of a store are left as they are: with those it is still told for a store.
  private static let spared = 8192

  private func spoiled(_ bytes: [UInt8]) -> [UInt8] {
    switch self {
    case .half: return Array(bytes.prefix(bytes.count / 2))
    case .random:
      let source = SeededSource(seed: 7)
      return bytes.map { _ in UInt8(truncatingIfNeeded: source.next()) }
    // A file of the same kind of encoding, but of something else.
    case .other: return Array(#"{"version":1,"settings":[]}"#.utf8)
    case .flip:
      var result = bytes
      if !result.isEmpty { result[result.count / 2] ^= 1 }
      return result
    case .header: return bytes.prefix(64).map { $0 ^ 0xA5 } + bytes.dropFirst(64)
    case .pages: return bytes.prefix(Self.spared) + bytes.dropFirst(Self.spared).map { ~$0 }
    case .empty, .missing: return []
    }
  }
}

import Foundation

/// Replaces files whole: a reader sees the old bytes or the new ones, never a part.
package enum AtomicFile {
  /// Writes the bytes beside the file and moves them over it; permissions and links stay.
  ///
  /// - Throws: What the file system reports; the old file is then untouched.
  package static func replace(_ path: String, with bytes: [UInt8]) throws {
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    let manager = FileManager.default
    let mode = try manager.attributesOfItem(atPath: target.path)[.posixPermissions]
    let folder = target.deletingLastPathComponent()
    let draft = folder.appendingPathComponent(".\(target.lastPathComponent).\(UUID().uuidString)")
    do {
      try Data(bytes).write(to: draft, options: .withoutOverwriting)
      if let mode { try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: draft.path) }
      guard rename(draft.path, target.path) == 0 else {
        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
      }
    } catch {
      try? manager.removeItem(at: draft)
      throw error
    }
  }
}

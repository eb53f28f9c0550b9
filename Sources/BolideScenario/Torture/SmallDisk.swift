import Foundation

/// A small file system of its own, for stores that are to find their disk full: the system gives one to the
/// superuser, and perhaps to others.
package struct SmallDisk: Sendable {
  /// Where it is mounted.
  package let folder: URL
  /// How large it is.
  package static let megabytes = 24

  /// Mounts an empty one in a folder that is made for it; `nil` where the system does not let this process do so.
  package init?(in parent: URL) {
    #if os(Linux)
      folder = parent.appending(path: "disk", directoryHint: .isDirectory)
      do {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard try Self.run("mount", "-t", "tmpfs", "-o", "size=\(Self.megabytes)m", "bolide", folder.path)
        else { return nil }
      } catch {
        return nil
      }
    #else
      return nil
    #endif
  }

  /// Takes it away with all that is on it.
  package func unmount() { _ = try? Self.run("umount", "-l", folder.path) }

  private static func run(_ arguments: String...) throws -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}

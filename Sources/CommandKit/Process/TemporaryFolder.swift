import Foundation

/// A folder of its own for one run, removed when the run ends, also when it is interrupted.
package struct TemporaryFolder: Sendable {
  package let url: URL

  /// Runs `body` with a fresh folder and removes the folder afterwards.
  ///
  /// - Throws: What `body` throws, and the file system's error when the folder cannot be made.
  package static func with<Result: Sendable>(
    prefix: String, _ interruption: Interruption,
    _ body: (TemporaryFolder) async throws -> Result
  ) async throws -> Result {
    let url = FileManager.default.temporaryDirectory
      .appending(path: "\(prefix)-\(UUID().uuidString.lowercased())", directoryHint: .isDirectory)
    let folder = TemporaryFolder(url: url)
    // Before the folder is there, so that no moment is left in which an interruption would forget it.
    let key = interruption.atEnd { folder.remove() }
    defer {
      interruption.forget(key)
      folder.remove()
    }
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return try await body(folder)
  }

  /// Work may still create files while an interrupted run is cleaned up, so one pass may not be enough.
  private func remove() {
    for _ in 0..<3 where FileManager.default.fileExists(atPath: url.path) {
      try? FileManager.default.removeItem(at: url)
    }
  }
}

import BolideStorage
import Foundation

/// The places where a scenario's file names are looked up; nothing outside them is ever read.
package struct FileRoots: Sendable {
  /// What a name stands for.
  package enum Source: Hashable, Sendable {
    case payload([UInt8])
    case file(URL)
  }

  private let payloads: [Payload]
  private let folders: [URL]

  /// Looks in the payloads first, then in the folders, in that order.
  package init(payloads: [Payload], folders: [URL]) {
    self.payloads = payloads
    self.folders = folders
  }

  /// What the name stands for.
  ///
  /// - Throws: `file.…` when the name leaves its folder, also through a link, or when there is no
  ///   such file.
  package func resolve(_ name: String) throws(BolideError) -> Source {
    if let reason = PayloadHeader.problem(with: name) { throw BolideError(.fileOutside, reason) }
    if let payload = payloads.first(where: { $0.name.text == name }) { return .payload(payload.bytes) }
    for folder in folders {
      let candidate = folder.appending(path: name)
      guard FileManager.default.fileExists(atPath: candidate.path) else { continue }
      guard Self.contains(folder, candidate) else {
        throw BolideError(.fileOutside, "`\(name)` leads out of \(folder.lastPathComponent) through a link")
      }
      return .file(candidate)
    }
    throw BolideError(
      .fileMissing, "there is no file `\(name)` in the scenario, beside it, under Fixtures or in feeds")
  }

  /// The bytes that the name stands for.
  ///
  /// - Throws: `file.…` as `resolve`, and when the file cannot be read.
  package func bytes(of name: String) throws(BolideError) -> [UInt8] {
    switch try resolve(name) {
    case .payload(let bytes): return bytes
    case .file(let url):
      guard let data = try? Data(contentsOf: url) else {
        throw BolideError(.fileUnreadable, "`\(name)` cannot be read")
      }
      return Array(data)
    }
  }

  /// Whether the file lies in the folder, links resolved.
  package static func contains(_ folder: URL, _ file: URL) -> Bool {
    let root = folder.resolvingSymlinksInPath().standardizedFileURL.pathComponents
    return file.resolvingSymlinksInPath().standardizedFileURL.pathComponents.starts(with: root)
  }

  /// The nearest folder above that holds a folder `Fixtures`, and that folder itself.
  package static func fixtures(above folder: URL) -> URL? {
    var place = folder.standardizedFileURL
    while place.path != "/" {
      let candidate = place.appending(path: "Fixtures", directoryHint: .isDirectory)
      if FileManager.default.fileExists(atPath: candidate.path) { return candidate }
      place = place.deletingLastPathComponent()
    }
    return nil
  }
}

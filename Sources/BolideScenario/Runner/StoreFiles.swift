import BolideStorage
import Foundation

/// The files of a closed store: its location is a file, or a folder with `data.mdb` or else one file that is larger than the
/// others; what else is named after the location or is in the folder stands beside it.
struct StoreFiles {
  private let location: URL
  private let main: URL
  private let bytes: Data
  private var laid: [URL] = []

  /// - Throws: `scenario.no-file` where there is none.
  init(at path: String) throws {
    location = URL(fileURLWithPath: path)
    let files = try Self.isFolder(path) ? Self.sidecars(at: path).map { $0.file } : [location]
    let sizes = files.map { (file: $0, size: Self.size($0)) }
    let data = sizes.first { $0.file.lastPathComponent == "data.mdb" } ?? sizes.max { $0.size < $1.size }
    guard let data, data.size > 0 else { throw BolideError(.scenarioNoFile, "the store has no file") }
    main = data.file
    bytes = try Data(contentsOf: main)
  }

  /// Spoils the file; a store that is missing is missing with all that is beside it.
  func spoil(_ damage: Damage) throws { try damage.apply(to: damage == .missing ? location : main) }

  /// Puts the bytes of other stores' files beside the store, under the names that its own would have.
  mutating func lay(_ files: [(suffix: String, bytes: Data)]) throws {
    for file in files {
      let place = URL(fileURLWithPath: location.path + file.suffix)
      if place.path == main.path { continue }
      try file.bytes.write(to: place)
      laid.append(place)
    }
  }

  /// Puts the file back as it was.
  mutating func mend() throws {
    for file in laid where FileManager.default.fileExists(atPath: file.path) {
      try FileManager.default.removeItem(at: file)
    }
    laid = []
    try FileManager.default.createDirectory(
      at: main.deletingLastPathComponent(), withIntermediateDirectories: true)
    try bytes.write(to: main)
  }

  /// What stands beside the store at a path: files of its folder, or files that are named after it.
  static func sidecars(at path: String) throws -> [(suffix: String, file: URL)] {
    let url = URL(fileURLWithPath: path)
    let isFolder = isFolder(path)
    let folder = isFolder ? url : url.deletingLastPathComponent()
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().compactMap { name in
      let file = folder.appending(path: name)
      if isFolder { return ("/" + name, file) }
      guard name.hasPrefix(url.lastPathComponent + "-") else { return nil }
      return (String(name.dropFirst(url.lastPathComponent.count)), file)
    }
  }

  private static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
  }

  private static func size(_ file: URL) -> Int {
    (try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0
  }
}

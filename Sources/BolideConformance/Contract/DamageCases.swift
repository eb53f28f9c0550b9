import BolideStorage
import Foundation

extension Conformance {
  /// Files that are no store, or no more.
  static var damageCases: [CaseDefinition] {
    [
      CaseDefinition(
        "storage/foreign-file", "A file that is no store is refused and left as it was.",
        rules: ["S-2", "S10"],
        needs: [.capability("durable")]
      ) { stage in
        for text in ["just a text", String(repeating: "<html>maintenance</html>\n", count: 4_000)] {
          let location = try stage.makeLocation()
          try Data(text.utf8).write(to: location)
          try checkThrows(.storeForeign, .storeDamaged, label: "opening a text file") {
            _ = try stage.open(location, layout: ContractLayout.layout)
          }
          try checkEqual(try Data(contentsOf: location), Data(text.utf8), "the file's bytes")
        }
      },
      CaseDefinition(
        "storage/damaged-start", "A store whose first bytes are damaged is refused, never recreated.",
        rules: ["S-2", "E-1", "S10"], needs: [.capability("durable")]
      ) { stage in
        try damage(stage) { bytes in
          for index in bytes.indices.prefix(64) { bytes[index] = bytes[index] ^ 0xA5 }
        }
      },
      CaseDefinition(
        "storage/cut-file", "A store that was cut is refused or read in part with errors, never with a trap.",
        rules: ["S-2", "E-1", "S10"], needs: [.capability("durable")]
      ) { stage in
        try damage(stage) { $0 = $0.prefix(100) }
        try damage(stage, mayOpen: true) { $0 = $0.prefix($0.count / 2) }
      },
    ]
  }

  /// Fills a store, damages its largest file, and reads what can be read.
  private static func damage(
    _ stage: CaseStage, mayOpen: Bool = false, by change: (inout Data) -> Void
  ) throws {
    let location = try stage.makeLocation()
    let store = try stage.open(location, layout: ContractLayout.layout)
    try fill(store)
    try store.close()
    let sizes = try filesOfStore(at: location).map { ($0, try Data(contentsOf: $0)) }
    let largest = try checkPresent(sizes.max { $0.1.count < $1.1.count }, "a file of the store")
    var damaged = largest.1
    change(&damaged)
    try damaged.write(to: largest.0)
    do {
      let opened = try stage.open(location, layout: ContractLayout.layout)
      defer { stage.atEnd { withExtendedLifetime(opened) {} } }
      try check(mayOpen, "a damaged store was opened as if nothing had happened")
      _ = try opened.read { try Contents($0) }
    } catch let error as BolideError {
      let codes: [ErrorCode] = [.storeForeign, .storeDamaged, .storeIO, .storeNewer]
      try check(codes.contains(error.code), "an error of its own for damage, not \(error)")
    } catch is ConformanceFailure where mayOpen {
      return  // rows that do not fit together are what a cut file may give
    }
    try checkEqual(try Data(contentsOf: largest.0).prefix(64), damaged.prefix(64), "the file's first bytes")
  }

  /// The regular files at a location: the location itself, those in it, those beside it that share its name.
  static func filesOfStore(at location: URL) throws -> [URL] {
    let parent = location.deletingLastPathComponent()
    let manager = FileManager.default
    // Names only: other programs' files in the same folder may go at any moment.
    let beside = try manager.contentsOfDirectory(atPath: parent.path)
      .filter { $0.hasPrefix(location.lastPathComponent) }.map { parent.appending(path: $0) }
    let inside = try beside.flatMap { item -> [URL] in
      var isFolder: ObjCBool = false
      guard manager.fileExists(atPath: item.path, isDirectory: &isFolder), isFolder.boolValue else {
        return [item]
      }
      return try manager.contentsOfDirectory(at: item, includingPropertiesForKeys: nil)
    }
    try check(!inside.isEmpty, "a durable store has no file at \(location.lastPathComponent)")
    return inside.sorted { $0.path < $1.path }
  }
}

import BolideLMDB
import BolideMemory
import BolideSQLite
import BolideStorage
import CommandKit
import Foundation

/// The kinds of store the program knows, by the words that commands use.
enum StoreKind: String, CaseIterable {
  case memory, sqlite, lmdb

  static let words = allCases.map(\.rawValue)

  var backend: any Backend {
    switch self {
    case .memory: MemoryBackend()
    case .sqlite: SQLiteBackend()
    case .lmdb: LMDBBackend()
    }
  }
}

extension StoreLocation {
  /// Reads the form `memory:`, `sqlite:PATH` or `lmdb:PATH`.
  ///
  /// - Throws: A `Failure` that says what is wrong with the text.
  init(parsing text: String) throws(Failure) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, let kind = StoreKind(rawValue: parts[0]) else {
      let word = parts.count == 2 ? Suggestion.nearest(to: parts[0], among: StoreKind.words) : nil
      throw Self.wrong(text, word.map { "did you mean \"\($0):\(parts[1])\"?" } ?? Self.forms)
    }
    let path = parts[1]
    switch kind {
    case .memory:
      guard path.isEmpty else { throw Self.wrong(text, "write memory: alone; a store in memory has no path") }
      self = MemoryBackend.freshLocation()
    case .sqlite, .lmdb:
      guard !path.isEmpty else { throw Self.wrong(text, "write \(kind.rawValue):PATH") }
      self.init(kind.backend, Location(path: URL(filePath: path).path))
    }
  }

  private static let forms = "write memory:, sqlite:PATH or lmdb:PATH"

  private static func wrong(_ text: String, _ remedy: String) -> Failure {
    Failure(.usage, code: "usage.wrong-location", "\"\(text)\" is no location of a store", remedy: remedy)
  }
}

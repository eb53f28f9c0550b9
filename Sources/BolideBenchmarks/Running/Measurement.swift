import CComparators
import Foundation

/// Everything a measured run needs to know; it crosses to a process of its own as arguments.
struct RunRequest: Sendable {
  var job: Job
  var store: StoreKind
  var side: SideName
  var rows: Int
  var seed: UInt64
  var folder: String

  /// The word that tells a process that it is a measured run.
  static let marker = "__measure"

  var arguments: [String] {
    [Self.marker, job.rawValue, store.rawValue, side.rawValue, String(rows), String(seed), folder]
  }

  init(job: Job, store: StoreKind, side: SideName, rows: Int, seed: UInt64, folder: String) {
    self.job = job
    self.store = store
    self.side = side
    self.rows = rows
    self.seed = seed
    self.folder = folder
  }

  init?(arguments: [String]) {
    guard arguments.count == 7, arguments[0] == Self.marker,
      let job = Job(rawValue: arguments[1]), let store = StoreKind(rawValue: arguments[2]),
      let side = SideName(rawValue: arguments[3]), let rows = Int(arguments[4]),
      let seed = UInt64(arguments[5])
    else { return nil }
    self.init(job: job, store: store, side: side, rows: rows, seed: seed, folder: arguments[6])
  }
}

/// What one measured run found.
struct Measurement: Codable, Sendable {
  var seconds: Double
  var rows: Int
  var checksum: UInt64
  /// The sum of all rows' hashes afterwards.
  var content: UInt64
  /// Memory above the open store.
  var peakBytes: Int
  /// What the store takes on disk after it was closed.
  var fileBytes: Int

  var rate: Double { Double(rows) / max(seconds, 1e-9) }
}

extension RunRequest {
  /// Prepares, runs and checks the job in this process.
  func measure() throws -> Measurement {
    let generator = QuakeGenerator(seed: seed)
    let work = Work(job, generator: generator, rows: rows, copyPath: folder + "/copy")
    let side = try openSide()
    try job.prepare(side, work.records)
    let (timing, peakBytes) = try MemoryMeter.measure { try job.run(side, work) }
    let content = try side.content()
    try side.close()
    if job.endsWithTheRecords, content != work.records.content {
      throw BenchmarkFailure("\(label): the store does not hold the records")
    }
    return Measurement(
      seconds: timing.seconds, rows: timing.rows, checksum: timing.checksum, content: content,
      peakBytes: peakBytes, fileBytes: try fileBytes())
  }

  private func openSide() throws -> any Side {
    let path = folder + "/store"
    switch side {
    case .comparator:
      if store == .lmdb {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      }
      return try ComparatorSide(
        store, path: path, conflict: job.conflict(store), keepsHistory: job.comparatorKeepsHistory)
    case .storage: return try StorageSide(store.backend, path: path)
    case .bolide, .bolideWithoutHistory:
      return try BolideSide(store.backend, path: path, keepsHistory: side == .bolide)
    }
  }

  /// The bytes that the store's files take, the copy not counted.
  private func fileBytes() throws -> Int {
    let root = URL(fileURLWithPath: folder)
    let keys: [URLResourceKey] = [.isRegularFileKey, .fileSizeKey]
    guard let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: keys) else {
      return 0
    }
    var total = 0
    for case let file as URL in files where !file.path.hasPrefix(folder + "/copy") {
      let values = try file.resourceValues(forKeys: Set(keys))
      if values.isRegularFile == true { total += values.fileSize ?? 0 }
    }
    return total
  }
}

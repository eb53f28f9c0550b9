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
struct RunMeasurement: Codable, Equatable, Sendable {
  var seconds: Double
  /// Processor time, other processes' not counted.
  var busySeconds: Double
  var rows: Int
  var checksum: UInt64
  /// The sum of all rows' hashes afterwards.
  var content: UInt64
  /// The most memory above the open store.
  var peakBytes: Int
  /// The memory that was still held afterwards, above the open store.
  var keptBytes: Int
  /// What the store takes on disk after it was closed.
  var fileBytes: Int
  /// What the process wrote during the job, by calls and not by mapped pages; 0 where the system does not tell.
  var writtenBytes: Int
  var comparisons: Int
  var rowsRead: Int
  /// How many timed parts came before those of the job: what was imported for it.
  var partsBefore: Int

  var rate: Double { Double(rows) / max(seconds, 1e-9) }
  var busyRate: Double { Double(rows) / max(busySeconds, 1e-9) }
}

extension RunRequest {
  /// Prepares, runs and checks the job in this process.
  func measure() throws -> RunMeasurement {
    let generator = QuakeGenerator(seed: seed)
    let work = try Work(job, on: store, generator: generator, rows: rows, folder: folder)
    let side = try openSide()
    try job.prepare(side, work)
    let busyBefore = cmp_busy()
    let partsBefore = Int(cmp_parts())
    let (timing, use) = try MemoryMeter.measure { try job.run(side, work) }
    let busySeconds = cmp_busy() - busyBefore
    let content = try side.content()
    try side.close()
    if job.endsWithTheRecords, content != work.records.content {
      throw BenchmarkFailure("\(label): the store does not hold the records")
    }
    return RunMeasurement(
      seconds: timing.seconds, busySeconds: busySeconds, rows: timing.rows, checksum: timing.checksum,
      content: content,
      peakBytes: use.peakBytes, keptBytes: use.keptBytes, fileBytes: try fileBytes(),
      writtenBytes: use.writtenBytes, comparisons: timing.comparisons, rowsRead: timing.rowsRead,
      partsBefore: partsBefore)
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
    case .foundation: return FoundationSide()
    case .dictionary: return DictionarySide()
    case .bolide, .bolideWithoutHistory:
      return try BolideSide(
        store.backend, path: path, keepsHistory: side == .bolide, hasGroups: job.needsGroups)
    }
  }

  /// The bytes that the store's files take, the copy not counted.
  private func fileBytes() throws -> Int {
    let keys: [URLResourceKey] = [.isRegularFileKey, .fileSizeKey]
    let root = URL(filePath: folder)
    let found = try FileManager.default.contentsOfDirectory(at: root, includingPropertiesForKeys: keys)
    var total = 0
    for file in found where file.lastPathComponent.hasPrefix("store") {
      let values = try file.resourceValues(forKeys: Set(keys))
      if values.isRegularFile == true {
        total += values.fileSize ?? 0
      } else {
        for inner in try FileManager.default.contentsOfDirectory(at: file, includingPropertiesForKeys: keys) {
          total += try inner.resourceValues(forKeys: Set(keys)).fileSize ?? 0
        }
      }
    }
    return total
  }
}

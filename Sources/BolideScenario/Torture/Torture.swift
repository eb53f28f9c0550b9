import Bolide
import BolideConformance
import BolideStorage
import Foundation

/// Kills a writer at random instants and checks that the store keeps rule S-1: every acknowledged transaction is there,
/// none in part, and history matches the data.
package struct Torture {
  /// What a run came to.
  package struct Figures: Sendable {
    package var kills = 0
    /// Transactions that the writer said were committed.
    package var acknowledged: UInt64 = 0
    /// Transactions that were committed, but killed before the writer could say so.
    package var unspoken: UInt64 = 0
    /// Writes that failed because a file could not grow, by why it could not.
    package var refusals: [FullDisk: Int] = [:]
    /// Stores that were opened and compared with the model.
    package var checks = 0
    /// What was wrong.
    package var differences: [String] = []

    /// The line that a run ends with.
    package var text: String {
      "\(kills) kills, \(fullDisks) full disks (\(fullDiskText)), \(acknowledged) transactions acknowledged, "
        + "\(unspoken) more found whole, \(checks) checks"
    }

    /// How many writes failed because a file could not grow.
    package var fullDisks: Int { refusals.values.reduce(0, +) }

    private var fullDiskText: String {
      FullDisk.allCases.map { "\(refusals[$0] ?? 0) \($0.text)" }.joined(separator: ", ")
    }
  }

  /// Starts the writer, which calls ``write(to:seed:filling:)``.
  private let start: (_ filling: FullDisk?) throws -> WorkerProcess
  private let location: StoreLocation
  /// The ways to a full disk that this run has.
  private let fullDisks: [FullDisk]
  private let seed: UInt64
  private var random: SplitMix64
  private var model: TortureModel
  private var figures = Figures()
  /// What the writer said: its newest transaction and its bookkeeping.
  private var said: UInt64 = 0
  private var purgedBefore: UInt64 = 1
  private var position: UInt64 = 0

  /// - Parameters:
  ///   - disk: the small file system that the store is alone on, if there is one: then it is filled.
  ///   - start: starts a process that calls ``write(to:seed:filling:)``.
  package init(
    at location: StoreLocation, on disk: SmallDisk?, seed: UInt64,
    start: @escaping (_ filling: FullDisk?) throws -> WorkerProcess
  ) {
    self.start = start
    self.location = location
    fullDisks = disk == nil ? [.sizeLimit] : FullDisk.allCases
    self.seed = seed
    random = SplitMix64(seed: seed)
    model = TortureModel(seed: seed)
  }

  // MARK: The writer

  /// Writes transactions until the process is killed, and says each when it is committed.
  ///
  /// - Parameter disk: how the files are kept from growing until a write has failed for that, if they are.
  package static func write(to location: StoreLocation, seed: UInt64, filling disk: FullDisk?) throws {
    var container = try PersistentContainer(TortureModel.schema, at: location)
    var model = TortureModel(seed: seed)
    let head = try container.currentToken().number
    while model.head < head { model.advance() }
    try container.registerConsumer("worker")
    var goes = WorkerProcess.say("ready")
    var full = disk
    try full?.begin(for: location.location.path)
    while goes {
      do {
        try model.writeNext(to: container)
        model.advance()
        goes = WorkerProcess.say("wrote \(model.head)")
        // A store may have room inside its file: this is more than it can have.
        if full != nil, model.head.isMultiple(of: 3) { try overfill(container) }
        if model.head.isMultiple(of: 11) {
          let token = try container.currentToken()
          try container.advanceConsumer("worker", to: token)
          goes = WorkerProcess.say("applied \(token.number)")
        }
        if model.head.isMultiple(of: 17), model.head > 8 {
          try container.purgeHistory(before: .number(model.head - 8))
          goes = WorkerProcess.say("purged \(model.head - 8)")
        }
      } catch let error as BolideError where full != nil && error.code == .storeFull {
        // The same container goes on once there is room again.
        let disk = full?.rawValue ?? ""
        full?.end(for: location.location.path)
        full = nil
        goes = WorkerProcess.say("\(disk) \(model.head)")
        continue
      }
      if model.head.isMultiple(of: 29) {
        try container.close()
        container = try PersistentContainer(TortureModel.schema, at: location)
      }
    }
  }

  /// Writes what a full disk has no room for, and takes it away where it had.
  private static func overfill(_ container: PersistentContainer) throws {
    for value in [[UInt8](repeating: 7, count: SmallDisk.megabytes << 20), nil] {
      try container.coordinator.writeBookkeeping { try $0.setMetadata("ballast", value) }
    }
  }

  // MARK: The run

  /// Kills the writer so many times.
  ///
  /// - Parameter progress: told the number of kills after each.
  package mutating func run(kills: Int, progress: (Int) -> Void = { _ in }) throws -> Figures {
    while figures.kills < kills, figures.differences.isEmpty {
      try killOne()
      figures.kills += 1
      // Now and then the next writer is left to find the store as the kill left it.
      if figures.kills == kills || Int.random(in: 0..<4, using: &random) != 0 { try check() }
      progress(figures.kills)
    }
    return figures
  }

  private mutating func killOne() throws {
    let isFilling = Int.random(in: 0..<6, using: &random) == 0
    let writer = try start(isFilling ? fullDisks.randomElement(using: &random) : nil)
    if Int.random(in: 0..<8, using: &random) == 0 {
      // While it opens the store, or shortly after.
      usleep(UInt32.random(in: 0..<40_000, using: &random))
    } else {
      // As long as a transaction takes, so that a kill meets any part of one.
      var span: Double = 3_000
      let count = Int.random(in: 1...40, using: &random)
      var begin: ContinuousClock.Instant?
      for place in 0..<count {
        guard let line = writer.nextLine() else { break }
        note(line)
        if let begin, place > 0 {
          span = max(span, 1.2 * (begin.duration(to: .now) / .microseconds(1)) / Double(place))
        } else {
          begin = .now
        }
      }
      usleep(UInt32(min(Double.random(in: 0..<span, using: &random), 900_000)))
    }
    writer.kill()
    for line in writer.remainder() { note(line) }
    if !writer.wasKilled { figures.differences.append("the writer ended by itself: \(writer.end)") }
    // What fills the disk stays where the writer was killed before it could make room.
    for disk in fullDisks { disk.end(for: location.location.path) }
  }

  private mutating func note(_ line: String) {
    let words = line.split(separator: " ")
    guard words.count == 2, let number = UInt64(words[1]) else { return }
    switch words[0] {
    case "wrote":
      figures.acknowledged += 1
      said = number
    case "purged": purgedBefore = max(purgedBefore, number)
    case "applied": position = max(position, number)
    default:
      if let disk = FullDisk(rawValue: String(words[0])) {
        figures.refusals[disk, default: 0] += 1
      } else {
        figures.differences.append("the writer said “\(line)”")
      }
    }
  }

  private mutating func check() throws {
    figures.checks += 1
    let container = try PersistentContainer(TortureModel.schema, at: location)
    defer { try? container.close() }
    let head = try container.currentToken().number
    let place = "after kill \(figures.kills): "
    guard head >= max(said, model.head) else {
      figures.differences.append(
        place + "the store is at \(head), and \(max(said, model.head)) was acknowledged")
      return
    }
    // A writer may be killed between a commit and saying so.
    figures.unspoken = head - figures.acknowledged
    while model.head < head { model.advance() }
    figures.differences += try model.differences(in: container).map { place + $0 }
    if try container.historyExtent().first < purgedBefore {
      figures.differences.append(place + "history that was purged is back")
    }
    if let worker = try container.consumer("worker"), worker.position.number < position {
      figures.differences.append(place + "the consumer is behind the position it was told to keep")
    }
  }
}

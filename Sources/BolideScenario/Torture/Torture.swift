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
    /// Writes that failed because a file could not grow.
    package var refusals = 0
    /// Stores that were opened and compared with the model.
    package var checks = 0
    /// What was wrong.
    package var differences: [String] = []

    /// The line that a run ends with.
    package var text: String {
      "\(kills) kills, \(refusals) full disks, \(acknowledged) transactions acknowledged, "
        + "\(unspoken) more found whole, \(checks) checks, \(differences.count) differences"
    }
  }

  /// Starts the writer, which calls ``write(to:seed:fillsDisk:)``.
  private let start: (_ fillsDisk: Bool) throws -> WorkerProcess
  private let location: StoreLocation
  private let seed: UInt64
  private var random: SplitMix64
  private var model: TortureModel
  private var figures = Figures()
  /// What the writer said: its newest transaction and its bookkeeping.
  private var said: UInt64 = 0
  private var purgedBefore: UInt64 = 1
  private var position: UInt64 = 0

  /// - Parameter start: starts a process that calls ``write(to:seed:fillsDisk:)``.
  package init(
    at location: StoreLocation, seed: UInt64, start: @escaping (_ fillsDisk: Bool) throws -> WorkerProcess
  ) {
    self.start = start
    self.location = location
    self.seed = seed
    random = SplitMix64(seed: seed)
    model = TortureModel(seed: seed)
  }

  // MARK: The writer

  /// Writes transactions until the process is killed, and says each when it is committed.
  ///
  /// - Parameter fillsDisk: whether the files cannot grow after a while, until a write has failed for that.
  package static func write(to location: StoreLocation, seed: UInt64, fillsDisk: Bool) throws {
    var container = try PersistentContainer(TortureModel.schema, at: location)
    var model = TortureModel(seed: seed)
    let head = try container.currentToken().number
    while model.head < head { model.advance() }
    try container.registerConsumer("worker")
    var goes = WorkerProcess.say("ready")
    var isFull = fillsDisk
    if isFull { FileSizeLimit.set(above: location.location.path) }
    while goes {
      do {
        try model.writeNext(to: container)
        model.advance()
        goes = WorkerProcess.say("wrote \(model.head)")
        if model.head.isMultiple(of: 11) {
          let token = try container.currentToken()
          try container.advanceConsumer("worker", to: token)
          goes = WorkerProcess.say("applied \(token.number)")
        }
        if model.head.isMultiple(of: 17), model.head > 8 {
          try container.purgeHistory(before: .number(model.head - 8))
          goes = WorkerProcess.say("purged \(model.head - 8)")
        }
      } catch let error as BolideError where isFull && [.storeFull, .storeIO].contains(error.code) {
        // The same container goes on once there is room again.
        isFull = false
        FileSizeLimit.lift()
        goes = WorkerProcess.say("refused \(model.head)")
        continue
      }
      if model.head.isMultiple(of: 29) {
        try container.close()
        container = try PersistentContainer(TortureModel.schema, at: location)
      }
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
    let writer = try start(Int.random(in: 0..<6, using: &random) == 0)
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
    if writer.hasSucceeded { figures.differences.append("the writer ended by itself") }
  }

  private mutating func note(_ line: String) {
    let words = line.split(separator: " ")
    guard words.count == 2, let number = UInt64(words[1]) else { return }
    switch words[0] {
    case "wrote":
      figures.acknowledged += 1
      said = number
    case "refused": figures.refusals += 1
    case "purged": purgedBefore = max(purgedBefore, number)
    case "applied": position = max(position, number)
    default: figures.differences.append("the writer said “\(line)”")
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

import Bolide
import BolideStorage
import Foundation

/// Several processes write one store while others follow it (rules H-7, H-8, S-3).
package struct Crowd {
  /// What a run came to.
  package struct Figures: Sendable {
    package var transactions = 0
    /// The longest that this process waited for a state to read, in milliseconds.
    package var longestRead: Double = 0
    package var reads = 0
    /// The longest that each writer took for a transaction, its turn waited for, in milliseconds.
    package var longestWrites: [Double] = []
    /// What was wrong.
    package var differences: [String] = []
  }

  /// A part that a process plays.
  package enum Part: Sendable {
    case writer(Int, transactions: Int)
    case follower(Int, transactions: Int)
  }

  private static let schema = Schema(
    name: "Crowd",
    entities: [
      EntityDescription(
        name: "Entry",
        attributes: [
          AttributeDescription(name: "code", type: .int64, isOptional: false),
          AttributeDescription(name: "writer", type: .int64),
        ],
        uniquenessConstraints: [["code"]])
    ])

  private static func open(_ location: StoreLocation) throws -> PersistentContainer {
    // Five others may be waiting for their turn.
    try PersistentContainer(schema, at: location, options: ContainerOptions(timeout: .seconds(60)))
  }

  // MARK: The parts

  /// Plays a part to its end.
  package static func play(_ part: Part, at location: StoreLocation) async throws {
    let container = try open(location)
    switch part {
    case .writer(let writer, let transactions):
      var longest: Double = 0
      for number in 0..<transactions {
        let context = container.newContext(author: "writer \(writer)")
        let entry = try context.insert("Entry")
        try entry.setValue(.int(Int64(writer * transactions + number)), for: "code")
        try entry.setValue(.int(Int64(writer)), for: "writer")
        let begin = ContinuousClock.now
        try context.save()
        longest = max(longest, begin.duration(to: .now) / .microseconds(1))
      }
      _ = WorkerProcess.say("longest \(Int(longest))")
    case .follower(let follower, let transactions):
      var last: UInt64 = 0
      try container.registerConsumer("follower \(follower)")
      _ = WorkerProcess.say("ready")
      for try await transaction in container.history(as: "follower \(follower)") {
        if transaction.number != last + 1 || transaction.changes.count != 1 {
          _ = WorkerProcess.say("saw \(transaction.number) after \(last)")
        }
        last = transaction.number
        if last >= transactions { break }
      }
      _ = WorkerProcess.say("end \(last)")
    }
    try container.close()
  }

  // MARK: The run

  /// Lets `writers` processes write while `followers` follow.
  ///
  /// - Parameter start: starts a process for a part.
  package static func run(
    writers: Int, followers: Int, transactions: Int, at location: StoreLocation,
    start: (_ part: Part) throws -> WorkerProcess
  ) throws -> Figures {
    let container = try open(location)
    defer { try? container.close() }
    let total = writers * transactions
    var figures = Figures(transactions: total)
    let following = try (0..<followers).map { try start(.follower($0, transactions: total)) }
    for follower in following where follower.nextLine() != "ready" {
      figures.differences.append("a follower did not start")
    }
    let writing = try (0..<writers).map { try start(.writer($0, transactions: transactions)) }
    try read(container, until: UInt64(total), &figures, while: { writing.contains(where: \.isRunning) })
    for (number, writer) in writing.enumerated() {
      let words = writer.remainder().last?.split(separator: " ") ?? []
      if words.first == "longest", let microseconds = words.last.flatMap({ Double($0) }) {
        figures.longestWrites.append(microseconds / 1_000)
      }
      if !writer.hasSucceeded { figures.differences.append("writer \(number) failed") }
    }
    // With fewer transactions than they wait for, followers would wait for ever.
    if try container.currentToken().number < UInt64(total) { for follower in following { follower.kill() } }
    for (number, follower) in following.enumerated() {
      let lines = follower.remainder()
      if lines != ["end \(total)"] {
        figures.differences += lines.prefix(20).map { "follower \(number): \($0)" }
        figures.differences.append("follower \(number) did not see every transaction once, in order")
      }
    }
    figures.differences += try differences(in: container, total: total)
    return figures
  }

  /// Reads the store again and again, and notes how long it took to get a state to read.
  private static func read(
    _ container: PersistentContainer, until head: UInt64, _ figures: inout Figures, while goes: () -> Bool
  ) throws {
    while goes() {
      let begin = ContinuousClock.now
      let token = try container.currentToken()
      let duration = begin.duration(to: .now) / .milliseconds(1)
      figures.longestRead = max(figures.longestRead, duration)
      figures.reads += 1
      if token.number >= head { return }
      usleep(2_000)
    }
  }

  private static func differences(in container: PersistentContainer, total: Int) throws -> [String] {
    var problems = try container.check()
    let result = try container.history(PersistentHistoryRequest(resultType: .transactions))
    if result.transactions.map(\.number) != Array(1...UInt64(total)) {
      problems.append("the transactions are not numbered from 1 to \(total) without gaps")
    }
    let count = try container.counts().reduce(0) { $0 + $1.count }
    if count != total { problems.append("\(count) objects are there, \(total) were written") }
    return problems
  }
}

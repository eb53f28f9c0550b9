import BolideScenario
import BolideStorage
import Foundation

/// What a process that the command starts of itself has to do, as text in its environment.
struct TorturePart {
  enum Role {
    case kill(seed: UInt64, filling: FullDisk?)
    case write(Int, transactions: Int)
    case follow(Int, transactions: Int)
    case migrate(endingAt: UInt64)

    init(_ part: Crowd.Part) {
      self =
        switch part {
        case .writer(let writer, let transactions): .write(writer, transactions: transactions)
        case .follower(let follower, let transactions): .follow(follower, transactions: transactions)
        }
    }
  }

  var role: Role
  var path: String

  init(role: Role, path: String) {
    self.role = role
    self.path = path
  }

  init?(_ text: String) {
    let words = text.split(separator: " ", maxSplits: 3).map(String.init)
    guard words.count == 4, let first = UInt64(words[1]) else { return nil }
    path = words[3]
    if words[0] == "kill" {
      role = .kill(seed: first, filling: FullDisk(rawValue: words[2]))
      return
    }
    if words[0] == "migrate" {
      role = .migrate(endingAt: first)
      return
    }
    guard let second = Int(words[2]) else { return nil }
    switch words[0] {
    case "write": role = .write(Int(clamping: first), transactions: second)
    case "follow": role = .follow(Int(clamping: first), transactions: second)
    default: return nil
    }
  }

  var text: String {
    switch role {
    case .kill(let seed, let filling): "kill \(seed) \(filling?.rawValue ?? "-") \(path)"
    case .write(let writer, let transactions): "write \(writer) \(transactions) \(path)"
    case .follow(let follower, let transactions): "follow \(follower) \(transactions) \(path)"
    case .migrate(let call): "migrate \(call) - \(path)"
    }
  }

  func play(_ kind: StoreKind) async throws {
    let location = StoreLocation(kind.backend, Location(path: path))
    switch role {
    case .migrate(let call): try MigrationKills.migrate(at: location, endingAt: call)
    case .kill(let seed, let filling): try Torture.write(to: location, seed: seed, filling: filling)
    case .write(let writer, let transactions):
      try await Crowd.play(.writer(writer, transactions: transactions), at: location)
    case .follow(let follower, let transactions):
      try await Crowd.play(.follower(follower, transactions: transactions), at: location)
    }
  }
}

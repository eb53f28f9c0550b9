import Bolide
import BolideStorage
import Foundation
import Synchronization

extension Conformance {
  /// Rules H-5 and H-6.
  static var tokenCases: [CaseDefinition] {
    [
      CaseDefinition(
        "tokens/expired", "A token from before the purge is expired; resyncing gives a fresh one.",
        rules: ["H-5", "H7"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        var tokens = [try container.currentToken()]
        for time in 1...4 {
          try container.importRecords([sighting(Double(time))])
          tokens.append(try container.currentToken())
        }
        try container.purgeHistory(before: .number(3))
        for old in [tokens[0], tokens[1]] {
          try checkThrows(.historyExpired, label: "token \(old.number) after a purge up to 3") {
            _ = try container.story(after: .token(old))
          }
        }
        try checkEqual(try container.story(after: .token(tokens[2])).count, 2, "transactions after token 2")
        try checkEqual(try container.story(after: .token(tokens[4])), [], "transactions after the newest")
        try checkEqual(try container.resync().token, tokens[4], "the token after resyncing")
        let again = try stage.reopen(container)
        try checkThrows(.historyExpired, label: "token 1 after reopening") {
          _ = try again.story(after: .token(tokens[1]))
        }
      },
      CaseDefinition(
        "tokens/foreign-and-diverged", "A token of another store is foreign, of another past diverged.",
        rules: ["H-5"]
      ) { stage in
        let container = try stage.container(RuleModel.watch, options: .suite(seed: 1))
        let other = try stage.container(RuleModel.watch, options: .suite(seed: 2))
        try container.importRecords([sighting(1)])
        let shared = try container.currentToken()
        try checkThrows(.historyForeign, label: "a token of another store") {
          _ = try other.story(after: .token(shared))
        }
        let place = try stage.makeLocation()
        try container.copy(to: stage.storeLocation(place))
        let copy = stage.watch(
          try PersistentContainer(RuleModel.watch, at: stage.storeLocation(place), options: .suite(seed: 3)))
        try checkEqual(copy.storeID, container.storeID, "the id of a copy")
        try checkEqual(try copy.story(after: .token(shared)), [], "history of the copy after a shared token")
        try container.importRecords([sighting(2)])
        let ahead = try container.currentToken()
        try checkThrows(.historyDiverged, label: "a token above the head") {
          _ = try copy.story(after: .token(ahead))
        }
        try copy.importRecords([sighting(3)])
        try checkThrows(.historyDiverged, label: "a token with another nonce") {
          _ = try copy.story(after: .token(ahead))
        }
      },
      CaseDefinition(
        "tokens/forks-have-their-own", "A fork has a new id; tokens of its origin are foreign to it.",
        rules: ["H-5"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords([1, 2].map { sighting($0) })
        try container.makeGroup("A", of: [1])
        let token = try container.currentToken()
        let place = try stage.makeLocation()
        let fork = stage.watch(try container.fork(to: stage.storeLocation(place)))
        try check(fork.storeID != container.storeID, "a fork has its origin's id")
        try checkThrows(.historyForeign, label: "a token of the origin") {
          _ = try fork.story(after: .token(token))
        }
        try fork.importRecords([sighting(3)])
        try container.importRecords([sighting(4), sighting(5)])
        try checkEqual(
          try fork.values("Fireball", "time").map { $0[0] }, [1, 2, 3].map(date), "the fork's times")
        try checkEqual(
          try container.values("Fireball", "time").map { $0[0] }, [1, 2, 4, 5].map(date), "the origin's times"
        )
        try checkEqual(
          try fork.values("Group", "name", "size"), [[.string("A"), .int(1)]], "the fork's group")
      },
      CaseDefinition(
        "tokens/filters-advance",
        "A fetch says how far it looked, so that a filter that finds nothing advances.",
        rules: ["H-5", "H18"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        for time in 1...5 { try container.importRecords([sighting(Double(time))], author: "user") }
        let result = try container.history(PersistentHistoryRequest(where: .authorIsNot("user")))
        try checkEqual(result.transactions.count, 0, "transactions of others")
        try checkEqual(result.scannedThrough, try container.currentToken(), "how far it looked")
        try container.importRecords([sighting(6)], author: "import")
        let next = PersistentHistoryRequest(after: .token(result.scannedThrough), where: .authorIsNot("user"))
        try checkEqual(try container.history(next).transactions.map(\.number), [6], "the next look")
        let text = result.scannedThrough.description
        try checkEqual(PersistentHistoryToken(text), result.scannedThrough, "the token of its text")
        try checkEqual(PersistentHistoryToken(text + "0:"), nil, "the token of a broken text")
      },
      CaseDefinition(
        "tokens/files", "Token files are checked: missing is the start, damaged is set aside, once.",
        rules: ["H-6", "H4", "H10"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        try container.importRecords([sighting(1)])
        let token = try container.currentToken()
        let folder = FileManager.default.temporaryDirectory.appending(path: "bolide-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { removeQuietly(folder) }
        let file = TokenFile(folder: folder, storeID: container.storeID)
        try check(
          file.url.lastPathComponent.contains(container.storeID.uuidString.lowercased()), "the file's name")
        try checkEqual(try file.load(), .missing, "a file that is not there")
        try file.save(token)
        try checkEqual(try file.load(), .token(token), "a saved token")
        let other = try stage.container(RuleModel.watch, options: .suite(seed: 2))
        let otherFile = TokenFile(folder: folder, storeID: other.storeID)
        try checkEqual(try otherFile.load(), .missing, "another store's file in the same folder")
        try otherFile.save(try other.currentToken())
        try checkEqual(try file.load(), .token(token), "a token after another store saved its own")
        let good = try Data(contentsOf: file.url)
        var flipped = good
        flipped[good.count / 2] ^= 1
        let damages: [Data] = [
          good.prefix(good.count / 2), Data([1, 2, 3, 0xFF]), Data("{}".utf8), Data(), flipped,
        ]
        for (index, damage) in damages.enumerated() {
          try damage.write(to: file.url)
          guard case .damaged(let aside) = try file.load() else {
            throw ConformanceFailure("damage \(index) was believed")
          }
          try checkEqual(try Data(contentsOf: aside), damage, "what was set aside")
          try checkEqual(try file.load(), .missing, "the file after damage \(index)")
          try file.save(token)
          try checkEqual(try file.load(), .token(token), "a token saved after damage \(index)")
        }
      },
      CaseDefinition(
        "tokens/overlapping-passes",
        "Passes that overlap see each transaction, and a slow one does not put a newer token back.",
        rules: ["H-6", "H-8", "H20"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        let folder = FileManager.default.temporaryDirectory.appending(path: "bolide-\(UUID().uuidString)")
        defer { removeQuietly(folder) }
        let file = TokenFile(folder: folder, storeID: container.storeID)
        try file.save(try container.currentToken())
        let saved = Mutex<[UInt64]>([])
        try inParallel(5) { thread in
          for round in 0..<10 {
            try container.importRecords([sighting(Double(thread * 100 + round))])
            // What a process does for each notice: from the file's token to the newest.
            guard case .token(let token) = try file.load() else {
              throw ConformanceFailure("the token file was not whole")
            }
            let result = try container.history(PersistentHistoryRequest(after: .token(token)))
            let expected = result.scannedThrough.number - token.number
            try checkEqual(UInt64(result.transactions.count), expected, "transactions of a pass")
            if try file.advance(to: result.scannedThrough) {
              saved.withLock { $0.append(result.scannedThrough.number) }
            }
          }
        }
        try checkEqual(try file.load(), .token(try container.currentToken()), "the file in the end")
        try checkEqual(saved.withLock { Set($0).count == $0.count }, true, "whether no place was saved twice")
        try check(
          !(try file.advance(to: try container.history(PersistentHistoryRequest(limit: 1)).scannedThrough)),
          "an old token took the place of the newest")
        try checkEqual(try container.numbers().count, 50, "objects")
      },
    ]
  }

  /// Removes a temporary folder of a case; there is nobody to tell if that fails.
  private static func removeQuietly(_ folder: URL) { try? FileManager.default.removeItem(at: folder) }
}

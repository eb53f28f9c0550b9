import BolideStorage

/// Something that the oracle has done to a store: to sightings, which are unique by their hour, groups of them, and
/// observers with their notes.
///
/// Objects are picked by a number that is taken modulo how many there are, so an operation means something whatever
/// was done before it: that is what lets a failure be shrunk by leaving operations out.
package enum OracleOperation: Hashable, Sendable {
  /// A record of a batch insert; a missing value is not mentioned, `.some(nil)` clears.
  package struct Record: Hashable, Sendable {
    package var hour: Int
    package var energy: Double??
    package var altitude: Double??

    package init(hour: Int, energy: Double??, altitude: Double??) {
      self.hour = hour
      self.energy = energy
      self.altitude = altitude
    }
  }

  /// What becomes of a record whose key is taken.
  package enum Policy: String, Hashable, Sendable, CaseIterable {
    case objectTrump = "object-trump"
    case storeTrump = "store-trump"
    case overwrite, rollback, error
  }

  package enum Member: String, Hashable, Sendable, CaseIterable {
    case add, remove, replace
  }

  case batchInsert([Record], Policy, keepsAbsent: Bool)
  /// Sets the altitude of sightings brighter than a limit.
  case batchUpdate(altitude: Double?, above: Double)
  /// Deletes sightings brighter than a limit.
  case batchDelete(above: Double)
  /// Makes a group of the sightings brighter than a limit.
  case makeGroup(name: Int, above: Double)
  case rename(group: Int, name: Int)
  case set(sighting: Int, altitude: Double?)
  /// Exchanges the keys of two sightings in one save.
  case swapKeys(Int, Int)
  case delete(sighting: Int)
  case deleteGroup(Int)
  case members(Member, group: Int, above: Double)
  case makeObserver(name: Int, notes: Int)
  /// Says who saw a sighting; no one where the observer is `nil`.
  case see(sighting: Int, observer: Int?)
  case keep(group: Int, observer: Int?)
  /// Hands a note on.
  case hand(note: Int, observer: Int?)
  case deleteNote(Int)
  /// Deletes an observer with the notes, which is denied to one who has seen something.
  case deleteObserver(Int)
  /// Deletes all observers of a name.
  case batchDeleteObservers(name: Int)
  case fetch(descending: Bool, limit: Int)
  case fetchGroups, fetchObservers, fetchNotes
  /// Shows history after a transaction that lies so far back.
  case history(back: Int)
  /// Drops all history but so much.
  case purge(keeping: Int)
  case pin, unpin, look, merge
  /// Merges what a consumer has not seen, and drops what it has.
  case mergeConsumer, purgeConsumed
  case reopen, crash, check, dump
  /// Whether the store rang since the last time.
  case signals
}

extension OracleOperation {
  /// A random operation.
  package static func random(using random: inout SplitMix64) -> OracleOperation {
    switch Int.random(in: 0..<66, using: &random) {
    case 0...7:
      let policies: [Policy] = Policy.allCases + [.objectTrump, .objectTrump, .objectTrump]
      let records = (0...Int.random(in: 0..<7, using: &random)).map { _ in
        Record(
          hour: .random(in: 0..<40, using: &random), energy: optional(&random), altitude: optional(&random))
      }
      return .batchInsert(
        records, policies.randomElement(using: &random) ?? .objectTrump,
        keepsAbsent: Int.random(in: 0..<3, using: &random) > 0)
    case 8...9: return .batchUpdate(altitude: value(&random), above: limit(&random))
    case 10: return .batchDelete(above: limit(&random))
    case 11...13: return .makeGroup(name: .random(in: 0..<9, using: &random), above: limit(&random))
    case 14: return .rename(group: pick(&random), name: .random(in: 0..<9, using: &random))
    case 15...17: return .set(sighting: pick(&random), altitude: value(&random))
    case 18: return .swapKeys(pick(&random), pick(&random))
    case 19...20: return .delete(sighting: pick(&random))
    case 21: return .deleteGroup(pick(&random))
    case 22...26:
      return .members(
        Member.allCases.randomElement(using: &random) ?? .add, group: pick(&random), above: limit(&random))
    case 27...29:
      return .fetch(
        descending: .random(using: &random), limit: .random(in: 1..<12, using: &random))
    case 30...31: return .fetchGroups
    case 32...33: return .history(back: .random(in: 0..<6, using: &random))
    case 34: return .purge(keeping: .random(in: 0..<12, using: &random))
    case 35...36: return .pin
    case 37: return .unpin
    case 38...40: return .look
    case 41...42: return .merge
    case 43: return Bool.random(using: &random) ? .reopen : .crash
    case 44: return .check
    case 45...46: return .mergeConsumer
    case 47: return .purgeConsumed
    case 48: return .dump
    case 49...50:
      return .makeObserver(
        name: .random(in: 0..<4, using: &random), notes: .random(in: 0..<4, using: &random))
    case 51...53: return .see(sighting: pick(&random), observer: one(&random))
    case 54...55: return .keep(group: pick(&random), observer: one(&random))
    case 56...57: return .hand(note: pick(&random), observer: one(&random))
    case 58: return .deleteNote(pick(&random))
    case 59...60: return .deleteObserver(pick(&random))
    case 61: return .batchDeleteObservers(name: .random(in: 0..<4, using: &random))
    case 62: return .fetchObservers
    case 63: return .fetchNotes
    default: return .signals
    }
  }

  private static func optional(_ random: inout SplitMix64) -> Double?? {
    Int.random(in: 0..<3, using: &random) == 0 ? .none : .some(value(&random))
  }

  private static func value(_ random: inout SplitMix64) -> Double? {
    let number = Int.random(in: -1..<20, using: &random)
    return number < 0 ? nil : Double(number) / 2
  }

  private static func limit(_ random: inout SplitMix64) -> Double {
    Double(Int.random(in: 8..<20, using: &random)) / 2
  }

  private static func pick(_ random: inout SplitMix64) -> Int { .random(in: 0..<1000, using: &random) }

  /// One of what there is, or none.
  private static func one(_ random: inout SplitMix64) -> Int? {
    Int.random(in: 0..<4, using: &random) == 0 ? nil : pick(&random)
  }

  /// Simpler operations that may show the same failure.
  package var simplified: [OracleOperation] {
    switch self {
    case .batchInsert(let records, let policy, let keepsAbsent) where records.count > 1:
      return records.indices.map { index in
        var fewer = records
        fewer.remove(at: index)
        return .batchInsert(fewer, policy, keepsAbsent: keepsAbsent)
      }
    case .makeGroup(let name, _):
      // Often any transaction will do.
      return [.batchInsert([Record(hour: name, energy: nil, altitude: nil)], .objectTrump, keepsAbsent: true)]
    case .makeObserver(let name, let notes):
      let any = OracleOperation.batchInsert(
        [Record(hour: name, energy: nil, altitude: nil)], .objectTrump, keepsAbsent: true)
      return notes > 0 ? [any, .makeObserver(name: name, notes: notes - 1)] : [any]
    case .mergeConsumer: return [.merge, .history(back: 0)]
    case .set(let pick, _), .rename(let pick, _), .members(_, let pick, _):
      // A new object needs no other before it.
      return [
        .batchInsert(
          [Record(hour: 40 + pick % 20, energy: nil, altitude: nil)], .objectTrump, keepsAbsent: true)
      ]
    case .purge(let kept) where kept > 0: return [.purge(keeping: 0), .purge(keeping: kept - 1)]
    case .history(let back) where back > 0: return [.history(back: 0), .history(back: back - 1)]
    default: return []
    }
  }
}

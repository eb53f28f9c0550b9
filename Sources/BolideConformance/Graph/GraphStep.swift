import Bolide
import BolideStorage

/// Something that one of three contexts does in the rounds of the graph test.
///
/// Objects are picked by a number that is taken modulo how many there are, so a step means something whatever was done
/// before it: that is what lets a failure be shrunk by leaving steps out.
package struct GraphStep: Hashable, Sendable {
  package enum Entity: String, Hashable, Sendable, CaseIterable {
    case fireball = "Fireball"
    case superbolide = "Superbolide"
    case group = "Group"
    case observer = "Observer"
    case note = "Note"
    case report = "Report"
  }

  package enum Member: Hashable, Sendable, CaseIterable { case add, remove, replace }

  package enum Action: Hashable, Sendable {
    case insert(Entity, key: Int)
    case set(Entity, pick: Int, to: Int)
    /// Gives a fireball another unique key.
    case move(pick: Int, key: Int)
    case exchangeKeys(Int, Int)
    case delete(Entity, pick: Int)
    /// Edits the members of a group, from its side or from theirs.
    case members(Member, group: Int, of: Int, fromGroup: Bool)
    case follow(Member, group: Int, with: Int)
    case nest(group: Int, in: Int?)
    case see(fireball: Int, observer: Int?)
    case hand(note: Int, observer: Int?)
    /// A one-to-one, from either side.
    case keep(group: Int, observer: Int?, fromObserver: Bool)
    /// Gives a report another subject; it needs one.
    case assign(report: Int, to: Int?)
    /// A one-to-one whose note goes with its report, from either side.
    case summarize(report: Int, by: Int?, fromNote: Bool)
    /// Changes both keys of a report.
    case number(report: Int, Int)
    case save, rollback
    case saveAs(MergePolicy)
    /// Two other contexts that read the same state edit one object and save, the second under a policy.
    case contend(GraphContention)
    case mergeHistory, processPending
    case batchInsert(keys: [Int], energy: Int?)
    case batchUpdate(Int, adds: Bool)
    case batchDelete(Entity, Int)
    case pin, unpin
    case share(with: Int)
    case refresh(Entity, pick: Int, keepsEdits: Bool)
    case refreshAll, reset, obtainIDs
  }

  package var context: Int
  package var action: Action

  /// A random step.
  static func random(using random: inout SplitMix64) -> GraphStep {
    GraphStep(context: .random(in: 0..<3, using: &random), action: .random(using: &random))
  }
}

extension GraphStep.Action {
  private static let entities: [GraphStep.Entity] = [
    .fireball, .fireball, .superbolide, .group, .group, .observer, .note, .report,
  ]

  static func random(using random: inout SplitMix64) -> GraphStep.Action {
    func pick() -> Int { .random(in: 0..<1000, using: &random) }
    func one() -> Int? { Int.random(in: 0..<4, using: &random) == 0 ? nil : pick() }
    func key() -> Int { .random(in: 0..<40, using: &random) }
    func entity() -> GraphStep.Entity { entities.randomElement(using: &random) ?? .fireball }
    func member() -> GraphStep.Member { GraphStep.Member.allCases.randomElement(using: &random) ?? .add }
    switch Int.random(in: 0..<84, using: &random) {
    case 0...9: return .insert(entity(), key: key())
    case 10...17: return .set(entity(), pick: pick(), to: key())
    case 18...19: return .move(pick: pick(), key: key())
    case 20: return .exchangeKeys(pick(), pick())
    case 21...24: return .delete(entity(), pick: pick())
    case 25...32: return .members(member(), group: pick(), of: pick(), fromGroup: .random(using: &random))
    case 33...35: return .follow(member(), group: pick(), with: pick())
    case 36...37: return .nest(group: pick(), in: one())
    case 38...40: return .see(fireball: pick(), observer: one())
    case 41...42: return .hand(note: pick(), observer: one())
    case 43...44: return .keep(group: pick(), observer: one(), fromObserver: .random(using: &random))
    case 45...49: return .save
    case 50: return .rollback
    case 51...53: return .mergeHistory
    case 54: return .processPending
    case 55...57:
      return .batchInsert(
        keys: (0...Int.random(in: 0..<4, using: &random)).map { _ in key() },
        energy: Bool.random(using: &random) ? .random(in: 0..<9, using: &random) : nil)
    case 58...59: return .batchUpdate(.random(in: 0..<9, using: &random), adds: .random(using: &random))
    case 60...61: return .batchDelete(entity(), .random(in: 0..<9, using: &random))
    case 62: return .pin
    case 63: return .unpin
    case 64: return .share(with: .random(in: 0..<3, using: &random))
    case 65...67: return .refresh(entity(), pick: pick(), keepsEdits: .random(using: &random))
    case 68: return .refreshAll
    case 69: return .reset
    case 70...71: return .obtainIDs
    case 72...73: return .assign(report: pick(), to: one())
    case 74...75: return .summarize(report: pick(), by: one(), fromNote: .random(using: &random))
    case 76...77: return .number(report: pick(), key())
    case 78...79: return .saveAs(MergePolicy.allCases.randomElement(using: &random) ?? .error)
    default: return .contend(.random(using: &random))
    }
  }
}

/// Some steps, and which contexts then save or drop what is left, merge everything, and must show what is stored.
package struct GraphRound: Hashable, Sendable {
  package var steps: [GraphStep]
  package var settling: Set<Int>

  static func random(using random: inout SplitMix64) -> GraphRound {
    let steps = (0...Int.random(in: 0..<8, using: &random)).map { _ in GraphStep.random(using: &random) }
    return GraphRound(
      steps: steps, settling: Set((0..<3).filter { _ in Int.random(in: 0..<3, using: &random) > 0 }))
  }
}

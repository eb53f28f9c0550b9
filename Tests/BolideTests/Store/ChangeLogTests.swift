import BolideStorage
import Testing

@testable import Bolide

/// Rules H-2 and U-4: at most one change an object, net of what the transaction undid itself.
@Suite struct ChangeLogTests {
  @Test func `inserted then deleted is nothing`() {
    var log = ChangeLog()
    log.insert(1..<3, entity: 0)
    log.delete(1, entity: 0)
    #expect(log.runs() == [run(.insert, [2...2])])
    log.delete(2, entity: 0)
    #expect(log.isEmpty && log.runs().isEmpty)
  }

  @Test func `inserted then updated is one insert`() {
    var log = ChangeLog()
    log.insert(5..<6, entity: 0)
    log.setUpdated(5, entity: 0, properties: [1], isFirst: false)
    log.extend(5, entity: 0, by: [2])
    #expect(log.runs() == [run(.insert, [5...5])])
  }

  @Test func `an update counts as it is at the end`() {
    var log = ChangeLog()
    log.setUpdated(5, entity: 0, properties: [1], isFirst: true)
    log.setUpdated(6, entity: 0, properties: [1], isFirst: true)
    log.setUpdated(5, entity: 0, properties: [1, 3], isFirst: false)
    #expect(log.runs() == [run(.update, [6...6], [1]), run(.update, [5...5], [1, 3])])
    log.setUpdated(5, entity: 0, properties: [], isFirst: false)
    #expect(log.runs() == [run(.update, [6...6], [1])])
  }

  @Test func `updated then deleted is one delete`() {
    var log = ChangeLog()
    log.setUpdated(5, entity: 0, properties: [1], isFirst: true)
    log.delete(5, entity: 0)
    #expect(log.runs() == [run(.delete, [5...5])])
  }

  @Test func `a link added and removed is nothing`() {
    var log = ChangeLog()
    let side = ChangeLog.Side(table: 0, property: 4, owner: 1, member: 2)
    log.note(side, added: true)
    log.note(side, added: false)
    #expect(log.sides.isEmpty)
    log.note(side, added: false)
    log.note(side, added: true)
    #expect(log.isEmpty)
  }

  @Test func `runs are cut at the limit of ranges`() {
    var log = ChangeLog()
    for number in stride(from: Number(1), through: 20_000, by: 2) {
      log.setUpdated(number, entity: 0, properties: [1], isFirst: true)
    }
    let runs = log.runs()
    #expect(runs.map(\.numbers.count) == [4096, 4096, 1808])
  }

  private func run(_ kind: ChangeKind, _ numbers: [ClosedRange<Number>], _ properties: PropertySet = [])
    -> ChangeRun
  {
    ChangeRun(entity: 0, kind: kind, properties: properties, numbers: numbers)
  }
}

extension ColumnSet: ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: Int...) { self.init(elements) }
}

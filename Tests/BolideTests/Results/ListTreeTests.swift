import BolideStorage
import Foundation
import Testing

@testable import Bolide

/// The counted tree against a sorted array.
@Suite struct ListTreeTests {
  private func entry(_ number: Int, section: Int?) -> ListEntry {
    var key: [UInt8] = []
    IndexKey.append(number: Number(number), to: &key)
    return ListEntry(
      section: section.map { SectionKey(ComparableSection(wrapped: $0)) }, key: key, number: Number(number),
      entity: 0)
  }

  private func section(of number: Int, _ sections: Int) -> Int { number / 7 % sections }

  @Test(arguments: [1, 3, 400]) func `edits keep ranks, counts and sections right`(sections: Int) {
    var random = SplitMix64(seed: UInt64(sections))
    var work = ListWork()
    var tree = ListTree()
    var model: Set<Int> = []
    for round in 0..<60 {
      var edits: [ListEdit] = []
      for _ in 0..<Int.random(in: 1...(round % 10 == 0 ? 900 : 12), using: &random) {
        let number = Int.random(in: 0..<4000, using: &random)
        guard !edits.contains(where: { $0.entry.number == Number(number) }) else { continue }
        let isThere = model.contains(number)
        if isThere { model.remove(number) } else { model.insert(number) }
        edits.append(
          ListEdit(entry: entry(number, section: section(of: number, sections)), isRemoval: isThere))
      }
      if round % 17 == 16 {
        for number in model where !edits.contains(where: { $0.entry.number == Number(number) }) {
          edits.append(
            ListEdit(entry: entry(number, section: section(of: number, sections)), isRemoval: true))
          model.remove(number)
        }
      }
      tree = tree.applying(edits, work: &work)
      let sorted = model.sorted { (section(of: $0, sections), $0) < (section(of: $1, sections), $1) }
      var listed: [Int] = []
      tree.forEach { listed.append(Int($0.number)) }
      #expect(listed == sorted)
      #expect(tree.count == sorted.count)
      #expect(tree.sectionCount == Set(sorted.map { section(of: $0, sections) }).count)
      var row = 0
      var index = -1
      var last: Int?
      for (rank, number) in sorted.enumerated() {
        let own = section(of: number, sections)
        if own != last {
          index += 1
          row = 0
          last = own
        }
        if rank % 13 == 0 || row == 0 {
          let entry = entry(number, section: own)
          #expect(tree.path(of: entry, work: &work) == RowPath(section: index, row: row))
          #expect(tree[rank]?.number == Number(number))
        }
        row += 1
      }
      #expect(tree.sectionStarts().count == index + 1)
      let missing = entry(1, section: sections + 5)
      #expect(tree.start(of: missing.section, work: &work).index == index + 1)
      #expect(!tree.start(of: missing.section, work: &work).isThere)
    }
    #expect(tree[-1] == nil && tree[tree.count] == nil)
  }
}

import BolideConformance
import BolideStorage

// Each class makes one mistake in one call and is right in all others.

final class SortsRowsAskedFor: ForwardingSnapshot, @unchecked Sendable {
  override func rows(
    _ numbers: [Number], of table: TableID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    try super.rows(numbers.sorted(), of: table, columns: columns, into: &batch)
  }
}

final class SkipsMissingRows: ForwardingSnapshot, @unchecked Sendable {
  override func rows(
    _ numbers: [Number], of table: TableID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    for number in numbers {
      var one = RowBatch(batch.format)
      try super.rows([number], of: table, columns: columns, into: &one)
      _ = one.withRow(at: 0) { batch.append($0, number: number) }
    }
  }
}

final class FindsNothing: ForwardingSnapshot, @unchecked Sendable {
  override func find(
    _ keys: RowBatch, of table: TableID, by index: IndexID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    for _ in 0..<keys.count { batch.appendAbsent() }
  }
}

final class IgnoresDirections: ForwardingSnapshot, @unchecked Sendable {
  override func scan(
    _ range: KeyRange, of table: TableID, backwards: Bool, from place: inout Place?, limit: Int,
    columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    try super.scan(
      range, of: table, backwards: false, from: &place, limit: limit, columns: columns, into: &batch)
  }
}

final class TakesBoundsAsInclusive: ForwardingSnapshot, @unchecked Sendable {
  override func scan(
    _ range: KeyRange, of table: TableID, backwards: Bool, from place: inout Place?, limit: Int,
    columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    var range = range
    if case .index(let index, let lower, let upper) = range {
      range = .index(
        index, lower: lower.map { .init($0.values, isInclusive: true) },
        upper: upper.map { .init($0.values, isInclusive: true) })
    }
    try super.scan(
      range, of: table, backwards: backwards, from: &place, limit: limit, columns: columns, into: &batch)
  }
}

final class StopsAfterOneChunk: ForwardingSnapshot, @unchecked Sendable {
  override func scan(
    _ range: KeyRange, of table: TableID, backwards: Bool, from place: inout Place?, limit: Int,
    columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    try super.scan(
      range, of: table, backwards: backwards, from: &place, limit: limit, columns: columns, into: &batch)
    place = nil
  }
}

final class ScansByNumberOnly: ForwardingSnapshot, @unchecked Sendable {
  override func scan(
    _ range: KeyRange, of table: TableID, backwards: Bool, from place: inout Place?, limit: Int,
    columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    try super.scan(
      .all, of: table, backwards: backwards, from: &place, limit: limit, columns: columns, into: &batch)
  }
}

final class LosesTextAfterNUL: ForwardingSnapshot, @unchecked Sendable {
  override func rows(
    _ numbers: [Number], of table: TableID, columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    var whole = RowBatch(batch.format)
    try super.rows(numbers, of: table, columns: columns, into: &whole)
    append(whole, to: &batch)
  }

  override func scan(
    _ range: KeyRange, of table: TableID, backwards: Bool, from place: inout Place?, limit: Int,
    columns: ColumnSet, into batch: inout RowBatch
  ) throws(BolideError) {
    var whole = RowBatch(batch.format)
    try super.scan(
      range, of: table, backwards: backwards, from: &place, limit: limit, columns: columns, into: &whole)
    append(whole, to: &batch)
  }

  private func append(_ whole: RowBatch, to batch: inout RowBatch) {
    var builder = RowBuilder(whole.format)
    for index in 0..<whole.count {
      let isThere: Void? = whole.withRow(at: index) { row in
        builder.load(row)
        for (column, type) in whole.format.types.enumerated() where type == .string && !row.isNil(column) {
          builder.set(column, text: String(row.text(column).prefix { $0 != "\u{0}" }))
        }
      }
      if isThere == nil {
        batch.appendAbsent()
      } else {
        builder.append(to: &batch, number: whole.numbers[index])
      }
    }
  }
}

final class CountsOneTooMany: ForwardingSnapshot, @unchecked Sendable {
  override func count(of table: TableID) throws(BolideError) -> Int { try super.count(of: table) + 1 }
}

final class BeginsLinksAnew: ForwardingSnapshot, @unchecked Sendable {
  override func links(
    _ link: LinkID, of numbers: [Number], side: LinkSide, after: Link?, limit: Int, into links: inout [Link]
  ) throws(BolideError) {
    try super.links(link, of: numbers, side: side, after: nil, limit: limit, into: &links)
  }
}

final class HasNoInverse: ForwardingSnapshot, @unchecked Sendable {
  override func links(
    _ link: LinkID, of numbers: [Number], side: LinkSide, after: Link?, limit: Int, into links: inout [Link]
  ) throws(BolideError) {
    if side == .forward {
      try super.links(link, of: numbers, side: side, after: after, limit: limit, into: &links)
    }
  }
}

final class CountsLinksWrong: ForwardingSnapshot, @unchecked Sendable {
  override func linkCounts(
    _ link: LinkID, of numbers: [Number], side: LinkSide, into counts: inout [Int]
  ) throws(BolideError) {
    var right: [Int] = []
    try super.linkCounts(link, of: numbers, side: side, into: &right)
    counts += right.map { min($0, 1) }
  }
}

final class GivesTheAnchorAgain: ForwardingSnapshot, @unchecked Sendable {
  override func transactions(
    after number: UInt64, limit: Int, into records: inout [TransactionRecord]
  ) throws(BolideError) {
    try super.transactions(after: number == 0 ? 0 : number - 1, limit: limit, into: &records)
  }
}

final class HasNoSingleTransactions: ForwardingSnapshot, @unchecked Sendable {
  override func transaction(_ number: UInt64) throws(BolideError) -> TransactionRecord? { nil }
}

final class HasNoRuns: ForwardingSnapshot, @unchecked Sendable {
  override func runs(of transaction: UInt64, into runs: inout [ChangeRun]) throws(BolideError) {}
}

final class BeginsTombstonesAnew: ForwardingSnapshot, @unchecked Sendable {
  override func tombstones(
    of transaction: UInt64, in table: TableID, after number: Number, limit: Int, into batch: inout RowBatch
  ) throws(BolideError) {
    try super.tombstones(of: transaction, in: table, after: 0, limit: limit, into: &batch)
  }
}

final class ForgetsWhereHistoryStarts: ForwardingSnapshot, @unchecked Sendable {
  override func historyStart() throws(BolideError) -> Mark { .start }
}

final class TakesNoBytesForNothing: ForwardingSnapshot, @unchecked Sendable {
  override func metadata(_ key: String) throws(BolideError) -> [UInt8]? {
    let value = try super.metadata(key)
    return value?.isEmpty == true ? nil : value
  }
}

final class StaysReadable: ForwardingSnapshot, @unchecked Sendable {
  override func close() {}
}

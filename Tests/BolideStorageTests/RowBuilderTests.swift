import BolideStorage
import Foundation
import Testing

@Suite struct RowBuilderTests {
  static let types: [ValueType] = [.string, .double, .int64, .binary, .boolean, .uri, .date, .uuid, .float]
  let format = RowFormat(types)

  /// A value that fits column `column`, or nil.
  private func value(_ column: Int, using random: inout some RandomNumberGenerator) -> Value {
    if Int.random(in: 0..<4, using: &random) == 0 { return .null }
    let length = Int.random(in: 0..<400, using: &random)
    switch Self.types[column] {
    case .string, .uri:
      let text = String(repeating: Bool.random(using: &random) ? "é" : "x", count: length)
      return Self.types[column] == .string ? .string(text) : .uri(text)
    case .double: return .double(.random(in: -1e9...1e9, using: &random))
    case .int64: return .int(.random(in: .min ... .max, using: &random))
    case .binary: return .binary((0..<length).map { _ in .random(in: 0...255, using: &random) })
    case .boolean: return .bool(.random(using: &random))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: .random(in: 0...1e9, using: &random)))
    case .uuid: return .uuid(UUID())
    default: return .float(.random(in: -10...10, using: &random))
    }
  }

  @Test(arguments: [UInt64(1), 2, 3, 4, 5, 6, 7, 8])
  func `rows are the same bytes in whatever order columns are set`(_ seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var batch = RowBatch(format)
    var ordered = RowBuilder(format)
    var shuffled = RowBuilder(format)
    for index in 0..<50 {
      let values = Self.types.indices.map { value($0, using: &random) }
      ordered.clear()
      for (column, value) in values.enumerated() { ordered.set(column, value) }
      ordered.append(to: &batch)
      shuffled.clear()
      for column in Self.types.indices.shuffled(using: &random) {
        // A value that is overwritten leaves nothing behind.
        shuffled.set(column, value(column, using: &random))
        shuffled.set(column, values[column])
      }
      shuffled.append(to: &batch)
      batch.withRows { rows in
        let one = rows[2 * index]
        let other = rows[2 * index + 1]
        #expect(format.isValid(one.bytes), "seed \(seed)")
        #expect(one.bytes.elementsEqual(other.bytes), "seed \(seed), row \(index)")
        for (column, value) in values.enumerated() { #expect(one.value(column) == value, "seed \(seed)") }
      }
    }
  }

  @Test func `a row loaded and changed differs in that column alone`() {
    var random = SplitMix64(seed: 9)
    var batch = RowBatch(format)
    var builder = RowBuilder(format)
    for column in Self.types.indices { builder.set(column, value(column, using: &random)) }
    builder.set(1, double: 1)
    builder.append(to: &batch)
    batch.withRow(at: 0) { builder.load($0) }
    #expect(builder.given.isEmpty)
    builder.set(1, double: 2)
    #expect(builder.given == ColumnSet([1]))
    builder.append(to: &batch)
    batch.withRows { #expect($0[0].differences(from: $0[1]) == ColumnSet([1])) }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `a loaded row is as good as one that was set`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var batch = RowBatch(format)
    var loaded = RowBuilder(format)
    for _ in 0..<300 {
      var values = Self.types.indices.map { column in
        random.next() % 4 == 0 ? Value.null : value(column, using: &random)
      }
      var builder = RowBuilder(format)
      for (column, value) in values.enumerated() { builder.set(column, value) }
      batch.removeAll()
      builder.append(to: &batch)
      batch.withRow(at: 0) { loaded.load($0) }
      loaded.append(to: &batch)
      // Values set after loading, longer and shorter ones and nil.
      for _ in 0..<(random.next() % 4) {
        let column = Int(random.next() >> 33) % values.count
        values[column] = random.next() % 3 == 0 ? .null : value(column, using: &random)
        loaded.set(column, values[column])
      }
      loaded.append(to: &batch)
      batch.withRows { rows in
        #expect(rows[1].isEqual(to: rows[0]), "seed \(seed)")
        #expect(format.isValid(rows[2].bytes), "seed \(seed)")
        #expect(values.indices.map { rows[2].value($0) } == values, "seed \(seed)")
        let changed = values.indices.filter { rows[2].value($0) != rows[0].value($0) }
        #expect(rows[2].differences(from: rows[0]) == ColumnSet(changed), "seed \(seed)")
        let some = changed.filter { $0.isMultiple(of: 2) }
        #expect(
          rows[2].differences(from: rows[0], in: Array(stride(from: 0, to: values.count, by: 2)))
            == ColumnSet(some), "seed \(seed)")
      }
    }
  }

  @Test func `what a filling throws leaves the batch as it was`() {
    struct Refused: Error {}
    var batch = RowBatch(RowFormat([.int64]))
    batch.append(byteCount: 16, number: 1) { $0[0] = 1 }
    #expect(throws: Refused.self) {
      try batch.append(byteCount: 16, number: 2) { bytes throws(Refused) in
        bytes[0] = 1
        throw Refused()
      }
    }
    #expect(batch.count == 1)
    #expect(batch.byteCount == 16)
    batch.append(byteCount: 16, number: 3) { #expect($0.allSatisfy { $0 == 0 }) }
  }
}

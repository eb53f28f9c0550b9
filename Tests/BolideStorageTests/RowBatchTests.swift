import BolideStorage
import Foundation
import Testing

@Suite struct RowBatchTests {
  static let format = RowFormat([.int64, .string, .double, .binary, .uuid, .decimal, .boolean, .date])

  @Test func `the last entry can be taken back`() {
    let format = RowFormat([.int64, .string])
    var batch = RowBatch(format)
    var builder = RowBuilder(format)
    func append(_ number: Number, _ text: String) {
      builder.clear()
      builder.set(1, text: text)
      builder.append(to: &batch, number: number)
    }
    append(1, "one")
    let one = batch.byteCount
    append(2, "a longer text")
    batch.removeLast()
    #expect(batch.numbers == [1] && batch.byteCount == one)
    batch.appendAbsent()
    batch.removeLast()
    append(3, "three")
    #expect(batch.numbers == [1, 3])
    #expect(batch.withRow(at: 0) { $0.text(1) } == "one" && batch.withRow(at: 1) { $0.text(1) } == "three")
    for _ in 0..<3 { batch.removeLast() }
    #expect(batch.isEmpty && batch.byteCount == 0)
  }

  @Test func `copies of a batch go their own ways, however large they grow`() {
    let format = RowFormat([.int64, .string])
    var builder = RowBuilder(format)
    var batch = RowBatch(format)
    func append(_ number: Number, to batch: inout RowBatch) {
      builder.clear()
      builder.set(0, int: number)
      builder.set(1, text: String(repeating: "x", count: Int(number % 40)))
      builder.append(to: &batch, number: number)
    }
    for number in 1...50 { append(Number(number), to: &batch) }
    var copy = batch
    for number in 51...5_000 { append(Number(number), to: &batch) }
    for number in 1_051...1_100 { append(Number(number), to: &copy) }
    var emptied = batch
    emptied.removeAll()
    append(7, to: &emptied)
    func isSound(_ batch: RowBatch) -> Bool {
      batch.withRows { rows in
        (0..<rows.count).allSatisfy { place in
          rows[place].int(0) == batch.numbers[place]
            && rows[place].variable(1).count == Int(batch.numbers[place] % 40)
        }
      }
    }
    #expect(batch.numbers == Array(1...5_000) && isSound(batch))
    #expect(copy.numbers == Array(1...50) + Array(1_051...1_100) && isSound(copy))
    #expect(emptied.numbers == [7] && isSound(emptied))
  }

  @Test func `fixed columns alone make a row whose other columns are nil`() {
    var builder = RowBuilder(Self.format)
    builder.set(0, int: 5)
    builder.set(1, text: "left out")
    builder.set(2, double: 2.5)
    builder.set(6, .bool(true))
    var whole = RowBatch(Self.format)
    builder.append(to: &whole, number: 9)
    var fixed = RowBatch(Self.format)
    whole.withRow(at: 0) { fixed.appendFixed($0.bytes, number: 9) }
    builder.setNil(1)
    var expected = RowBatch(Self.format)
    builder.append(to: &expected, number: 9)
    let isEqual = expected.withRow(at: 0) { row in fixed.withRow(at: 0) { $0.isEqual(to: row) } }
    #expect(isEqual == true && fixed.numbers == [9])
    #expect(Self.format.areFixed(ColumnSet([0, 2, 6, 7])) && !Self.format.areFixed(ColumnSet([0, 1])))
  }

  @Test func `what is set is read back, and the rest is nil`() throws {
    var builder = RowBuilder(Self.format)
    let uuid = UUID()
    builder.set(0, int: -7)
    builder.set(5, .decimal(Decimal(string: "-12.500") ?? 0))
    builder.set(1, text: "e\u{301}\0x")
    builder.set(2, double: -0.0)
    builder.set(4, .uuid(uuid))
    var batch = RowBatch(Self.format)
    builder.append(to: &batch, number: 3)
    batch.appendAbsent()
    #expect(batch.count == 2)
    #expect(batch.numbers == [3, 0])
    #expect(!batch.isPresent(1))
    #expect(batch.withRow(at: 1) { _ in 0 } == nil)
    batch.withRow(at: 0) { row in
      #expect(Self.format.isValid(row.bytes))
      #expect(row.value(0) == .int(-7))
      #expect(row.value(1) == .string("\u{e9}\0x"))
      #expect(row.double(2).sign == .plus)
      #expect(row.isNil(3))
      #expect(row.value(4) == .uuid(uuid))
      #expect(row.value(5) == .decimal(Decimal(string: "-12.5") ?? 0))
      #expect(row.isNil(6) && row.isNil(7))
    }
    #expect(builder.given.members == [0, 1, 2, 4, 5])
  }

  @Test func `equal rows have equal bytes whatever the order of setting`() {
    var batch = RowBatch(Self.format)
    var builder = RowBuilder(Self.format)
    builder.set(1, text: "long")
    builder.set(1, text: "a")
    builder.set(3, .binary([1, 2]))
    builder.append(to: &batch)
    builder.clear()
    builder.set(3, .binary([1, 2]))
    builder.set(0, int: 9)
    builder.setNil(0)
    builder.set(1, text: "a")
    builder.append(to: &batch)
    batch.withRows { rows in
      #expect(rows[0].bytes.elementsEqual(rows[1].bytes))
      #expect(rows[0].differences(from: rows[1]).isEmpty)
    }
  }

  @Test func `a damaged row is recognised`() {
    var batch = RowBatch(Self.format)
    var builder = RowBuilder(Self.format)
    builder.set(1, text: "abc")
    builder.append(to: &batch)
    batch.withRow(at: 0) { row in
      let bytes = [UInt8](row.bytes)
      for length in 0..<bytes.count {
        #expect(!bytes[..<length].withUnsafeBytes { Self.format.isValid($0) })
      }
      var broken = bytes
      broken[Self.format.endsStart + 3] = 0xFF
      #expect(!broken.withUnsafeBytes { Self.format.isValid($0) })
    }
  }

  @Test func `keys order as values do`() {
    let ordered: [[Value]] = [
      [.null, .int(.min), .int(-256), .int(-1), .int(0), .int(255), .int(256), .int(.max)],
      [
        .null, .double(-.infinity), .double(-1.5), .double(0), .double(.leastNonzeroMagnitude),
        .double(.infinity),
      ],
      [
        .null, .string(""), .string("\0"), .string("a"), .string("a\0"), .string("a\0b"), .string("ab"),
        .string("é"),
      ],
      ["-100", "-20", "-2.5", "-2.25", "-0.3", "0", "0.002", "0.01", "1", "1.5", "9", "10", "10.01", "1000"]
        .map { .decimal(Decimal(string: $0) ?? 0) },
      [.null, .bool(false), .bool(true)],
    ]
    for values in ordered {
      let keys = values.map { value in
        var key: [UInt8] = []
        IndexKey.append(value, to: &key)
        return key
      }
      for index in keys.indices.dropFirst() {
        #expect(
          keys[index - 1].lexicographicallyPrecedes(keys[index]), "\(values[index - 1]) < \(values[index])")
      }
    }
  }

  @Test func `column sets hold any column`() {
    var set = ColumnSet([1, 63, 64, 200])
    #expect(set.members == [1, 63, 64, 200])
    set.remove(200)
    #expect(set == ColumnSet([64, 1, 63]))
    #expect(set.subtracting(ColumnSet([63])).members == [1, 64])
    #expect(set.intersects(ColumnSet([64])) && !set.intersects(ColumnSet([2, 65])))
  }
}

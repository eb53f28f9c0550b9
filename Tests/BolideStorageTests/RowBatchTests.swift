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

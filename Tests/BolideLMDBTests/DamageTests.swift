import BolideStorage
import Foundation
import Testing

@testable import BolideLMDB

/// Files whose bytes were changed (rules S-2, E-1): an error, or what is there, but never the end of the process.
@Suite struct DamageTests {
  /// A closed store with rows, long keys, rows on overflow pages, links and history.
  private static func makeStore(_ fixture: Fixture) throws {
    let store = try fixture.open(layout: layout)
    var rows: [(String?, String?)] = (0..<400).map { ("word \($0)", $0 % 3 == 0 ? nil : "note \($0 % 20)") }
    rows += (0..<20).map {
      (String(repeating: "l", count: 700) + "\($0)", String(repeating: "n", count: 9_000))
    }
    try store.insert(rows)
    for number in 1...40 {
      try store.write { (transaction) throws in
        try transaction.delete([Number(number)], of: 0)
        var added: [Bool] = []
        try transaction.link(0, (1...9).map { Link(from: Number(number), to: $0) }, added: &added)
        let record = TransactionRecord(
          mark: Mark(transaction: UInt64(number), nonce: 1), timestamp: 1, author: "a", contextName: nil,
          processName: "test", processID: 1)
        let numbers = Number(number)...Number(number)
        try transaction.append(
          record, runs: [ChangeRun(entity: 0, kind: .delete, properties: .init(), numbers: [numbers])],
          tombstones: [])
      }
    }
    try store.close()
  }

  private static let layout: Layout = {
    var layout = Fixture.layout
    layout.links = [LinkLayout(name: "l", source: 0, sourceName: "a", target: 0, targetName: "b")]
    return layout
  }()

  /// Reads all there is, and writes; only the codes of damage may come out.
  private static func use(_ path: String) throws {
    let allowed: [ErrorCode] = [.storeDamaged, .storeForeign, .storeIO, .storeNewer, .storeMissing]
    func attempt(_ body: () throws -> Void) throws {
      do {
        try body()
      } catch let error as BolideError {
        #expect(allowed.contains(error.code), "\(error)")
      }
    }
    try attempt {
      let store = try Fixture.open(path, layout: nil)
      defer { try? store.close() }
      let snapshot = try store.snapshot()
      defer { snapshot.close() }
      for index in 0...2 {
        for isBackwards in [false, true] {
          try attempt {
            _ = try snapshot.numbers(.index(index, lower: nil, upper: nil), backwards: isBackwards)
          }
        }
      }
      try attempt { _ = try snapshot.numbers() }
      try attempt { _ = try snapshot.holders((0..<400).map { "word \($0)" }) }
      try attempt {
        var links: [Link] = []
        try snapshot.links(0, of: Array(1...50), side: .forward, after: nil, limit: 1_000, into: &links)
        var counts: [Int] = []
        try snapshot.linkCounts(0, of: Array(1...9), side: .inverse, into: &counts)
      }
      for number in UInt64(1)...40 {
        try attempt {
          var runs: [ChangeRun] = []
          _ = try snapshot.transaction(number)
          try snapshot.runs(of: number, into: &runs)
        }
      }
      try attempt {
        try store.write { (transaction) throws in
          try transaction.delete(Array(1...100), of: 0)
          try transaction.setMetadata("k", [1])
        }
      }
    }
  }

  @Test func `flipped bytes never end the process`() throws {
    let fixture = try Fixture()
    try Self.makeStore(fixture)
    let whole = try Data(contentsOf: URL(fileURLWithPath: fixture.path() + "/data.mdb"))
    var random = SplitMix64(seed: 3)
    for round in 0..<15 {
      let path = fixture.path("copy\(round)")
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try Data().write(to: URL(fileURLWithPath: path + "/bolide.lock"))
      var damaged = whole
      for _ in 0..<Int.random(in: 1...20, using: &random) {
        // Mostly the beginnings of pages, where LMDB keeps what it relies on.
        let page = Int.random(in: 0..<(whole.count / 4096), using: &random) * 4096
        let offset = Int.random(in: 0..<(Bool.random(using: &random) ? 200 : 4096), using: &random)
        damaged[page + offset] = UInt8.random(in: .min ... .max, using: &random)
      }
      try damaged.write(to: URL(fileURLWithPath: path + "/data.mdb"))
      try Self.use(path)
      try FileManager.default.removeItem(atPath: path)
    }
  }

  /// Opening a file above four megabytes looks at a part of it; a check looks at all, before LMDB follows a page.
  @Test func `damage that opening leaves out is found by a check of all pages`() throws {
    let fixture = try Fixture()
    let store = try fixture.open()
    for part in 0..<4 {
      let note = String(repeating: "n", count: 900)
      let words = (0..<2_000).map { ("word \(part * 2_000 + $0)" as String?, note as String?) }
      try store.insert(words, from: Number(part * 2_000 + 1))
    }
    try store.verify()
    try store.close()
    let url = URL(fileURLWithPath: fixture.path() + "/data.mdb")
    let whole = try Data(contentsOf: url)
    #expect(whole.count > 8 << 20)
    var found = (opening: 0, check: 0)
    for place in 1...24 {
      // The kind of a page and where its entries begin: what LMDB follows.
      var damaged = whole
      let page = (whole.count / 4096) * place / 25 * 4096
      for offset in 10..<16 { damaged[page + offset] ^= 0xFF }
      try damaged.write(to: url)
      guard let store = try? fixture.open(layout: nil) else {
        found.opening += 1
        continue
      }
      if code({ try store.verify() }) == .storeDamaged { found.check += 1 }
      try store.close()
    }
    #expect(found.check >= 6, "\(found)")
    #expect(found.opening >= 1, "\(found)")
    try whole.write(to: url)
    let again = try fixture.open(layout: nil)
    try again.verify()
    #expect(try again.read { try $0.count(of: 0) } == 8_000)
    try again.close()
  }

  @Test func `a file that was cut is noticed when it is opened`() throws {
    let fixture = try Fixture()
    try Self.makeStore(fixture)
    let data = URL(fileURLWithPath: fixture.path() + "/data.mdb")
    let whole = try Data(contentsOf: data)
    for share in [2, 3, 10, 100] {
      try whole.prefix(whole.count / share).write(to: data)
      let found = code { _ = try fixture.open(layout: nil) }
      #expect(found == .storeDamaged || found == .storeForeign)
    }
    try whole.write(to: data)
    #expect(try fixture.open(layout: nil).read { try $0.count(of: 0) } == 380)
  }
}

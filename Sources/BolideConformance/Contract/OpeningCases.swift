import BolideStorage
import Foundation

extension Conformance {
  /// Opening, sharing, reopening and closing.
  static var openingCases: [CaseDefinition] {
    [
      CaseDefinition(
        "storage/reopen", "A store closed and opened again has all it had, and numbers go on.",
        rules: ["S-1", "U-1"]
      ) { stage in
        let quakes = ContractLayout.quakes
        let location = try stage.makeLocation()
        let store = try stage.open(location, layout: ContractLayout.layout)
        try fill(store)
        let before = try store.read { try Contents($0) }
        try store.close()
        let again = try stage.open(location, layout: ContractLayout.layout)
        try checkEqual(try again.read { try Contents($0) }, before, "contents")
        try again.write { transaction in
          let taken = try quakes.insertTaken(
            [quake("q7"), quake("later")], from: 201, in: transaction, expecting: 1)
          try checkEqual(taken, [Taken(row: 0, index: 0, holder: 8)], "taken keys")
        }
      },
      CaseDefinition(
        "storage/second-opener", "Two openings of one location are one store; closing one leaves the other.",
        rules: ["S-3"]
      ) { stage in
        let quakes = ContractLayout.quakes
        let location = try stage.makeLocation()
        let first = try stage.open(location, layout: ContractLayout.layout)
        let second: any OpenStore
        do {
          second = try stage.open(location, layout: ContractLayout.layout)
        } catch ErrorCode.storeBusy where !stage.provider.capabilities.sharesBetweenProcesses {
          return  // a store that one opener has for itself
        }
        try first.write { try quakes.insert([quake("a")], from: 1, in: $0) }
        try second.write { try quakes.insert([quake("b")], from: 2, in: $0) }
        for store in [first, second] {
          try checkEqual(try store.read { try quakes.consistentRows(in: $0) }.map(\.number), [1, 2], "rows")
        }
        let held = try first.begin(until: .now + .seconds(20))
        try checkThrows(.storeBusy, label: "a writer of the second opener") {
          _ = try second.begin(until: .now + .milliseconds(10))
        }
        held.rollback()
        let snapshot = try second.snapshot()
        try first.close()
        try checkEqual(try quakes.consistentRows(in: snapshot).map(\.number), [1, 2], "rows after one close")
        snapshot.close()
        try second.write { try quakes.insert([quake("c")], from: 3, in: $0) }
      },
      CaseDefinition("storage/close", "A closed store refuses calls; its open snapshots stay readable.") {
        stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        try store.write { try quakes.insert([quake("a")], from: 1, in: $0) }
        let snapshot = try store.snapshot()
        try store.close()
        try checkEqual(try quakes.consistentRows(in: snapshot).map(\.number), [1], "rows")
        snapshot.close()
        try checkThrows(.storeClosed, label: "a snapshot of a closed store") { _ = try store.snapshot() }
        try checkThrows(.storeClosed, label: "a transaction of a closed store") {
          _ = try store.begin(until: .now)
        }
        try checkThrows(.storeClosed, label: "statistics of a closed store") { _ = try store.statistics() }
      },
      CaseDefinition(
        "storage/layout-kept", "An existing store keeps its own layout, whatever it is opened with."
      ) { stage in
        let location = try stage.makeLocation()
        let store = try stage.open(location, layout: ContractLayout.layout)
        try checkEqual(store.layout, ContractLayout.layout, "layout")
        try store.close()
        let other = Layout(tables: [], links: [], entities: [])
        let again = try stage.open(location, layout: other)
        try checkEqual(again.layout, ContractLayout.layout, "layout after reopening with another")
      },
      CaseDefinition(
        "storage/missing", "Opening without a layout creates nothing: there is no store.", rules: ["S-2"],
        needs: [.backend]
      ) { stage in
        let backend = try checkPresent(stage.provider.backend, "backend")
        let location = try stage.makeLocation()
        try checkThrows(.storeMissing, label: "opening where nothing is") {
          _ = try backend.open(Location(path: location.path), layout: nil, options: OpenOptions())
        }
        try check(!FileManager.default.fileExists(atPath: location.path), "something was created")
        let store = try stage.open(location, layout: ContractLayout.layout)
        try store.close()
        let again = stage.keep(
          try backend.open(Location(path: location.path), layout: nil, options: OpenOptions()))
        try checkEqual(again.layout, ContractLayout.layout, "layout of a store opened without one")
      },
      CaseDefinition(
        "storage/read-only", "A store opened read-only is read and refuses writers.", rules: ["S-2"],
        needs: [.backend, .capability("read-only")]
      ) { stage in
        let quakes = ContractLayout.quakes
        let backend = try checkPresent(stage.provider.backend, "backend")
        let location = try stage.makeLocation()
        let store = try stage.open(location, layout: ContractLayout.layout)
        try store.write { try quakes.insert([quake("a")], from: 1, in: $0) }
        try store.close()
        let options = OpenOptions(isReadOnly: true)
        let reading = stage.keep(
          try backend.open(Location(path: location.path), layout: nil, options: options))
        try checkEqual(try reading.read { try quakes.consistentRows(in: $0) }.map(\.number), [1], "rows")
        try checkThrows(.storeReadOnly, label: "a writer of a read-only store") {
          _ = try reading.begin(until: .now)
        }
        try checkThrows(.storeMissing, .storeReadOnly, label: "creating a store read-only") {
          let free = Location(path: try stage.makeLocation().path)
          _ = try backend.open(free, layout: ContractLayout.layout, options: options)
        }
      },
      CaseDefinition(
        "storage/read-only-refused", "A store that cannot be opened read-only says so.",
        needs: [.backend, .absence("read-only")]
      ) { stage in
        let backend = try checkPresent(stage.provider.backend, "backend")
        let location = try stage.makeLocation()
        try stage.open(location, layout: ContractLayout.layout).close()
        try checkThrows(.storeUnsupported, label: "opening read-only") {
          _ = try backend.open(
            Location(path: location.path), layout: nil, options: OpenOptions(isReadOnly: true))
        }
      },
      CaseDefinition(
        "storage/private-files", "Files of a store can be read by their owner only.", rules: ["S-4"],
        needs: [.capability("durable")]
      ) { stage in
        let location = try stage.makeLocation()
        let store = try stage.open(location, layout: ContractLayout.layout)
        try fill(store)
        let snapshot = try store.snapshot()
        defer { snapshot.close() }
        for file in try filesOfStore(at: location) {
          let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
          let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0o777
          try check(mode & 0o077 == 0, "\(file.lastPathComponent) has mode \(String(mode, radix: 8))")
        }
      },
    ]
  }

  /// Writes rows, links, history and metadata in three transactions.
  static func fill(_ store: any OpenStore) throws {
    let quakes = ContractLayout.quakes
    try store.write { transaction in
      let rows = (0..<200).map { (index: Int) -> [Value] in
        quake(
          "q\(index)", net: index % 3 == 0 ? nil : "n", serial: Int64(index),
          magnitude: Double(index % 10) / 4,
          time: Double(index) * 1.1, place: index % 7 == 0 ? nil : "place \(index % 5)")
      }
      try quakes.insert(rows, from: 1, in: transaction)
      try ContractLayout.groups.insert([[.string("Pacific")], [.null]], from: 1, in: transaction)
      try ContractLayout.samples.insert(sampleRows(), from: 1, in: transaction)
      _ = try link((1...200).map { Link(from: $0, to: $0 % 2 + 1) }, in: transaction)
      try transaction.setMetadata("counter", [2, 0, 1])
    }
    for number in 1...3 { try append(entry(number), to: store) }
    _ = try store.write { try $0.dropHistory(through: 1, limit: 10) }
  }
}

/// All that the contract's sample store holds, in comparable form.
struct Contents: Equatable {
  var quakes: [Record]
  var groups: [Record]
  var samples: [Record]
  var links: [Link]
  var head: Mark
  var start: Mark
  var transactions: [TransactionRecord]
  var runs: [Set<ChangeRun>]
  var counter: [UInt8]?

  init(_ reader: any Reader) throws {
    quakes = try ContractLayout.quakes.consistentRows(in: reader)
    groups = try ContractLayout.groups.consistentRows(in: reader)
    samples = try ContractLayout.samples.consistentRows(in: reader)
    links = try Conformance.links(of: quakes.map(\.number), .forward, in: reader)
    let inverse = try Conformance.links(of: groups.map(\.number), .inverse, in: reader)
    try checkEqual(Set(inverse), Set(links), "links from both sides")
    head = try reader.head()
    start = try reader.historyStart()
    transactions = []
    try reader.transactions(after: 0, limit: 1000, into: &transactions)
    runs = try transactions.map { try Conformance.runs(of: $0.mark.transaction, in: reader) }
    counter = try reader.metadata("counter")
  }
}

import BolideStorage
import Foundation

extension Conformance {
  /// Copies and forks.
  static var copyCases: [CaseDefinition] {
    [
      CaseDefinition(
        "storage/copy", "A copy has all that was committed, and goes its own way.", rules: ["H-5"]
      ) { stage in
        let store = try stage.open(ContractLayout.layout)
        try fill(store)
        let before = try store.read { try Contents($0) }
        let transaction = try store.begin(until: .now + .seconds(20))
        try ContractLayout.quakes.insert([quake("not committed")], from: 201, in: transaction)
        let target = try stage.makeLocation()
        try store.copy(to: Location(path: target.path))
        transaction.rollback()
        let copy = try stage.open(target, layout: ContractLayout.layout)
        try checkEqual(copy.layout, ContractLayout.layout, "layout of the copy")
        try checkEqual(try copy.read { try Contents($0) }, before, "contents of the copy")
        try copy.write { try $0.delete(Array(1...100), of: ContractLayout.quakes.id) }
        try store.write { try ContractLayout.quakes.insert([quake("later")], from: 201, in: $0) }
        try checkEqual(try store.read { try $0.count(of: 0) }, 201, "rows of the original")
        try checkEqual(try copy.read { try $0.count(of: 0) }, 100, "rows of the copy")
      },
      CaseDefinition(
        "storage/copy-to-taken-place", "A copy over something is refused, and that stays as it was.",
        rules: ["S-2"]
      ) { stage in
        let quakes = ContractLayout.quakes
        let target = try stage.makeLocation()
        let other = try stage.open(target, layout: ContractLayout.layout)
        try other.write { try quakes.insert([quake("other")], from: 1, in: $0) }
        let store = try stage.open(ContractLayout.layout)
        try checkThrows(.storeIO, label: "copying over a store") {
          try store.copy(to: Location(path: target.path))
        }
        try checkThrows(.storeIO, label: "forking over a store") {
          _ = try store.fork(to: Location(path: target.path))
        }
        let rows = try other.read { try quakes.consistentRows(in: $0) }
        try checkEqual(rows.map { $0.values[0] }, [.string("other")], "rows of the other store")
      },
      CaseDefinition(
        "storage/move", "A moved store is whole in its new place, and cannot be used in its old one.",
        rules: ["S-3", "S3"], needs: [.capability("moves")]
      ) { stage in
        let quakes = ContractLayout.quakes
        let place = try stage.makeLocation()
        let store = try stage.open(place, layout: ContractLayout.layout)
        try fill(store)
        let before = try store.read { try Contents($0) }
        let other = try stage.open(place, layout: ContractLayout.layout)
        let held = try other.snapshot()
        let taken = try stage.makeLocation()
        _ = try stage.open(taken, layout: ContractLayout.layout)
        try checkThrows(.storeIO, label: "moving onto a store") {
          try store.move(to: Location(path: taken.path), until: .now + .seconds(20))
        }
        let writer = try other.begin(until: .now + .seconds(20))
        try checkThrows(.storeBusy, label: "moving while another writes") {
          try inParallel(1) { _ in
            try store.move(to: Location(path: taken.path), until: .now + .milliseconds(50))
          }
        }
        writer.rollback()
        let target = try stage.makeLocation()
        try store.move(to: Location(path: target.path), until: .now + .seconds(20))
        try checkThrows(.storeClosed, label: "the store that was moved") { _ = try store.snapshot() }
        try checkThrows(.storeSchemaChanged, label: "a snapshot of another opening") {
          _ = try other.snapshot()
        }
        try checkThrows(.storeSchemaChanged, label: "a write of another opening") {
          _ = try other.begin(until: .now + .seconds(20))
        }
        try checkEqual(try Contents(held), before, "a snapshot from before")
        held.close()
        try other.close()
        let moved = try stage.open(target, layout: ContractLayout.layout)
        try checkEqual(try moved.read { try Contents($0) }, before, "contents in the new place")
        try moved.write { try quakes.insert([quake("later", magnitude: 1)], from: 300, in: $0) }
        let new = try stage.open(place, layout: ContractLayout.layout)
        try checkEqual(try new.read { try $0.count(of: 0) }, 0, "rows of a new store in the old place")
      },
      CaseDefinition(
        "storage/fork-of-read-only", "A fork of a store that is open for reading only can be written.",
        rules: ["S-2"], needs: [.backend, .capability("read-only")]
      ) { stage in
        let quakes = ContractLayout.quakes
        let backend = try checkPresent(stage.provider.backend, "backend")
        let location = try stage.makeLocation()
        let store = try stage.open(location, layout: ContractLayout.layout)
        try store.write { try quakes.insert([quake("a")], from: 1, in: $0) }
        let reading = stage.keep(
          try backend.open(
            Location(path: location.path), layout: nil, options: OpenOptions(isReadOnly: true)))
        let fork = stage.keep(try reading.fork(to: Location(path: try stage.makeLocation().path)))
        try fork.write { try quakes.insert([quake("b")], from: 2, in: $0) }
        try checkEqual(try fork.read { try quakes.consistentRows(in: $0) }.map(\.number), [1, 2], "the fork")
        try checkEqual(try store.read { try quakes.consistentRows(in: $0) }.map(\.number), [1], "the store")
      },
      CaseDefinition(
        "storage/fork-metadata", "A fork has the metadata that it is given, and its origin keeps its own.",
        rules: ["H-5"]
      ) { stage in
        let store = try stage.open(ContractLayout.layout)
        let long = String(repeating: "name ", count: 200)
        try store.write { transaction in
          try transaction.setMetadata("id", [1])
          try transaction.setMetadata("kept", [2])
          try transaction.setMetadata(long, [3])
        }
        let target = try stage.makeLocation()
        let fork = try store.fork(
          to: Location(path: target.path), setting: ["id": [4, 5], "new": [], long: [6]])
        func metadata(_ store: any OpenStore) throws -> [[UInt8]?] {
          try store.read { snapshot in try ["id", "kept", "new", long].map { try snapshot.metadata($0) } }
        }
        try checkEqual(try metadata(fork), [[4, 5], [2], [], [6]], "the fork's metadata")
        try checkEqual(try metadata(store), [[1], [2], nil, [3]], "its origin's metadata")
        try fork.write { try $0.setMetadata("kept", [7]) }
        try fork.close()
        if stage.provider.capabilities.isDurable {
          let opened = try stage.open(target, layout: ContractLayout.layout)
          try checkEqual(try metadata(opened), [[4, 5], [7], [], [6]], "the fork's metadata, opened again")
        }
      },
      CaseDefinition("storage/fork", "A fork is an open copy that shares nothing with its origin.") { stage in
        let quakes = ContractLayout.quakes
        let store = try stage.open(ContractLayout.layout)
        try fill(store)
        let before = try store.read { try Contents($0) }
        let target = try stage.makeLocation()
        let fork = stage.keep(try store.fork(to: Location(path: target.path)))
        try checkEqual(try fork.read { try Contents($0) }, before, "contents of the fork")
        // Both write the same numbers and keys, at once.
        let left = try store.begin(until: .now + .seconds(20))
        try inParallel(1) { _ in
          try fork.write { transaction in
            try quakes.insert([quake("fork", magnitude: 1)], from: 201, in: transaction)
            try transaction.delete([1], of: quakes.id)
          }
        }
        try quakes.insert([quake("origin", magnitude: 2)], from: 201, in: left)
        _ = try left.commit(pinning: false)
        try append(entry(4), to: fork)
        try store.read { snapshot in
          try checkEqual(
            try quakes.rows([201], in: snapshot).at(0)?.values[0], .string("origin"), "origin's row")
          try checkEqual(try quakes.consistentRows(in: snapshot).count, 201, "origin's rows")
          try checkEqual(try snapshot.head(), before.head, "origin's head")
        }
        try fork.read { snapshot in
          try checkEqual(try quakes.rows([201], in: snapshot).at(0)?.values[0], .string("fork"), "fork's row")
          try checkEqual(try quakes.consistentRows(in: snapshot).count, 200, "fork's rows")
        }
        try store.close()
        try checkEqual(try fork.read { try $0.count(of: 0) }, 200, "fork's rows after its origin closed")
      },
    ]
  }
}

import Bolide
import BolideStorage
import Foundation

/// Steps that the cases of the rules are written in.
extension PersistentContainer {
  /// Inserts sightings in one batch, as an import does.
  @discardableResult
  func importRecords(
    _ records: [[String: Value]], author: String? = "import", policy: MergePolicy? = nil,
    absent: AbsentRule = .keep
  ) throws -> BatchInsertResult {
    try importRecords("Fireball", records, author: author, policy: policy, absent: absent)
  }

  /// Inserts records of an entity in one batch.
  @discardableResult
  func importRecords(
    _ entity: String, _ records: [[String: Value]], author: String? = "import", policy: MergePolicy? = nil,
    absent: AbsentRule = .keep
  ) throws -> BatchInsertResult {
    let context = newContext(author: author)
    context.mergePolicy = policy
    return try context.execute(BatchInsertRequest(entity: entity, records: records, absent: absent))
  }

  /// Makes a group of the sightings at some times, and saves it.
  @discardableResult
  func makeGroup(_ name: String, of times: [Double], author: String? = "user") throws -> ManagedObjectID {
    let context = newContext(author: author)
    let group = try context.insert("Group", "name", .string(name))
    try group.addObjects(try context.sightings(times), for: "fireballs")
    try context.save()
    return group.objectID
  }

  /// The numbers of a group's members, as a fresh context sees them.
  func members(of group: String) throws -> [Number] {
    let context = newContext()
    return try context.group(group).objects("fireballs").map(\.objectID.number)
  }

  /// The numbers of the groups of the sighting at a time.
  func groups(of time: Double) throws -> [Number] {
    let context = newContext()
    return try context.sightings([time])[0].objects("groups").map(\.objectID.number)
  }

  /// The values of an entity's objects, by number: what a fresh context sees.
  func values(_ entity: String = "Fireball", _ keys: String...) throws -> [[Value]] {
    try newContext().values(entity, keys)
  }

  /// The numbers of an entity's objects.
  func numbers(_ entity: String = "Fireball") throws -> [Number] {
    try newContext().fetchIDs(FetchRequest<ManagedObject>(entity: entity)).map(\.number)
  }

  /// History as lines: transaction, author and changes.
  func story(
    after anchor: PersistentHistoryRequest.Anchor = .start, where filter: HistoryFilter? = nil
  ) throws -> [String] {
    let result = try history(PersistentHistoryRequest(after: anchor, where: filter))
    return result.transactions.map(\.line)
  }

  /// The canonical text of the store.
  func dumpLines() throws -> [String] {
    let lines = Lines()
    try dump { lines.all.append($0) }
    return lines.all
  }

  private final class Lines {
    var all: [String] = []
  }
}

extension PersistentHistoryTransaction {
  /// `3 import: insert Fireball#1, update Group#1 fireballs size, delete Fireball#2 time=…`.
  var line: String {
    let parts = changes.map { change in
      let properties = change.updatedProperties.map { " \($0)" }.joined()
      let kept = change.tombstone.sorted { $0.key < $1.key }
        .map { " \($0.key)=\(CanonicalText.text($0.value))" }.joined()
      return "\(change.kind) \(change.objectID)\(properties)\(kept)"
    }
    return "\(number) \(author ?? "nobody"): " + parts.joined(separator: ", ")
  }
}

extension ManagedObjectContext {
  /// Inserts an object and sets one of its attributes.
  @discardableResult
  func insert(_ entity: String, _ key: String, _ value: Value) throws -> ManagedObject {
    let object = try insert(entity)
    try object.setValue(value, for: key)
    return object
  }

  /// The sightings at some times, in that order.
  func sightings(_ times: [Double]) throws -> [ManagedObject] {
    let all = try fetch(FetchRequest<ManagedObject>(entity: "Fireball"))
    return try times.map { time in
      let date = Value.date(Date(timeIntervalSinceReferenceDate: time))
      return try checkPresent(try all.first { try $0.value("time") == date }, "the sighting at \(time)")
    }
  }

  /// The one group of a name.
  func group(_ name: String) throws -> ManagedObject {
    let groups = try fetch(
      FetchRequest<ManagedObject>(entity: "Group", where: .equals("name", .string(name))))
    try checkEqual(groups.count, 1, "groups called \(name)")
    return groups[0]
  }

  /// The values of an entity's objects, by number.
  func values(_ entity: String, _ keys: [String]) throws -> [[Value]] {
    try fetch(FetchRequest<ManagedObject>(entity: entity)).map { object in
      try keys.map { try object.value($0) }
    }
  }

  /// What the context shows: every object of some entities with its attributes and members.
  func picture(_ entities: [String: (attributes: [String], sides: [String])]) throws -> [String] {
    var lines: [String] = []
    for (entity, properties) in entities.sorted(by: { $0.key < $1.key }) {
      for object in try fetch(FetchRequest<ManagedObject>(entity: entity)) {
        let values = try properties.attributes.map { "\($0) \(CanonicalText.text(try object.value($0)))" }
        let sides = try properties.sides.map { "\($0) \(try object.objects($0).map(\.objectID))" }
        lines.append(([object.objectID.description] + values + sides).joined(separator: "  "))
      }
    }
    return lines
  }

  /// ``picture(_:)`` of the watch model.
  func watchPicture() throws -> [String] {
    try picture([
      "Fireball": (["time", "energy", "place", "isFavorite", "note"], ["groups"]),
      "Group": (["name", "size"], ["fireballs"]),
    ])
  }
}

extension Condition {
  static func equals(_ name: String, _ value: Value) -> Condition {
    .compare(.path([name]), .equal, .literal(value))
  }
}

extension HistoryFilter {
  /// Transactions whose author is not this one.
  static func authorIsNot(_ author: String) -> HistoryFilter {
    HistoryFilter(.compare(.path(["author"]), .notEqual, .literal(.string(author))))
  }
}

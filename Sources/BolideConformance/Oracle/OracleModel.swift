/// What a store must hold after some operations, as plain dictionaries, with the rules written the slow way.
package struct OracleModel: Sendable {
  package struct Sighting: Hashable, Sendable {
    package var hour: Int
    package var energy: Double?
    package var altitude: Double?
  }

  package struct Group: Hashable, Sendable {
    package var name: Int
    package var members: Set<Int>
  }

  /// All objects by their numbers.
  package struct State: Hashable, Sendable {
    package var sightings: [Int: Sighting] = [:]
    package var groups: [Int: Group] = [:]

    /// Sightings brighter than a limit, by number; one without an energy is not.
    package func sightings(above limit: Double) -> [Int] {
      sightings.filter { ($0.value.energy ?? -1) > limit }.map(\.key).sorted()
    }
  }

  /// A change of one object.
  package struct Change: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
      case insert, update, delete
    }

    package var kind: Kind
    package var entity: String
    package var number: Int
    package var properties: [String]
  }

  package struct Transaction: Hashable, Sendable {
    package var number: Int
    package var author: String
    package var context: String
    package var changes: [Change]

    package func count(_ kind: Change.Kind) -> Int { changes.count { $0.kind == kind } }
  }

  package private(set) var state = State()
  package private(set) var transactions: [Transaction] = []
  /// The newest transaction that was dropped from history.
  package private(set) var start = 0
  private var nextSighting = 1
  private var nextGroup = 1

  package init() {}

  package var head: Int { transactions.count }

  /// History after a transaction; `nil` where some of it was dropped.
  package func history(after number: Int) -> ArraySlice<Transaction>? {
    number < start ? nil : transactions[number...]
  }

  // MARK: Writing

  /// What a batch insert comes to.
  package struct InsertCounts: Hashable, Sendable {
    package var inserted = 0
    package var updated = 0
    package var unchanged = 0
  }

  /// Applies records one by one (rules U-3 and U-4); `nil` where the policy refuses all of them.
  package mutating func insert(
    _ records: [OracleOperation.Record], _ policy: OracleOperation.Policy, keepsAbsent: Bool
  ) -> InsertCounts? {
    var after = state
    var next = nextSighting
    var touched: Set<Int> = []
    for record in records {
      guard let (number, old) = after.sightings.first(where: { $0.value.hour == record.hour }) else {
        after.sightings[next] = Sighting(
          hour: record.hour, energy: record.energy ?? nil, altitude: record.altitude ?? nil)
        next += 1
        continue
      }
      touched.insert(number)
      switch policy {
      case .error: return nil
      case .storeTrump, .rollback: break
      case .overwrite:
        after.sightings[number] = Sighting(
          hour: record.hour, energy: record.energy ?? nil, altitude: record.altitude ?? nil)
      case .objectTrump:
        after.sightings[number] = Sighting(
          hour: record.hour, energy: record.energy ?? (keepsAbsent ? old.energy : nil),
          altitude: record.altitude ?? (keepsAbsent ? old.altitude : nil))
      }
    }
    let known = touched.filter { $0 < nextSighting }
    let updated = known.filter { state.sightings[$0] != after.sightings[$0] }.count
    let counts = InsertCounts(
      inserted: next - nextSighting, updated: updated, unchanged: known.count - updated)
    nextSighting = next
    commit(after, author: "import", context: "importer")
    return counts
  }

  /// Makes a group; its number.
  package mutating func makeGroup(_ name: Int, of members: [Int]) {
    var after = state
    after.groups[nextGroup] = Group(name: name, members: Set(members))
    nextGroup += 1
    commit(after, author: "writer", context: "writer")
  }

  /// Writes a state as one transaction; whether there was anything to write (rule U-5).
  @discardableResult
  package mutating func commit(_ after: State, author: String, context: String) -> Bool {
    let changes = Self.changes(from: state, to: after)
    state = after
    guard !changes.isEmpty else { return false }
    transactions.append(
      Transaction(number: head + 1, author: author, context: context, changes: changes))
    return true
  }

  /// Deletes a sighting from everywhere (rule R-2).
  package static func delete(_ number: Int, from state: inout State) {
    state.sightings[number] = nil
    for group in state.groups.keys { state.groups[group]?.members.remove(number) }
  }

  /// Drops history before a transaction; how much was dropped.
  package mutating func purge(before number: Int) -> Int {
    let last = min(number - 1, head)
    defer { start = max(start, last) }
    return max(0, last - start)
  }

  // MARK: History

  /// The changes from one state to another, by entity name, then number (rule H-2).
  private static func changes(from before: State, to after: State) -> [Change] {
    var changes: [Change] = []
    var memberOf: [Int: (before: Set<Int>, after: Set<Int>)] = [:]
    for (group, value) in before.groups {
      for member in value.members { memberOf[member, default: ([], [])].before.insert(group) }
    }
    for (group, value) in after.groups {
      for member in value.members { memberOf[member, default: ([], [])].after.insert(group) }
    }
    for number in Set(before.sightings.keys).union(after.sightings.keys).sorted() {
      var properties: [String] = []
      if let old = before.sightings[number], let new = after.sightings[number] {
        if old.altitude != new.altitude { properties.append("altitude") }
        if old.hour != new.hour { properties.append("dateTimeStamp") }
        if let sets = memberOf[number], sets.before != sets.after { properties.append("groups") }
        if old.energy != new.energy { properties.append("radiatedEnergy") }
      }
      append(
        "Fireball", number, before.sightings[number] != nil, after.sightings[number] != nil, properties,
        to: &changes)
    }
    for number in Set(before.groups.keys).union(after.groups.keys).sorted() {
      var properties: [String] = []
      if let old = before.groups[number], let new = after.groups[number] {
        if old.members.count != new.members.count { properties.append("fireballCount") }
        if old.members != new.members { properties.append("fireballs") }
        if old.name != new.name { properties.append("name") }
      }
      append(
        "FireballGroup", number, before.groups[number] != nil, after.groups[number] != nil, properties,
        to: &changes)
    }
    return changes
  }

  private static func append(
    _ entity: String, _ number: Int, _ was: Bool, _ isThere: Bool, _ properties: [String],
    to changes: inout [Change]
  ) {
    let kind: Change.Kind
    switch (was, isThere) {
    case (false, true): kind = .insert
    case (true, false): kind = .delete
    default:
      if properties.isEmpty { return }
      kind = .update
    }
    changes.append(Change(kind: kind, entity: entity, number: number, properties: properties))
  }
}

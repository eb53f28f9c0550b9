/// What a store must hold after some operations, as plain dictionaries, with the rules written the slow way.
package struct OracleModel: Sendable {
  package struct Sighting: Hashable, Sendable {
    package var hour: Int
    package var energy: Double?
    package var altitude: Double?
    /// Who saw it; whoever saw something cannot be deleted.
    package var observer: Int?
  }

  package struct Group: Hashable, Sendable {
    package var name: Int
    package var members: Set<Int>
    /// Who keeps it; the group stays when its keeper goes.
    package var keeper: Int?
  }

  package struct Observer: Hashable, Sendable {
    package var name: Int
  }

  /// What an observer wrote down; it goes with the observer.
  package struct Note: Hashable, Sendable {
    package var text: Int
    package var owner: Int?
  }

  /// All objects by their numbers.
  package struct State: Hashable, Sendable {
    package var sightings: [Int: Sighting] = [:]
    package var groups: [Int: Group] = [:]
    package var observers: [Int: Observer] = [:]
    package var notes: [Int: Note] = [:]

    /// Sightings brighter than a limit, by number; one without an energy is not.
    package func sightings(above limit: Double) -> [Int] {
      sightings.filter { ($0.value.energy ?? -1) > limit }.map(\.key).sorted()
    }

    /// What an observer saw.
    package func sightings(of observer: Int) -> Set<Int> {
      Set(sightings.filter { $0.value.observer == observer }.map(\.key))
    }

    /// The groups that an observer keeps.
    package func groups(keptBy observer: Int) -> Set<Int> {
      Set(groups.filter { $0.value.keeper == observer }.map(\.key))
    }

    /// What an observer wrote.
    package func notes(of observer: Int) -> Set<Int> {
      Set(notes.filter { $0.value.owner == observer }.map(\.key))
    }

    /// Deletes a sighting from everywhere (rule R-2).
    package mutating func delete(sighting number: Int) {
      sightings[number] = nil
      for group in groups.keys { groups[group]?.members.remove(number) }
    }

    /// Deletes observers with their notes (rule R-2); how many objects went, `nil` where one has seen something.
    package mutating func delete(observers numbers: [Int]) -> Int? {
      var count = 0
      for number in numbers {
        guard sightings(of: number).isEmpty else { return nil }
        observers[number] = nil
        count += 1
        for note in notes(of: number) {
          notes[note] = nil
          count += 1
        }
        for group in groups(keptBy: number) { groups[group]?.keeper = nil }
      }
      return count
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
    /// The sighting's hour, which a delete keeps.
    package var tombstone: Int?
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
  private var nextObserver = 1
  private var nextNote = 1

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
    var numbers = Dictionary(uniqueKeysWithValues: after.sightings.map { ($0.value.hour, $0.key) })
    var touched: Set<Int> = []
    for record in records {
      guard let number = numbers[record.hour], let old = after.sightings[number] else {
        numbers[record.hour] = next
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
        after.sightings[number]?.energy = record.energy ?? nil
        after.sightings[number]?.altitude = record.altitude ?? nil
      case .objectTrump:
        after.sightings[number]?.energy = record.energy ?? (keepsAbsent ? old.energy : nil)
        after.sightings[number]?.altitude = record.altitude ?? (keepsAbsent ? old.altitude : nil)
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

  /// Makes an observer, with notes.
  package mutating func makeObserver(_ name: Int, notes: Int) {
    var after = state
    after.observers[nextObserver] = Observer(name: name)
    for text in 0..<notes {
      after.notes[nextNote] = Note(text: text, owner: nextObserver)
      nextNote += 1
    }
    nextObserver += 1
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

  /// Drops history before a transaction; how much was dropped.
  package mutating func purge(before number: Int) -> Int {
    let last = min(number - 1, head)
    defer { start = max(start, last) }
    return max(0, last - start)
  }
}

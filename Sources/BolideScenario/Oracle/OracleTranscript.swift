import Bolide
import BolideConformance
import BolideStorage

/// Writes operations as a scenario whose expected texts come from the oracle's model alone.
struct OracleTranscript {
  /// A step with what it must print, and the operation that it is part of.
  private struct Step {
    var text: String
    var operation: Int
  }

  private let title: String
  private var steps: [Step] = []
  /// The operation that is being written.
  private var current = 0
  var model = OracleModel()
  /// What the reader sees while it is pinned, and the transaction at which.
  var pinned: (state: OracleModel.State, head: Int)?
  /// What the reader has merged.
  var position = 0
  /// What the consumer has merged, once it is known.
  var consumed: Int?
  var captures = 0
  /// Whether a transaction was committed that the store has not been asked about.
  private var hasRung = false

  private static let header = """
    model oracle.xml
    clock 2020-12-10T00:00:00Z
    context importer author="import"
    context writer author="writer"
    context reader

    """

  init(_ operations: [OracleOperation], title: String) {
    self.title = title
    for (index, operation) in operations.enumerated() {
      current = index
      write(operation)
    }
    step("store> check", ["consistent"])
  }

  private var head: String { "# \(title)\n" + Self.header }

  /// The scenario's text.
  var text: String { head + steps.map(\.text).joined() + OracleSchema.payload }

  var stepCount: Int { steps.count }

  /// The step that a line of the scenario belongs to.
  func step(at line: Int) -> Int? {
    var last = Self.lineCount(head)
    for (index, step) in steps.enumerated() {
      last += Self.lineCount(step.text)
      if line <= last { return index }
    }
    return nil
  }

  /// The operation that a line of the scenario belongs to.
  func operation(at line: Int) -> Int? { step(at: line).map { steps[$0].operation } }

  /// The same without a step; what the others must print stays.
  func leaving(out step: Int) -> OracleTranscript {
    var fewer = self
    fewer.steps.remove(at: step)
    return fewer
  }

  /// The same without what comes after a step.
  func ending(with step: Int) -> OracleTranscript {
    var fewer = self
    fewer.steps.removeSubrange((step + 1)...)
    return fewer
  }

  private static func lineCount(_ text: String) -> Int { text.utf8.count { $0 == UInt8(ascii: "\n") } }

  mutating func step(_ source: String, _ expected: [String]? = nil) {
    var lines = source + "\n"
    if let expected { lines += "----\n" + expected.map { $0 + "\n" }.joined() + "\n" }
    steps.append(Step(text: lines, operation: current))
  }

  // MARK: Operations

  private mutating func write(_ operation: OracleOperation) {
    let head = model.head
    defer { if model.head > head { hasRung = true } }
    switch operation {
    case .batchInsert(let records, let policy, let keepsAbsent):
      batchInsert(records, policy, keepsAbsent: keepsAbsent)
    case .batchUpdate(let altitude, let limit): batchUpdate(altitude, above: limit)
    case .batchDelete(let limit):
      var after = model.state
      let gone = after.sightings(above: limit)
      for number in gone { after.delete(sighting: number) }
      let wrote = model.commit(after, author: "import", context: "importer")
      step(
        "importer> batch-delete Fireball where radiatedEnergy > \(limit)",
        ["deleted \(gone.count)", transaction(wrote, "import")])
    case .makeGroup(let name, let limit): makeGroup(name, above: limit)
    case .rename(let pick, let name):
      edit(group: pick) {
        $0.name = name
      } as: { number, isChanged in
        ("set FireballGroup#\(number) name=\"group \(name)\"", Self.changed(isChanged))
      }
    case .set(let pick, let altitude):
      guard let number = Self.pick(pick, model.state.sightings) else { return }
      var after = model.state
      after.sightings[number]?.altitude = altitude
      step("writer> reset")
      step(
        "writer> set Fireball#\(number) altitude=\(Self.text(altitude))",
        [Self.changed(after != model.state)])
      save(after)
    case .swapKeys(let one, let other): swapKeys(one, other)
    case .delete(let pick):
      guard let number = Self.pick(pick, model.state.sightings) else { return }
      var after = model.state
      after.delete(sighting: number)
      step("writer> reset")
      step("writer> delete Fireball#\(number)", ["deleted 1"])
      save(after)
    case .deleteGroup(let pick):
      guard let number = Self.pick(pick, model.state.groups) else { return }
      var after = model.state
      after.groups[number] = nil
      step("writer> reset")
      step("writer> delete FireballGroup#\(number)", ["deleted 1"])
      save(after)
    case .members(let member, let pick, let limit): members(member, group: pick, above: limit)
    case .fetch(let descending, let limit): fetch(descending: descending, limit: limit)
    case .makeObserver, .see, .keep, .hand, .deleteNote, .deleteObserver, .batchDeleteObservers:
      writeObservers(operation)
    case .fetchGroups, .fetchObservers, .fetchNotes: fetchAll(operation)
    case .history(let back): history(after: max(0, model.head - back))
    case .purge(let kept):
      let limit = max(1, model.head - kept)
      step("store> purge before=\(limit)", ["purged \(model.purge(before: limit))"])
    case .purgeConsumed:
      step("store> purge consumed", ["purged \(consumed.map { model.purge(before: $0 + 1) } ?? 0)"])
    case .pin, .unpin, .look, .merge, .mergeConsumer: read(operation)
    case .reopen, .crash:
      step(operation == .reopen ? "store> reopen" : "store> crash", ["ok"])
      pinned = nil
      position = model.head
    case .check: step("store> check", ["consistent"])
    // Too long to predict: all stores must print the same.
    case .dump: step("store> dump")
    case .signals:
      step("store> signals", [hasRung ? "signalled up to \(model.head)" : "no signal"])
      hasRung = false
    }
  }

  private mutating func batchInsert(
    _ records: [OracleOperation.Record], _ policy: OracleOperation.Policy, keepsAbsent: Bool
  ) {
    var source = "importer> batch-insert Fireball policy=\(policy.rawValue)"
    if !keepsAbsent { source += " absent=default" }
    for record in records {
      source += "\n  dateTimeStamp=\(Self.date(record.hour))"
      if let energy = record.energy { source += " radiatedEnergy=\(Self.text(energy))" }
      if let altitude = record.altitude { source += " altitude=\(Self.text(altitude))" }
    }
    let head = model.head
    guard let counts = model.insert(records, policy, keepsAbsent: keepsAbsent) else {
      return step(source, ["error conflict.unique"])
    }
    step(
      source,
      [
        "inserted \(counts.inserted)  updated \(counts.updated)  unchanged \(counts.unchanged)",
        transaction(model.head > head, "import"),
      ])
  }

  private mutating func batchUpdate(_ altitude: Double?, above limit: Double) {
    var after = model.state
    let numbers = after.sightings(above: limit)
    for number in numbers { after.sightings[number]?.altitude = altitude }
    let changed = numbers.count { after.sightings[$0] != model.state.sightings[$0] }
    let wrote = model.commit(after, author: "import", context: "importer")
    step(
      "importer> batch-update Fireball altitude=\(Self.text(altitude)) where radiatedEnergy > \(limit)",
      ["updated \(changed)  unchanged \(numbers.count - changed)", transaction(wrote, "import")])
  }

  private mutating func makeGroup(_ name: Int, above limit: Double) {
    let members = model.state.sightings(above: limit)
    captures += 1
    step("writer> reset")
    step("writer> $g\(captures) = insert FireballGroup name=\"group \(name)\"")
    step(
      "writer> add $g\(captures).fireballs Fireball{radiatedEnergy > \(limit)}",
      ["added \(members.count)  removed 0"])
    model.makeGroup(name, of: members)
    step("writer> save", ["inserted 1  updated \(members.count)  deleted 0", transaction(true, "writer")])
  }

  private mutating func swapKeys(_ one: Int, _ other: Int) {
    guard let first = Self.pick(one, model.state.sightings),
      let second = Self.pick(other, model.state.sightings),
      let hour = model.state.sightings[first]?.hour, let otherHour = model.state.sightings[second]?.hour,
      first != second
    else { return }
    var after = model.state
    after.sightings[first]?.hour = otherHour
    after.sightings[second]?.hour = hour
    step("writer> reset")
    step("writer> set Fireball#\(first) dateTimeStamp=\(Self.date(otherHour))", ["changed 1  unchanged 0"])
    step("writer> set Fireball#\(second) dateTimeStamp=\(Self.date(hour))", ["changed 1  unchanged 0"])
    save(after)
  }

  private mutating func members(_ member: OracleOperation.Member, group pick: Int, above limit: Double) {
    guard let number = Self.pick(pick, model.state.groups), let old = model.state.groups[number]?.members
    else { return }
    let chosen = Set(model.state.sightings(above: limit))
    let new =
      switch member {
      case .add: old.union(chosen)
      case .remove: old.subtracting(chosen)
      case .replace: chosen
      }
    edit(group: pick) {
      $0.members = new
    } as: { number, _ in
      (
        "\(member.rawValue) FireballGroup#\(number).fireballs Fireball{radiatedEnergy > \(limit)}",
        "added \(new.subtracting(old).count)  removed \(old.subtracting(new).count)"
      )
    }
  }

  /// Changes a group with one step and saves.
  mutating func edit(
    group pick: Int, _ change: (inout OracleModel.Group) -> Void,
    as source: (_ number: Int, _ isChanged: Bool) -> (String, String)
  ) {
    guard let number = Self.pick(pick, model.state.groups), var group = model.state.groups[number] else {
      return
    }
    change(&group)
    let (text, expected) = source(number, group != model.state.groups[number])
    var after = model.state
    after.groups[number] = group
    step("writer> reset")
    step("writer> " + text, [expected])
    save(after)
  }

  mutating func save(_ after: OracleModel.State) {
    guard model.commit(after, author: "writer", context: "writer"), let written = model.transactions.last
    else {
      return step("writer> save", ["nothing to save"])
    }
    step("writer> save", [Self.counts(written), transaction(true, "writer")])
  }

  // MARK: Texts

  func transaction(_ wrote: Bool, _ author: String) -> String {
    wrote ? "transaction \(model.head)  author \"\(author)\"" : "no transaction"
  }

  static func counts(_ transaction: OracleModel.Transaction) -> String {
    "inserted \(transaction.count(.insert))  updated \(transaction.count(.update))  "
      + "deleted \(transaction.count(.delete))"
  }

  static func changed(_ isChanged: Bool) -> String {
    isChanged ? "changed 1  unchanged 0" : "changed 0  unchanged 1"
  }

  static func text(_ value: Double?) -> String { value.map { "\($0)" } ?? "null" }

  static func set(_ entity: String, _ members: Set<Int>) -> String {
    "{" + members.sorted().map { "\(entity)#\($0)" }.joined(separator: ", ") + "}"
  }

  /// A reference to an observer, or none.
  static func observer(_ number: Int?) -> String { number.map { "Observer#\($0)" } ?? "null" }

  static func date(_ hour: Int) -> String {
    let (day, time) = (String(100 + 1 + hour / 24).dropFirst(), String(100 + hour % 24).dropFirst())
    return "2020-10-\(day)T\(time):00:00Z"
  }

  static func pick<Value>(_ place: Int, _ objects: [Int: Value]) -> Int? {
    objects.isEmpty ? nil : objects.keys.sorted()[place % objects.count]
  }
}

import Bolide
import BolideConformance
import BolideStorage

extension OracleTranscript {
  mutating func fetch(descending: Bool, limit: Int) {
    let rows = model.state.sightings.sorted { left, right in
      // Nil is lowest; ties are broken by number in the direction of the term (rule V-4).
      let (a, b) = (left.value.energy ?? -1, right.value.energy ?? -1)
      let isBefore = a == b ? left.key < right.key : a < b
      return descending ? !isBefore : isBefore
    }.prefix(limit)
    let lines = rows.map { "Fireball#\($0.key)  \(Self.date($0.value.hour))  \(Self.text($0.value.energy))" }
    step("writer> reset")
    step(
      "writer> fetch Fireball columns=dateTimeStamp,radiatedEnergy "
        + "sort=\(descending ? "-" : "")radiatedEnergy limit=\(limit)",
      lines + ["\(lines.count) rows"])
  }

  mutating func history(after number: Int) {
    guard let transactions = model.history(after: number) else {
      return step("reader> history after=\(number)", ["error history.token-expired"])
    }
    var lines: [String] = []
    for transaction in transactions {
      lines.append(
        "transaction \(transaction.number)  2020-12-10T00:00:00Z  author \"\(transaction.author)\"  "
          + "context \"\(transaction.context)\"")
      for change in transaction.changes {
        let properties = change.kind == .update ? "  " + change.properties.joined(separator: ",") : ""
        let kept = change.tombstone.map { "  dateTimeStamp \(Self.date($0))" } ?? ""
        lines.append("  \(change.kind.rawValue) \(change.entity)#\(change.number)\(properties)\(kept)")
      }
    }
    let changes = transactions.reduce(0) { $0 + $1.changes.count }
    step(
      "reader> history after=\(number)", lines + ["\(transactions.count) transactions  \(changes) changes"])
  }

  mutating func read(_ operation: OracleOperation) {
    switch operation {
    case .pin:
      step("reader> pin", ["pinned at \(model.head)"])
      pinned = (model.state, model.head)
    case .unpin:
      step("reader> unpin", ["unpinned"])
      pinned = nil
    case .merge, .mergeConsumer:
      let source = operation == .merge ? "reader> merge" : "reader> merge consumer=watch"
      if operation == .mergeConsumer { consumed = consumed ?? model.start }
      let begin = operation == .mergeConsumer ? consumed ?? 0 : position
      guard let transactions = model.history(after: begin) else {
        return step(source, ["error history.token-expired"])
      }
      let lines = transactions.map {
        "transaction \($0.number)  author \"\($0.author)\"  \(Self.counts($0))"
      }
      position = model.head
      if operation == .mergeConsumer { consumed = position }
      if let pin = pinned, pin.head < model.head { pinned = (model.state, model.head) }
      step(source, lines + ["position \(position)"])
    default:
      // An unpinned context shows what it has read until it is told of changes; a pinned one is never told.
      if pinned == nil { step("reader> reset") }
      let lines = (pinned?.state ?? model.state).sightings.sorted { $0.key < $1.key }.map {
        number, sighting in
        "Fireball#\(number)  \(Self.text(sighting.energy))  \(Self.text(sighting.altitude))  "
          + Self.observer(sighting.observer)
      }
      step("reader> fetch Fireball columns=radiatedEnergy,altitude,observer", lines + ["\(lines.count) rows"])
    }
  }

  /// Shows all groups, observers or notes.
  mutating func fetchAll(_ operation: OracleOperation) {
    let state = model.state
    let (source, lines): (String, [String])
    switch operation {
    case .fetchGroups:
      source = "FireballGroup columns=name,fireballCount,fireballs,keeper"
      lines = state.groups.sorted { $0.key < $1.key }.map { number, group in
        "FireballGroup#\(number)  \"group \(group.name)\"  \(group.members.count)  "
          + "\(Self.set("Fireball", group.members))  \(Self.observer(group.keeper))"
      }
    case .fetchObservers:
      source = "Observer columns=name,noteCount,notes,sightings,groups"
      lines = state.observers.sorted { $0.key < $1.key }.map { number, observer in
        let notes = state.notes(of: number)
        return
          "Observer#\(number)  \"observer \(observer.name)\"  \(notes.count)  \(Self.set("Note", notes))  "
          + "\(Self.set("Fireball", state.sightings(of: number)))  "
          + Self.set("FireballGroup", state.groups(keptBy: number))
      }
    default:
      source = "Note columns=text,owner"
      lines = state.notes.sorted { $0.key < $1.key }.map { number, note in
        "Note#\(number)  \"note \(note.text)\"  \(Self.observer(note.owner))"
      }
    }
    step("writer> reset")
    step("writer> fetch \(source)", lines + ["\(lines.count) rows"])
  }
}

extension OracleModel {
  /// The changes from one state to another, by entity name, then number (rule H-2).
  static func changes(from before: State, to after: State) -> [Change] {
    var list = ChangeList()
    let (groupsBefore, groupsAfter) = (before.groupsOfMembers, after.groupsOfMembers)
    list.add("Fireball", before.sightings, after.sightings, tombstone: \.hour) { number, old, new in
      [
        ("altitude", old.altitude != new.altitude), ("dateTimeStamp", old.hour != new.hour),
        ("groups", groupsBefore[number] != groupsAfter[number]), ("observer", old.observer != new.observer),
        ("radiatedEnergy", old.energy != new.energy),
      ]
    }
    list.add("FireballGroup", before.groups, after.groups) { _, old, new in
      [
        ("fireballCount", old.members.count != new.members.count), ("fireballs", old.members != new.members),
        ("keeper", old.keeper != new.keeper), ("name", old.name != new.name),
      ]
    }
    list.add("Note", before.notes, after.notes) { _, old, new in
      [("owner", old.owner != new.owner), ("text", old.text != new.text)]
    }
    list.add("Observer", before.observers, after.observers) { number, old, new in
      let (notes, newNotes) = (before.notes(of: number), after.notes(of: number))
      return [
        ("groups", before.groups(keptBy: number) != after.groups(keptBy: number)),
        ("name", old.name != new.name),
        ("noteCount", notes.count != newNotes.count), ("notes", notes != newNotes),
        ("sightings", before.sightings(of: number) != after.sightings(of: number)),
      ]
    }
    return list.changes
  }

  private struct ChangeList {
    var changes: [Change] = []

    mutating func add<Object: Equatable>(
      _ entity: String, _ before: [Int: Object], _ after: [Int: Object], tombstone: ((Object) -> Int)? = nil,
      properties: (_ number: Int, _ old: Object, _ new: Object) -> [(name: String, isChanged: Bool)]
    ) {
      for number in Set(before.keys).union(after.keys).sorted() {
        switch (before[number], after[number]) {
        case (let old?, let new?):
          let names = properties(number, old, new).filter(\.isChanged).map(\.name)
          if names.isEmpty { continue }
          changes.append(Change(kind: .update, entity: entity, number: number, properties: names))
        case (nil, .some):
          changes.append(Change(kind: .insert, entity: entity, number: number, properties: []))
        case (let old?, nil):
          changes.append(
            Change(
              kind: .delete, entity: entity, number: number, properties: [], tombstone: tombstone?(old)))
        case (nil, nil): continue
        }
      }
    }
  }
}

extension OracleModel.State {
  /// The groups of each sighting that is in one.
  fileprivate var groupsOfMembers: [Int: Set<Int>] {
    var result: [Int: Set<Int>] = [:]
    for (number, group) in groups {
      for member in group.members { result[member, default: []].insert(number) }
    }
    return result
  }
}

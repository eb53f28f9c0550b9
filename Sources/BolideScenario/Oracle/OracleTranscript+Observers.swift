import BolideConformance

/// Observers: to-ones, and each delete rule.
extension OracleTranscript {
  mutating func writeObservers(_ operation: OracleOperation) {
    switch operation {
    case .makeObserver(let name, let notes): makeObserver(name, notes: notes)
    case .see(let pick, let observer):
      guard let number = Self.pick(pick, model.state.sightings) else { return }
      let seer = observer.flatMap { Self.pick($0, model.state.observers) }
      refer("Fireball#\(number) observer", to: seer) { $0.sightings[number]?.observer = seer }
    case .keep(let pick, let observer):
      guard let number = Self.pick(pick, model.state.groups) else { return }
      let keeper = observer.flatMap { Self.pick($0, model.state.observers) }
      refer("FireballGroup#\(number) keeper", to: keeper) { $0.groups[number]?.keeper = keeper }
    case .hand(let pick, let observer):
      guard let number = Self.pick(pick, model.state.notes) else { return }
      let owner = observer.flatMap { Self.pick($0, model.state.observers) }
      refer("Note#\(number) owner", to: owner) { $0.notes[number]?.owner = owner }
    case .deleteNote(let pick):
      guard let number = Self.pick(pick, model.state.notes) else { return }
      var after = model.state
      after.notes[number] = nil
      step("writer> reset")
      step("writer> delete Note#\(number)", ["deleted 1"])
      save(after)
    case .deleteObserver(let pick):
      guard let number = Self.pick(pick, model.state.observers) else { return }
      var after = model.state
      let isAllowed = after.delete(observers: [number]) != nil
      step("writer> reset")
      step("writer> delete Observer#\(number)", ["deleted 1"])
      if isAllowed { save(after) } else { step("writer> save", ["error validation.denied"]) }
    case .batchDeleteObservers(let name): batchDelete(named: name)
    default: return
    }
  }

  private mutating func makeObserver(_ name: Int, notes: Int) {
    captures += 1
    step("writer> reset")
    step("writer> $o\(captures) = insert Observer name=\"observer \(name)\"")
    for text in 0..<notes { step("writer> insert Note text=\"note \(text)\" owner=$o\(captures)") }
    model.makeObserver(name, notes: notes)
    step("writer> save", ["inserted \(1 + notes)  updated 0  deleted 0", transaction(true, "writer")])
  }

  /// Sets a to-one and saves.
  private mutating func refer(
    _ property: String, to observer: Int?, _ change: (inout OracleModel.State) -> Void
  ) {
    var after = model.state
    change(&after)
    let words = property.split(separator: " ")
    step("writer> reset")
    step(
      "writer> set \(words[0]) \(words[1])=\(Self.observer(observer))", [Self.changed(after != model.state)])
    save(after)
  }

  private mutating func batchDelete(named name: Int) {
    let numbers = model.state.observers.filter { $0.value.name == name }.keys.sorted()
    let source = "importer> batch-delete Observer where name == \"observer \(name)\""
    var after = model.state
    guard let count = after.delete(observers: numbers) else {
      return step(source, ["error validation.denied"])
    }
    let wrote = model.commit(after, author: "import", context: "importer")
    step(source, ["deleted \(count)", transaction(wrote, "import")])
  }
}

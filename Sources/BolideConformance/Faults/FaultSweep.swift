import Bolide
import BolideStorage
import Foundation

/// Makes each call of an operation fail, one at a time and in each way, and checks that what is stored stays whole (rules
/// S-1, S-2).
package struct FaultSweep {
  /// What is done while calls fail.
  package enum Operation: String, Hashable, Sendable, CaseIterable {
    case making = "make"
    case opening = "open"
    case closing = "close"
    case importing = "import"
    case save
    case batchUpdate = "batch update"
    case batchDelete = "batch delete"
    case purge
  }

  private let backend: any Backend
  private let makePlace: () throws -> Location
  /// Whether the store is closed and opened anew after each failure; else it is looked at by another opening.
  private let reopens: Bool

  /// - Parameter makePlace: gives a free location for a store.
  package init(_ backend: any Backend, reopens: Bool, makePlace: @escaping () throws -> Location) {
    self.backend = backend
    self.makePlace = makePlace
    self.reopens = reopens
  }

  /// How many calls were made to fail.
  ///
  /// - Throws: a ``ConformanceFailure`` where something was lost, was there in part, or failed without its error.
  package func run(_ operation: Operation, with fault: Fault) throws -> Int {
    let label = "\(operation.rawValue), \(fault.rawValue)"
    let points =
      switch operation {
      case .making: try makings(fault, label)
      case .opening, .closing: try openings(operation, fault, label)
      case .importing, .save, .batchUpdate, .batchDelete, .purge: try writes(operation, fault, label)
      }
    return points
  }

  /// Counts up until nothing is left that could fail.
  private func count(_ label: String, _ attempt: (Int, String) throws -> Bool) throws -> Int {
    for point in 0..<5_000 where try !attempt(point, "\(label), call \(point)") { return point }
    throw ConformanceFailure("\(label): never ends")
  }

  private func open(_ backend: any Backend, _ place: Location) throws -> PersistentContainer {
    try PersistentContainer(RuleModel.watch, at: StoreLocation(backend, place), options: .suite())
  }

  /// Looks at a store through an opening of its own, and has it checked.
  private func look(at place: Location, _ label: String) throws -> [String] {
    let container = try open(backend, place)
    let lines = try container.dumpLines()
    try checkEqual(try container.check(), [], "\(label): problems")
    try container.close()
    return lines
  }

  /// Runs what may fail; the call that did, and whether that was told.
  private func attempt(
    _ breaker: CallBreaker, _ point: Int, _ fault: Fault, _ label: String, _ body: () throws -> Void
  ) throws -> (call: StoreCall?, isTold: Bool) {
    breaker.arm(after: point, with: fault)
    do {
      try body()
      return (breaker.disarm(), false)
    } catch let error as BolideError {
      let call = try checkPresent(breaker.disarm(), "\(label): the call behind the error \(error)")
      try checkEqual(error.code, fault.error.code, "\(label): the error of a failed \(call.rawValue)")
      return (call, true)
    }
  }

  // MARK: Making, opening, closing

  private func makings(_ fault: Fault, _ label: String) throws -> Int {
    try count(label) { point, label in
      let place = try makePlace()
      let breaker = CallBreaker()
      let broken = ForwardingBackend(backend, breaker.wrapping)
      var made: PersistentContainer?
      let outcome = try attempt(breaker, point, fault, label) { made = try open(broken, place) }
      try made?.close()
      let container = try open(backend, place)
      try checkEqual(try container.currentToken().number, 0, "\(label): transactions of a new store")
      try checkEqual(try container.check(), [], "\(label): problems")
      try container.close()
      return outcome.call != nil
    }
  }

  private func openings(_ operation: Operation, _ fault: Fault, _ label: String) throws -> Int {
    let place = try makePlace()
    let container = try open(backend, place)
    try container.importRecords([1, 2, 3].map { sighting($0) })
    try container.makeGroup("A", of: [1, 2])
    try container.close()
    let dump = try look(at: place, label)
    let breaker = CallBreaker()
    let broken = ForwardingBackend(backend, breaker.wrapping)
    return try count(label) { point, label in
      var opened: PersistentContainer?
      let outcome: (call: StoreCall?, isTold: Bool)
      if operation == .opening {
        outcome = try attempt(breaker, point, fault, label) {
          opened = try open(broken, place)
          _ = try opened?.numbers()
        }
        try opened?.close()
      } else {
        let container = try open(broken, place)
        _ = try container.numbers()
        outcome = try attempt(breaker, point, fault, label) { try container.close() }
        // What could not be closed can be closed again.
        if outcome.isTold { try container.close() }
      }
      try checkEqual(try look(at: place, label), dump, "\(label): the store")
      return outcome.call != nil
    }
  }

  // MARK: Writes

  private func writes(_ operation: Operation, _ fault: Fault, _ label: String) throws -> Int {
    let place = try makePlace()
    let breaker = CallBreaker()
    let broken = ForwardingBackend(backend, breaker.wrapping)
    var container = try open(broken, place)
    try container.importRecords((1...6).map { sighting(Double($0)) })
    try container.makeGroup("A", of: [1, 2, 3])
    let points = try count(label) { point, label in
      try prepare(operation, container)
      let before = try container.dumpLines()
      let outcome = try attempt(breaker, point, fault, label) { try write(operation, point, container) }
      if reopens { try container.close() }
      let after = try look(at: place, label)
      if outcome.isTold {
        try checkEqual(after, before, "\(label): what is left of a write that failed")
      } else {
        try check(after != before, "\(label): a write that was told to be done is not there")
      }
      if reopens { container = try open(broken, place) }
      return outcome.call != nil
    }
    try container.close()
    return points
  }

  /// Brings back what an earlier round took away.
  private func prepare(_ operation: Operation, _ container: PersistentContainer) throws {
    switch operation {
    case .save, .batchDelete:
      try container.importRecords([7, 8].map { sighting($0) })
    case .purge:
      for name in ["B", "C"] {
        let context = container.newContext(author: "user")
        try context.group("A").setValue(.string(name), for: "name")
        try context.save()
        try context.group(name).setValue(.string("A"), for: "name")
        try context.save()
      }
    case .making, .opening, .closing, .importing, .batchUpdate: break
    }
  }

  /// Writes what differs from round to round.
  private func write(_ operation: Operation, _ round: Int, _ container: PersistentContainer) throws {
    let context = container.newContext(author: "user")
    switch operation {
    case .importing:
      try container.importRecords(
        [2, 3, 100 + Double(round)].map { sighting($0, energy: Double(round + 1)) })
    case .save:
      let group = try context.group("A")
      try group.replaceObjects(
        try context.sightings(round.isMultiple(of: 2) ? [2, 7] : [1, 3]), for: "fireballs")
      try context.sightings([4])[0].setValue(.string("round \(round)"), for: "note")
      context.delete(try context.sightings([8])[0])
      try context.insert("Group").setValue(.string("round \(round)"), for: "name")
      try context.save()
    case .batchUpdate:
      _ = try context.execute(
        BatchUpdateRequest(entity: "Fireball", values: ["note": .string("round \(round)")]))
    case .batchDelete:
      _ = try context.execute(
        BatchDeleteRequest(ids: try context.sightings([7, 8]).map(\.objectID)))
    case .purge:
      try container.purgeHistory(before: .token(try container.currentToken()))
    case .making, .opening, .closing: break
    }
  }
}

import Bolide
import BolideStorage
import CComparators

/// A list of all rows in order of magnitude that follows what another context saves.
final class FollowedList {
  private let container: PersistentContainer
  private let view: ManagedObjectContext
  private let editor: ManagedObjectContext
  private let controller: FetchedResultsController<Quake>

  init(_ container: PersistentContainer) throws {
    self.container = container
    view = container.newContext(author: "view")
    editor = container.newContext(author: "editor")
    controller = FetchedResultsController(
      FetchRequest<Quake>(entity: Quake.entityName, sort: [SortTerm("magnitude")]), in: view)
    try controller.performFetch()
  }

  /// Saves the moves in another context, untimed, and lets the list follow.
  func follow(_ moves: [Work.Move]) throws -> Timing {
    for move in moves {
      let id = ManagedObjectID(
        storeID: container.storeID, entityName: Quake.entityName, number: Number(move.number))
      guard let quake = try editor.existingObject(with: id) as? Quake else {
        throw BenchmarkFailure("row \(move.number) is no quake")
      }
      quake.magnitude = move.magnitude
    }
    let head = try container.currentToken()
    try editor.save()
    let transactions = try container.history(PersistentHistoryRequest(after: .token(head))).transactions
    let start = cmp_start()
    for transaction in transactions { try view.mergeChanges(from: transaction) }
    let seconds = cmp_stop(start)
    var hash: UInt64 = 0
    for id in controller.objectIDs { hash = cmp_mix(hash, UInt64(id.number)) }
    return Timing(
      seconds: seconds, rows: moves.count, checksum: hash, comparisons: controller.lastWork.comparisons,
      rowsRead: controller.lastWork.rowsRead)
  }
}

extension BolideSide {
  func beginFollowing() throws { list = try FollowedList(container) }

  func follow(_ moves: [Work.Move]) throws -> Timing {
    guard let list else { throw BenchmarkFailure("nothing is followed") }
    return try list.follow(moves)
  }
}

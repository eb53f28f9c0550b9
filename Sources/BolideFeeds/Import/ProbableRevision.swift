import Bolide
import BolideStorage

/// A sighting that was there and one that is new, which are probably one event whose time was revised.
///
/// The fireball service corrects the times that sightings are keyed by, so an import shows a corrected event
/// twice. Distinct events are many minutes apart; a pair this close is named, and left as it is.
public struct ProbableRevision: Hashable, Sendable, CustomStringConvertible {
  /// How far a time is moved at most, in seconds.
  static let reach = 240.0
  /// Above this many objects the pairs are not looked for.
  static let objectLimit = 200_000

  /// The object that was there and that the document does not list.
  public let stored: ManagedObjectID
  /// The object that is new.
  public let inserted: ManagedObjectID
  /// How many seconds later the new time is.
  public let seconds: Double

  /// `Fireball#1 -> Fireball#6  -1.0 s`.
  public var description: String { "\(stored) -> \(inserted)  \(seconds) s" }
}

extension ProbableRevision {
  /// An object and its date.
  private struct Sighting {
    var date: Double
    var number: Number
    var isNew: Bool
  }

  /// Finds the pairs after an import: each new sighting with the nearest stored one that the document lacks.
  static func find(
    after result: BatchInsertResult, in entity: EntityMap, of coordinator: StoreCoordinator
  ) throws -> [ProbableRevision] {
    guard let column = entity.find("dateTimeStamp")?.column, !result.inserted.isEmpty else { return [] }
    let new = Set(result.inserted.lazy.map(\.number))
    let listed = Set(result.updated.lazy.map(\.number)).union(result.unchanged.lazy.map(\.number))
    var sightings: [Sighting] = []
    try coordinator.read { reader in
      let scan = EntityScan(map: coordinator.map, reader: reader, entity: entity, condition: nil)
      try scan.forEach(columns: ColumnSet([column])) { row, number in
        if row.isNil(column) || listed.contains(number) { return }
        sightings.append(
          Sighting(date: row.double(column), number: number, isNew: new.contains(number)))
      }
    }
    sightings.sort { ($0.date, $0.number) < ($1.date, $1.number) }
    return pairs(sightings).map { stored, inserted in
      func id(_ sighting: Sighting) -> ManagedObjectID {
        ManagedObjectID(storeID: coordinator.storeID, entityName: entity.name, number: sighting.number)
      }
      return ProbableRevision(
        stored: id(stored), inserted: id(inserted), seconds: inserted.date - stored.date)
    }
  }

  /// Pairs of neighbors in time, the closest first, each sighting once; in the order of the new dates.
  private static func pairs(_ sightings: [Sighting]) -> [(stored: Sighting, inserted: Sighting)] {
    var candidates: [(stored: Int, inserted: Int, distance: Double)] = []
    func addPairs(_ indices: some Sequence<Int>) {
      var stored: Int?
      for index in indices {
        guard sightings[index].isNew else {
          stored = index
          continue
        }
        guard let stored else { continue }
        let distance = abs(sightings[stored].date - sightings[index].date)
        if distance <= reach { candidates.append((stored, index, distance)) }
      }
    }
    // Once each way, so that the nearest stored one on either side is at hand.
    addPairs(sightings.indices)
    addPairs(sightings.indices.reversed())
    candidates.sort { ($0.distance, $0.inserted, $0.stored) < ($1.distance, $1.inserted, $1.stored) }
    var taken: Set<Int> = []
    var pairs: [(stored: Int, inserted: Int)] = []
    for candidate in candidates
    where !taken.contains(candidate.stored) && !taken.contains(candidate.inserted) {
      taken.formUnion([candidate.stored, candidate.inserted])
      pairs.append((candidate.stored, candidate.inserted))
    }
    return pairs.sorted { $0.inserted < $1.inserted }.map { (sightings[$0.stored], sightings[$0.inserted]) }
  }
}

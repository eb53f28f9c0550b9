import BolideStorage
import Foundation

/// The identity of an object: its store, its entity and a number that is never given out twice (rule U-1).
///
/// Before an object is saved its id is temporary: its number is negative and means something only to its context; no two
/// contexts give the same.
public struct ManagedObjectID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The id of the store.
  public let storeID: UUID
  /// The name of the entity.
  public let entityName: String
  /// The number within the root entity; negative while temporary.
  public let number: Number

  package init(storeID: UUID, entityName: String, number: Number) {
    self.storeID = storeID
    self.entityName = entityName
    self.number = number
  }

  /// Reads the form that ``uri`` has; `nil` for anything else.
  public init?(uri: String) {
    let parts = uri.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0] == "bolide:", parts[1].isEmpty,
      let storeID = UUID(uuidString: String(parts[2])),
      !parts[3].isEmpty, let number = Number(parts[4]), number > 0
    else { return nil }
    self.init(storeID: storeID, entityName: String(parts[3]), number: number)
  }

  /// Hashes the number alone: objects of several entities or stores with one number are rare, and texts are slow to hash.
  public func hash(into hasher: inout Hasher) { hasher.combine(number) }

  /// Whether the object was not saved yet.
  public var isTemporary: Bool { number < 0 }

  /// `bolide://<store-uuid>/<Entity>/<number>`.
  public var uri: String { "bolide://\(storeID.uuidString.lowercased())/\(entityName)/\(number)" }

  /// `Entity#number`, or `Entity#newN` while temporary.
  public var description: String {
    isTemporary ? "\(entityName)#new\(-number & 0xFFFF_FFFF)" : "\(entityName)#\(number)"
  }

  /// What the temporary numbers of a context follow: contexts of one process differ in the bits above the lowest 32.
  static func firstTemporary(of serial: Int64) -> Number { (serial & 0xFFF_FFFF) << 32 }

  /// Orders by entity name, then number: the order inside a transaction (rule H-2).
  public static func < (left: ManagedObjectID, right: ManagedObjectID) -> Bool {
    (left.entityName, left.number) < (right.entityName, right.number)
  }
}

/// Ids of objects as ranges of numbers: what a batch request reports, small whatever its size.
///
/// Ids are ordered by entity name, then number.
public struct ManagedObjectIDs: RandomAccessCollection, Sendable {
  private struct Run: Sendable {
    var entityName: String
    var range: ClosedRange<Number>
    var start: Int
  }

  private let storeID: UUID
  private var runs: [Run] = []
  /// How many ids there are.
  public private(set) var endIndex = 0
  /// Always zero.
  public var startIndex: Int { 0 }

  package init(storeID: UUID, _ sets: [(entityName: String, numbers: NumberSet)] = []) {
    self.storeID = storeID
    for (name, numbers) in sets.sorted(by: { $0.entityName < $1.entityName }) {
      for range in numbers.ranges {
        runs.append(Run(entityName: name, range: range, start: endIndex))
        endIndex += range.count
      }
    }
  }

  /// The id at a position.
  public subscript(position: Int) -> ManagedObjectID {
    precondition(position >= 0 && position < endIndex, "position \(position) is outside 0..<\(endIndex)")
    let run = runs[runs.partition { $0.start <= position } - 1]
    return ManagedObjectID(
      storeID: storeID, entityName: run.entityName,
      number: run.range.lowerBound + Number(position - run.start))
  }
}

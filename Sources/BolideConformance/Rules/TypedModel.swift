import Bolide
import BolideStorage
import Foundation

/// The watch model as classes, as users write it.
final class TypedFireball: ManagedObject {
  override class var entityName: String { "Fireball" }

  @Attribute(.unique, .preservedOnDeletion) var time: Date
  @Attribute var energy: Double?
  @Attribute var place: String?
  @Attribute var isFavorite = false
  @Relationship var groups: ToMany<TypedGroup>
}

final class TypedGroup: ManagedObject {
  override class var entityName: String { "Group" }

  @Attribute var name = ""
  @Relationship(inverse: \TypedFireball.groups) var fireballs: ToMany<TypedFireball>
  @Derived("fireballs.@count") var size: Int64
}

/// A base that is no entity: what it declares is in each entity that has it.
class TypedRecord: ManagedObject {
  @Attribute var created = Date.now
  @Attribute(.unique) var serial = UUID()
}

class TypedAnimal: TypedRecord {
  @Attribute var name = ""
  @Attribute var note = ""
  @Relationship var keeper: TypedKeeper?
}

final class TypedDog: TypedAnimal {
  @Attribute var breed: TypedBreed?
}

final class TypedKeeper: TypedRecord {
  @Attribute var age = 0
  @Attribute var due: Date?
  @Relationship(inverse: \TypedDog.keeper) var animals: ToMany<TypedAnimal>
}

/// A type of the program's own, which is not stored as its raw value.
enum TypedBreed: String, AttributeValue, Codable {
  case pug, collie

  static var valueType: ValueType { .int64 }
  static var placeholder: TypedBreed { .pug }
  init?(_ value: Value) {
    guard case .int(let number) = value else { return nil }
    self = number == 1 ? .pug : .collie
  }
  var storedValue: Value { .int(self == .pug ? 1 : 2) }
}

extension TypedAnimal {
  static let model = Schema(TypedAnimal.self, TypedDog.self, TypedKeeper.self)
}

extension TypedFireball {
  static let model = Schema(TypedFireball.self, TypedGroup.self)

  /// What a feed's record has.
  struct Sighting: Sendable {
    var time: Double
    var energy: Double?
  }
}

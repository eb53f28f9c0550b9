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

extension TypedFireball {
  static let model = Schema(TypedFireball.self, TypedGroup.self)

  /// What a feed's record has.
  struct Sighting: Sendable {
    var time: Double
    var energy: Double?
  }
}

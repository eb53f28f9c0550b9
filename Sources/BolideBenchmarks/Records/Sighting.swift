import Bolide
import CComparators
import Foundation

/// A sighting that is in groups.
final class Sighting: ManagedObject {
  @Attribute(.unique) var time = Date(timeIntervalSinceReferenceDate: 0)
  @Attribute var latitude = 0.0
  @Attribute var longitude = 0.0
  @Attribute var energy = 0.0
  @Relationship var groups: ToMany<SightingGroup>

  /// Fills it as the comparator fills its row.
  func fill(_ index: Int) {
    time = Date(timeIntervalSinceReferenceDate: cmp_preview_time(index))
    latitude = Double(index)
    longitude = -Double(index)
    energy = cmp_preview_energy(index)
  }
}

/// A group, which counts its sightings.
final class SightingGroup: ManagedObject {
  @Attribute(.indexed) var name = ""
  @Relationship(inverse: \Sighting.groups) var sightings: ToMany<Sighting>
  @Derived("sightings.@count") var sightingCount: Int64
}

import BolideStorage

/// Fetching values of the program's own types, which may leave the context where objects may not.
extension ManagedObjectContext {
  /// Fetches what a request asks for as values of a type: each of its properties is decoded from the column of its name.
  ///
  /// ```swift
  /// struct Sighting: Codable, Sendable { var dateTimeStamp: Date, impactEnergy: Double? }
  /// let biggest = try context.fetch(FetchRequest(Fireball.self, limit: 10), as: Sighting.self)
  /// ```
  /// Attributes of the entity are fetched, derived ones included, unless ``FetchRequest/propertiesToFetch`` names columns.
  /// - Throws: as ``fetchRows(_:)``, and `DecodingError` where a row lacks what the type needs.
  public func fetch<Object: ManagedObject, Content: Decodable>(
    _ request: FetchRequest<Object>, as type: Content.Type
  ) throws -> [Content] {
    var request = request
    if request.propertiesToFetch.isEmpty {
      request.propertiesToFetch = try map.entity(request.entityName).properties.compactMap { property in
        guard case .attribute = property.kind else { return nil }
        return FetchColumn(.path([property.name]))
      }
    }
    return try fetchRows(request).map { try Content(from: FetchedRowDecoder(row: $0)) }
  }
}

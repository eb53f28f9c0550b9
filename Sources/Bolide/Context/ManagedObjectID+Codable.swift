import Foundation

/// An id is coded as its URI, so that a `#Predicate` may capture it and users may keep it. A temporary id means
/// nothing outside its context and is not coded.
extension ManagedObjectID: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let id = ManagedObjectID(uri: text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "The text is no bolide://store/Entity/number")
    }
    self = id
  }

  public func encode(to encoder: any Encoder) throws {
    if isTemporary {
      throw EncodingError.invalidValue(
        self, .init(codingPath: encoder.codingPath, debugDescription: "The object was not saved yet"))
    }
    var container = encoder.singleValueContainer()
    try container.encode(uri)
  }
}

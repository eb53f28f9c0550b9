import BolideStorage
import Foundation

/// A model: entities with their attributes and relationships.
///
/// Two schemas are equal when they describe the same entities, in whatever order these are declared;
/// the schema's own name is a label and does not count.
public struct Schema: Sendable {
  /// The model's name, for people.
  public var name: String
  /// The entities.
  public var entities: [EntityDescription]
  /// The classes of the entities that have one; not part of the description.
  package var classes: [String: ManagedObject.Type] = [:]
  /// Rules for the objects of entities; not part of the description.
  var validators: [String: [ObjectValidator]] = [:]
  /// What is wrong with the declarations of typed classes.
  package var declarationProblems: [String] = []

  /// Describes a model.
  public init(name: String = "", entities: [EntityDescription]) {
    self.name = name
    self.entities = entities
  }

  /// What is wrong with the schema, one sentence each; empty when it is valid.
  public func problems() -> [String] { declarationProblems + SchemaCheck(self).problems() }

  /// The entity of a name, if there is one.
  public func entity(named name: String) -> EntityDescription? { entities.first { $0.name == name } }
}

extension Schema: Hashable {
  public static func == (left: Schema, right: Schema) -> Bool { left.sorted == right.sorted }
  public func hash(into hasher: inout Hasher) { hasher.combine(sorted) }

  private var sorted: [EntityDescription] { entities.sorted { $0.name < $1.name } }
}

extension Schema: Codable {
  /// The version of the stored form.
  private static let format = 1

  private enum CodingKeys: String, CodingKey {
    case format, name, entities
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let format = try container.decode(Int.self, forKey: .format)
    guard format == Self.format else {
      throw DecodingError.dataCorruptedError(
        forKey: .format, in: container, debugDescription: "The schema's format \(format) is not known")
    }
    name = try container.decodeIfPresent(String.self, forKey: .name) ?? ""
    entities = try container.decode([EntityDescription].self, forKey: .entities)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Self.format, forKey: .format)
    try container.encode(name, forKey: .name)
    try container.encode(entities, forKey: .entities)
  }

  /// Reads the form that ``json()`` writes.
  ///
  /// - Throws: `schema.unreadable`.
  public init(json: Data) throws(BolideError) {
    do {
      self = try JSONDecoder().decode(Schema.self, from: json)
    } catch let error as DecodingError {
      throw BolideError(.schemaUnreadable, "The stored schema cannot be read: \(Self.reason(error))")
    } catch {
      throw BolideError(.schemaUnreadable, "The stored schema cannot be read: \(error)")
    }
  }

  /// The schema as JSON with sorted keys: what a store keeps in its metadata.
  ///
  /// - Throws: `schema.unreadable` when the schema cannot be written.
  public func json() throws(BolideError) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return try encoder.encode(self)
    } catch {
      throw BolideError(.schemaUnreadable, "The schema cannot be written as JSON: \(error)")
    }
  }

  private static func reason(_ error: DecodingError) -> String {
    let context: DecodingError.Context =
      switch error {
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
        .dataCorrupted(let context):
        context
      @unknown default: DecodingError.Context(codingPath: [], debugDescription: "unknown reason")
      }
    let path = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }
    return path.isEmpty
      ? context.debugDescription : "\(path.joined(separator: ".")): \(context.debugDescription)"
  }
}

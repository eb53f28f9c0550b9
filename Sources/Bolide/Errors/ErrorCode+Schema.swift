import BolideStorage

/// The codes about schemas and their names.
extension ErrorCode {
  public static let schemaInvalid = ErrorCode(
    "schema.invalid", meaning: "The schema contradicts itself or asks for what is not supported.",
    remedy: "correct every problem listed; the store was not touched")
  public static let schemaMismatch = ErrorCode(
    "schema.mismatch", meaning: "The store was made with another schema.",
    remedy: "open the store with the schema it was made with, or without one to use the stored schema")
  public static let schemaUnreadable = ErrorCode(
    "schema.unreadable", meaning: "The stored schema cannot be read.",
    remedy: "open it with the version of Bolide that wrote it, or restore a copy of the store")
  public static let schemaUnknownEntity = ErrorCode(
    "schema.unknown-entity", meaning: "The schema has no entity of that name.",
    remedy: "use one of the schema's entities; names are case-sensitive")
  public static let schemaUnknownProperty = ErrorCode(
    "schema.unknown-property", meaning: "The entity has no property of that name.",
    remedy: "use one of the entity's properties; names are case-sensitive")
  public static let schemaDerivation = ErrorCode(
    "schema.derivation", meaning: "The expression of a derived attribute cannot be understood.",
    remedy: "write one of `items.@count`, `items.amount.@sum`, a to-one path such as `owner.name`, "
      + "`lowercase:(name)`, `uppercase:(name)`, `canonical:(name)`, `now()`")

  /// Every code about schemas.
  public static let schemaCodes: [ErrorCode] = [
    schemaInvalid, schemaMismatch, schemaUnreadable, schemaUnknownEntity, schemaUnknownProperty,
    schemaDerivation,
  ]
}

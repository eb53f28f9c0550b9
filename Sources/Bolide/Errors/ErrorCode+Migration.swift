import BolideStorage

/// The codes about stores that are brought to a later schema.
extension ErrorCode {
  public static let migrationDuplicates = ErrorCode(
    "migration.duplicates", meaning: "Stored objects share a key of a constraint that the new schema adds.",
    remedy: "open the store with its old schema, make the keys differ or delete objects; nothing was changed")
  public static let migrationData = ErrorCode(
    "migration.data", meaning: "Stored objects do not fit the new schema.",
    remedy:
      "give required attributes a default, or change the objects under the old schema; nothing was changed")

  /// Every code about migrations.
  public static let migrationCodes: [ErrorCode] = [migrationDuplicates, migrationData]
}

import BolideStorage

/// The codes of the layer above the stores, but for those of schemas and predicates.
extension ErrorCode {
  public static let conflictUnique = ErrorCode(
    "conflict.unique", meaning: "Records or objects have a unique key that a stored object holds.",
    remedy: "choose another merge policy, or change the keys; nothing was written")
  public static let conflictSeveral = ErrorCode(
    "conflict.several", meaning: "One record meets two stored objects through two uniqueness constraints.",
    remedy: "resolve the two objects first; nothing was written")
  public static let conflictVersion = ErrorCode(
    "conflict.version", meaning: "Objects were changed by another writer since this context read them.",
    remedy: "save with a merge policy, or refresh the objects and edit them again")
  public static let conflictDeleted = ErrorCode(
    "conflict.deleted", meaning: "Objects with edits were deleted by another writer.",
    remedy: "save with the policy store-trump or rollback to drop the edits")
  public static let validationRequired = ErrorCode(
    "validation.required", meaning: "A property that is not optional has no value.",
    remedy: "give it a value, or make it optional in the schema")
  public static let validationType = ErrorCode(
    "validation.type", meaning: "A value does not have its attribute's type or range.",
    remedy: "give a value of that type")
  public static let validationLimit = ErrorCode(
    "validation.limit", meaning: "A value is outside the range, length or pattern of its attribute.",
    remedy: "give a value within the limits that the schema states")
  public static let validationCount = ErrorCode(
    "validation.count", meaning: "A relationship has fewer or more members than it may.",
    remedy: "add or remove members; nothing was written")
  public static let validationCustom = ErrorCode(
    "validation.custom", meaning: "A rule of a class or a schema refuses an object.",
    remedy: "change what the problem names; nothing was written")
  public static let validationNaN = ErrorCode(
    "validation.nan", meaning: "A value is not a number (NaN).",
    remedy: "use nil for an unknown number")
  public static let validationDenied = ErrorCode(
    "validation.denied", meaning: "A relationship with the delete rule deny still has members.",
    remedy: "remove the members first; nothing was deleted")
  public static let batchRelationship = ErrorCode(
    "batch.relationship", meaning: "A batch request names a relationship.",
    remedy: "set relationships through objects of a context")
  public static let batchDerived = ErrorCode(
    "batch.derived", meaning: "A derived attribute was set.",
    remedy: "set what it is derived from")
  public static let historyExpired = ErrorCode(
    "history.token-expired", meaning: "The history after the token was purged.",
    remedy: "call resync() for a full snapshot and a fresh token")
  public static let historyDiverged = ErrorCode(
    "history.token-diverged",
    meaning: "The token is of another past of this store: it was restored or copied.",
    remedy: "call resync() for a full snapshot and a fresh token")
  public static let historyForeign = ErrorCode(
    "history.token-foreign", meaning: "The token belongs to another store.",
    remedy: "use a token of this store, or start from the beginning")
  public static let historyRequired = ErrorCode(
    "history.required", meaning: "A store that keeps history was to be opened without it.",
    remedy: "open it with history on")
  public static let historyOff = ErrorCode(
    "history.off", meaning: "The store keeps no history.",
    remedy: "open it with history on")
  public static let historyConsumer = ErrorCode(
    "history.consumer-unknown", meaning: "The store has no consumer of that name.",
    remedy: "register the consumer first")
  public static let contextForeign = ErrorCode(
    "context.foreign-object", meaning: "An object of another context or store was used.",
    remedy: "look the object up in this context by its id")
  public static let contextPinned = ErrorCode(
    "context.pinned-elsewhere", meaning: "A generation of another store was given.",
    remedy: "pin to a generation of this store")
  public static let contextCallback = ErrorCode(
    "context.callback",
    meaning:
      "A call that changes what a context shows came from a report of the last change, or a hook of a save.",
    remedy: "make the call after the report or the save, from a task say; nothing was changed")
  public static let contextHooks = ErrorCode(
    "context.endless-hooks", meaning: "The hooks of a save went on to give each other objects to save.",
    remedy:
      "insert and edit in willSave only what is not as it should be, so that it ends; nothing was written")
  public static let resultsRequest = ErrorCode(
    "results.request", meaning: "A list that follows its data cannot be made for the request.",
    remedy: "ask without limit and offset, and for a class that all objects of the entity have")
  public static let objectMissing = ErrorCode(
    "object.missing", meaning: "There is no object with this id.",
    remedy: "fetch again: it was deleted, or never saved")
  public static let objectDeleted = ErrorCode(
    "object.deleted", meaning: "The object was deleted.",
    remedy: "do not use it any more")
  public static let objectKind = ErrorCode(
    "object.kind", meaning: "A property is not of the kind that was asked for.",
    remedy: "use value(_:) for attributes, object(_:) for to-one and objects(_:) for to-many relationships")
  public static let objectAbstract = ErrorCode(
    "object.abstract", meaning: "An abstract entity has no objects of its own.",
    remedy: "insert an object of one of its sub-entities")

  /// Every code of this file.
  public static let semanticCodes: [ErrorCode] = [
    conflictUnique, conflictSeveral, conflictVersion, conflictDeleted, validationRequired, validationType,
    validationLimit, validationCount, validationCustom,
    validationNaN, validationDenied, batchRelationship, batchDerived, historyExpired, historyDiverged,
    historyForeign, historyRequired, historyOff, historyConsumer, contextForeign, contextPinned,
    contextCallback, contextHooks, resultsRequest, objectMissing,
    objectDeleted, objectKind, objectAbstract,
  ]
}

/// The codes that a store reports (rule S-2). Each is its own error, with its own way out.
extension ErrorCode {
  public static let storeMissing = ErrorCode(
    "store.missing", meaning: "There is no store at the location.",
    remedy: "check the path, or open it with a schema to create the store")
  public static let storeForeign = ErrorCode(
    "store.foreign", meaning: "The file or folder is not a Bolide store of this kind.",
    remedy: "choose another path; nothing was changed there")
  public static let storeForeignLog = ErrorCode(
    "store.foreign-log",
    meaning: "A log beside the store's file belongs to another file, or to another state of it.",
    remedy: "put back the file or the log that belong together, or move the log away; nothing was changed")
  public static let storeDamaged = ErrorCode(
    "store.damaged", meaning: "The store's contents contradict themselves.",
    remedy: "keep the files, run `bolide check`, and restore a copy")
  public static let storeNewer = ErrorCode(
    "store.newer-format", meaning: "The store was written by a newer version of Bolide.",
    remedy: "open it with that version or a later one")
  public static let storeReadOnly = ErrorCode(
    "store.read-only", meaning: "The store or its folder cannot be written.",
    remedy: "change the permissions, or open it read-only")
  public static let storeBusy = ErrorCode(
    "store.busy", meaning: "Another writer held the store until the deadline.",
    remedy: "try again, or allow a longer wait")
  public static let storeFull = ErrorCode(
    "store.disk-full", meaning: "The disk is full; the transaction was rolled back.",
    remedy: "free space and save again: the changes are still in the context")
  public static let storeMapFull = ErrorCode(
    "store.map-full", meaning: "The memory map was too small; it has been enlarged.",
    remedy: "run the transaction again")
  public static let storeIO = ErrorCode(
    "store.io", meaning: "The system could not read or write the store.",
    remedy: "look at the underlying error; the last committed state is kept")
  public static let storeClosed = ErrorCode(
    "store.closed", meaning: "The store, snapshot or transaction was used after it was closed.",
    remedy: "open it again")
  public static let storeSchemaChanged = ErrorCode(
    "store.schema-changed", meaning: "Another process changed the store's schema.",
    remedy: "open the store again")
  public static let storeForked = ErrorCode(
    "store.forked-process", meaning: "The store was opened before this process was forked.",
    remedy: "fork before the store is opened, or open it in a program that the child runs")
  public static let storeUnsupported = ErrorCode(
    "store.unsupported", meaning: "The backend does not offer what was asked for.",
    remedy: "look at the backend's capabilities")
  public static let storeMisuse = ErrorCode(
    "store.misuse", meaning: "A call did not keep the storage contract.",
    remedy: "report it with the message: a layer above the store is wrong")
  public static let storeLimit = ErrorCode(
    "store.limit", meaning: "A stated limit of the store was reached.",
    remedy: "look at the backend's limits")

  /// Every code a store may report.
  public static let storeCodes: [ErrorCode] = [
    storeMissing, storeForeign, storeForeignLog, storeDamaged, storeNewer, storeReadOnly, storeBusy,
    storeFull, storeMapFull, storeIO, storeClosed, storeSchemaChanged, storeForked, storeUnsupported,
    storeMisuse,
    storeLimit,
  ]
}

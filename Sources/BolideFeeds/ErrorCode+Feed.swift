import BolideStorage

/// The codes of documents that are refused; nothing of such a document is stored.
extension ErrorCode {
  /// The document is something else: empty, HTML, an error body, another format.
  public static let feedNotTheFeed = ErrorCode(
    "feed.not-the-feed", meaning: "The document is not one of the feed that was named.",
    remedy: "look at the first bytes in the message, and name the feed that the document is of")
  /// The document breaks the grammar of its format.
  public static let feedSyntax = ErrorCode(
    "feed.syntax", meaning: "The document breaks the grammar of its format.",
    remedy: "look at the place in the message, and download the document again")
  /// The document ends too early.
  public static let feedTruncated = ErrorCode(
    "feed.truncated", meaning: "The document ends too early: a download was cut off.",
    remedy: "download the document again")
  /// The document is no UTF-8.
  public static let feedEncoding = ErrorCode(
    "feed.encoding", meaning: "The document is not UTF-8.",
    remedy: "convert the document to UTF-8, or download it again")
  /// The document nests too deeply.
  public static let feedDepth = ErrorCode(
    "feed.depth", meaning: "The document's values nest too deeply.",
    remedy: "check that the document is of the feed: none nests nearly so deep")
  /// A column that is needed is missing.
  public static let feedColumnMissing = ErrorCode(
    "feed.column-missing", meaning: "The document lacks a column that its records need.",
    remedy: "ask the service for the column, or choose an entity that does not need it")
  /// Something follows the document's end.
  public static let feedTrailing = ErrorCode(
    "feed.trailing", meaning: "The document goes on after its end.",
    remedy: "import one document at a time, or download it again")
  /// One token of the document is too long.
  public static let feedLimit = ErrorCode(
    "feed.limit", meaning: "A number in the document is longer than what is held in memory.",
    remedy: "check that the document is of the feed")
  /// The document cannot be read.
  public static let feedUnreadable = ErrorCode(
    "feed.unreadable", meaning: "The document could not be read.",
    remedy: "check the path and the permissions of the file")
  /// The entity cannot take the feed.
  public static let feedEntity = ErrorCode(
    "feed.entity", meaning: "The entity cannot take the records of the feed.",
    remedy: "choose an entity whose attributes have the names and types that the feed delivers")
  /// The import was cancelled.
  public static let feedCancelled = ErrorCode(
    "feed.cancelled", meaning: "The import was cancelled; nothing of it was stored.",
    remedy: "run the import again")

  /// Every code that an import of a feed may report of its own.
  public static let feedCodes: [ErrorCode] = [
    feedNotTheFeed, feedSyntax, feedTruncated, feedEncoding, feedDepth, feedColumnMissing, feedTrailing,
    feedLimit, feedUnreadable, feedEntity, feedCancelled,
  ]
}

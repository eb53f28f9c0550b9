/// What happens when a write meets stored objects that say otherwise (rule U-3).
public enum MergePolicy: String, Sendable, Codable, CaseIterable {
  /// Nothing is written; the error lists the conflicts.
  case error
  /// What comes in wins, property by property; the stored object keeps its id and links.
  case objectTrump = "object-trump"
  /// What is stored wins, property by property.
  case storeTrump = "store-trump"
  /// The whole object is replaced by what comes in; what that does not mention goes to its default.
  case overwrite
  /// What comes in is dropped, object by object.
  case rollback
}

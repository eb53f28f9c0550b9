/// What becomes of attributes that a record does not mention when it meets a stored object (rule U-3).
public enum AbsentRule: String, Sendable, Codable {
  /// They stay as they are.
  case keep
  /// They go back to their defaults, as in Core Data.
  case `default`
}

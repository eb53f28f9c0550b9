import BolideStorage

/// Why a save was refused, for one object: what the context read, what it was to write, and what is stored (rules U-3 and
/// U-10).
public struct MergeConflict: Sendable, Hashable {
  /// What the conflict is about.
  public enum Kind: Sendable, Hashable {
    /// Another writer changed the object since it was read.
    case version
    /// Another writer deleted the object, or one that it was linked to.
    case deletion
    /// Another object has the key: the attributes of the constraint.
    case key([String])
  }

  /// What the conflict is about.
  public let kind: Kind
  /// The object that was to be written; under a temporary id where it is new.
  public let object: ManagedObjectID
  /// The object that has the key; under a temporary id where the same save was to insert it. `nil` for other kinds.
  public let storedObject: ManagedObjectID?
  /// Attributes and to-ones as the context read them; `nil` where it read none.
  public let base: [String: Value]?
  /// Attributes and to-ones as they were to be; empty for an object that was to be deleted.
  public let mine: [String: Value]
  /// Attributes and to-ones of what is stored, or of the object that has the key; `nil` where there is none.
  public let stored: [String: Value]?
}

extension BolideError {
  /// The conflicts of a refused save, at most a hundred; ``details`` tells them as text.
  public var conflicts: [MergeConflict] { payload as? [MergeConflict] ?? [] }
}

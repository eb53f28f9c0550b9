/// The stable code of an error, with what it means and what to do: one entry of the error catalogue.
public struct ErrorCode: Hashable, Sendable, CustomStringConvertible {
  /// The code as printed and compared, `area.name`.
  public let name: String
  /// One sentence on what happened.
  public let meaning: String
  /// One sentence on what to do now.
  public let remedy: String

  /// Declares a code.
  public init(_ name: String, meaning: String, remedy: String) {
    self.name = name
    self.meaning = meaning
    self.remedy = remedy
  }

  public static func == (left: ErrorCode, right: ErrorCode) -> Bool { left.name == right.name }
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  public var description: String { name }

  /// Lets a `catch` clause name a code: `catch ErrorCode.storeBusy`.
  public static func ~= (code: ErrorCode, error: any Error) -> Bool {
    (error as? BolideError)?.code == code
  }
}

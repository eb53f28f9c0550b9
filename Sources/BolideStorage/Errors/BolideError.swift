/// The one error type of Bolide (rule E-1).
///
/// The message names things (entities, properties, files) but holds no values of users; those are in
/// ``details``, which ``description`` leaves out.
public struct BolideError: Error, Sendable, CustomStringConvertible {
  /// What kind of error it is; stable across versions.
  public var code: ErrorCode
  /// What happened, with names.
  public var message: String
  /// What to do now.
  public var remedy: String
  /// Lines that tell more and may hold values: conflicts with all their sides, skipped records.
  public var details: [String]
  /// The number an engine or the system gave for the cause, and whose it is.
  public var underlying: Underlying?
  /// A typed account of the cause for programs, such as the conflicts of a refused save.
  public var payload: (any Sendable)?

  /// A cause below Bolide.
  public struct Underlying: Hashable, Sendable {
    /// Who speaks: `sqlite`, `lmdb` or `errno`.
    public var domain: String
    /// The number in that domain.
    public var code: Int32
    /// The domain's own words.
    public var text: String

    /// Names a cause.
    public init(domain: String, code: Int32, text: String) {
      self.domain = domain
      self.code = code
      self.text = text
    }
  }

  /// Makes an error; the remedy is the code's own unless another is given.
  public init(
    _ code: ErrorCode, _ message: String, remedy: String? = nil, details: [String] = [],
    underlying: Underlying? = nil, payload: (any Sendable)? = nil
  ) {
    self.code = code
    self.message = message
    self.remedy = remedy ?? code.remedy
    self.details = details
    self.underlying = underlying
    self.payload = payload
  }

  /// One line: code, message and remedy; no values.
  public var description: String {
    var text = "\(code.name): \(message)"
    if let underlying { text += " (\(underlying.domain) \(underlying.code): \(underlying.text))" }
    return text + ". To fix this: \(remedy)"
  }

  /// The description and the details, values included.
  public var revealingDescription: String {
    ([description] + details.map { "  \($0)" }).joined(separator: "\n")
  }
}

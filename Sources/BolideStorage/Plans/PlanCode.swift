/// A test of a text, such as a search under folding: the layer above knows what it means, a store only calls it.
public final class ValueTest: Sendable {
  /// What the test asks, for people.
  public let words: String
  private let body: @Sendable (UnsafeRawBufferPointer?) -> Bool

  /// Makes a test.
  ///
  /// - Parameter body: gets the text's UTF-8, valid while it runs, or `nil` for nil; it calls no store.
  public init(_ words: String, _ body: @escaping @Sendable (UnsafeRawBufferPointer?) -> Bool) {
    self.words = words
    self.body = body
  }

  /// Whether a text meets the test.
  public func holds(_ text: UnsafeRawBufferPointer?) -> Bool { body(text) }
}

/// Bytes whose order is the order of texts in some other way than scalar by scalar.
public final class ValueKey: Sendable {
  /// What the order is like, for people.
  public let words: String
  private let body: @Sendable (UnsafeRawBufferPointer) -> [UInt8]

  /// Makes a key.
  ///
  /// - Parameter body: gets the text's UTF-8, valid while it runs; it calls no store.
  public init(_ words: String, _ body: @escaping @Sendable (UnsafeRawBufferPointer) -> [UInt8]) {
    self.words = words
    self.body = body
  }

  /// The key of a text.
  public func key(of text: UnsafeRawBufferPointer) -> [UInt8] { body(text) }
}

/// A function of the values of a group, such as an exact sum.
public final class ValueFold: Sendable {
  /// What the function is, for people.
  public let words: String
  /// The type of the result.
  public let type: ValueType
  private let body: @Sendable () -> any ValueAccumulator

  /// Makes a fold.
  ///
  /// - Parameter body: begins a group without values.
  public init(_ words: String, of type: ValueType, _ body: @escaping @Sendable () -> any ValueAccumulator) {
    self.words = words
    self.type = type
    self.body = body
  }

  /// Begins a group without values.
  public func begin() -> any ValueAccumulator { body() }
}

/// The values of one group while they are folded.
public protocol ValueAccumulator: AnyObject {
  /// Adds a value that is not nil.
  func add(_ value: Value)
  /// The result for the values so far.
  func result() throws(BolideError) -> Value
}

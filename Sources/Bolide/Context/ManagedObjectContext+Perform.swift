/// What Core Data needs and owned contexts do not, so that the compiler says what to write instead.
extension ManagedObjectContext {
  /// A context is not shared, so there is no queue to wait for.
  @available(*, unavailable, message: "you own this context: call it directly")
  public func perform<Result>(_ block: () throws -> Result) async rethrows -> Result { try block() }

  /// A context is not shared, so there is no queue to wait for.
  @available(*, unavailable, message: "you own this context: call it directly")
  public func performAndWait<Result>(_ block: () throws -> Result) rethrows -> Result { try block() }
}

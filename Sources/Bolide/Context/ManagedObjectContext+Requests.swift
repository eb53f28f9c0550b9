import BolideStorage

/// Requests that bypass the context's objects: what they change shows here after a merge or a refresh.
extension ManagedObjectContext {
  private var writer: Writer {
    Writer(author: transactionAuthor, contextName: name, policy: mergePolicy)
  }

  /// Inserts records in one transaction.
  ///
  /// - Throws: `schema.unknown-entity`, `schema.unknown-property`, `batch.relationship`, `batch.derived`, `validation.…`,
  ///   `conflict.…`, `store.…`, and what the request's closure throws; nothing is written then.
  @discardableResult
  public func execute(_ request: BatchInsertRequest) throws -> BatchInsertResult {
    try coordinator.execute(request, as: writer)
  }

  /// Sets attributes of many objects in one transaction.
  ///
  /// - Throws: as for inserts, and `predicate.…`.
  @discardableResult
  public func execute<Object>(_ request: BatchUpdateRequest<Object>) throws -> BatchUpdateResult {
    try coordinator.execute(request, as: writer)
  }

  /// Deletes many objects in one transaction.
  ///
  /// - Throws: `validation.denied`, `validation.required`, `predicate.…`, `store.…`; nothing is deleted then.
  @discardableResult
  public func execute(_ request: BatchDeleteRequest) throws -> BatchDeleteResult {
    try coordinator.execute(request, as: writer)
  }

  /// Inserts packed rows in one transaction.
  package func importRows(_ rows: RowImport) throws -> BatchInsertResult {
    try coordinator.importRows(rows, as: writer)
  }

  /// Reads history, from the pinned generation if there is one.
  ///
  /// - Throws: `history.token-expired`, `history.token-diverged`, `history.token-foreign`.
  public func history(_ request: PersistentHistoryRequest) throws -> PersistentHistoryResult {
    let reader = try reader()
    defer { release(reader) }
    return try HistoryReader(coordinator, reader: reader).run(request)
  }
}

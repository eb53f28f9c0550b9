import Bolide
import Synchronization

extension PersistentContainer {
  /// Imports one document on a thread of the container's own, off the caller's path.
  ///
  /// Cancelling the task that waits for it rolls the import back.
  ///
  /// - Parameters:
  ///   - author: who writes, as history tells it.
  ///   - policy: what happens when a record meets a stored object; `nil` for *object trump* (rule U-3).
  /// - Throws: what ``FeedImport/run(in:)`` throws.
  public func importFeed(
    _ feedImport: FeedImport, author: String? = nil, policy: MergePolicy? = nil
  ) async throws -> FeedImportResult {
    let cancellation = Cancellation()
    var request = feedImport
    request.isCancelled = { cancellation.isRequested || feedImport.isCancelled?() == true }
    return try await withTaskCancellationHandler { [request] in
      try await performBackgroundTask(author: author) { context in
        context.mergePolicy = policy
        return try request.run(in: context)
      }
    } onCancel: {
      cancellation.request()
    }
  }
}

/// Whether a task was cancelled, for a thread that is no task.
private final class Cancellation: Sendable {
  private let flag = Atomic(false)

  var isRequested: Bool { flag.load(ordering: .relaxed) }

  func request() { flag.store(true, ordering: .relaxed) }
}

/// Is told, change by change, how a controller's list follows its data.
///
/// During `controllerWillChangeContent(_:)` the controller shows the old list, in all
/// other calls the new one. Old places are in the list before. A save, merge, reset or pin of the context from one of
/// these calls fails with `context.callback`.
public protocol FetchedResultsControllerDelegate<Object>: AnyObject {
  /// The class of the list's objects.
  associatedtype Object: ManagedObject

  /// Changes follow.
  func controllerWillChangeContent(_ controller: FetchedResultsController<Object>)
  /// A section came or went: all sections are told before the first object.
  func controller(
    _ controller: FetchedResultsController<Object>, didChangeSection change: ResultsSectionChange)
  /// An object came, went, moved or changed.
  func controller(
    _ controller: FetchedResultsController<Object>, didChangeObject change: ResultsChange<Object>)
  /// All changes were told.
  func controllerDidChangeContent(_ controller: FetchedResultsController<Object>)
}

extension FetchedResultsControllerDelegate {
  /// Does nothing.
  public func controllerWillChangeContent(_ controller: FetchedResultsController<Object>) {}
  /// Does nothing.
  public func controller(
    _ controller: FetchedResultsController<Object>, didChangeSection change: ResultsSectionChange
  ) {}
  /// Does nothing.
  public func controller(
    _ controller: FetchedResultsController<Object>, didChangeObject change: ResultsChange<Object>
  ) {}
  /// Does nothing.
  public func controllerDidChangeContent(_ controller: FetchedResultsController<Object>) {}
}

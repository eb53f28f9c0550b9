import BolideStorage

/// The objects of a fetch, read in batches when they are looked at.
///
/// Which objects there are and in what order is settled when the fetch runs, and their rows are read from the state that
/// it saw, however much is written meanwhile. That state is kept as long as the collection is, which costs a
/// store on disk space for what is written since. An object that the context holds already keeps its values.
public final class FetchedObjects<Object: ManagedObject>: RandomAccessCollection {
  private let context: ManagedObjectContext
  private let reader: any Snapshot
  /// What keeps the state when the context is pinned to it.
  private let generation: QueryGeneration?
  private let ids: [ManagedObjectID]
  private let batchSize: Int
  /// The objects of the batch that was read last, and new objects, which no store has yet.
  private var batch: [ManagedObject] = []
  private let unsaved: [ManagedObjectID: ManagedObject]
  private let prefetch: ([ManagedObject], any Reader) throws(BolideError) -> Void

  init(
    _ ids: [ManagedObjectID], of context: ManagedObjectContext, reader: any Snapshot, batchSize: Int,
    prefetch: @escaping ([ManagedObject], any Reader) throws(BolideError) -> Void
  ) {
    self.context = context
    self.reader = reader
    generation = context.queryGeneration
    self.ids = ids
    self.batchSize = Swift.max(1, batchSize)
    self.prefetch = prefetch
    var unsaved: [ManagedObjectID: ManagedObject] = [:]
    for id in ids where id.isTemporary { unsaved[id] = context.registeredObject(for: id) }
    self.unsaved = unsaved
  }

  deinit {
    if generation?.snapshot !== reader { reader.close() }
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { ids.count }

  /// The ids of all objects, in order; reads nothing.
  public var objectIDs: [ManagedObjectID] { ids }

  /// The object at a place, which must be one of the collection's, as in an array.
  ///
  /// One whose row cannot be read is ``ManagedObject/isInaccessible``, and the error goes to the context's
  /// ``ManagedObjectContext/faultHandler`` (rule M-4).
  public subscript(position: Int) -> Object {
    let object = object(of: ids[position])
    if object.isFault, !object.isInaccessible { load(batchAround: position) }
    guard let typed = object as? Object else {
      preconditionFailure("\(object.objectID) is a \(type(of: object)), and no \(Object.self)")
    }
    return typed
  }

  private func object(of id: ManagedObjectID) -> ManagedObject {
    unsaved[id] ?? context.object(with: id)
  }

  private func load(batchAround position: Int) {
    let start = position - position % batchSize
    batch = ids[start..<Swift.min(start + batchSize, ids.count)].map { object(of: $0) }
    do throws(BolideError) {
      let faults = batch.filter(\.isFault)
      try context.fire(faults, from: reader)
      try prefetch(batch, reader)
      context.awaken(faults)
    } catch {
      // Once only: whoever asks the object for a value has it read again.
      for object in batch where object.isFault { object.isInaccessible = true }
      context.faultHandler?(error, ids[position])
    }
  }
}

extension ManagedObjectContext {
  /// The objects a request asks for, in its order, read in batches of ``FetchRequest/fetchBatchSize`` when they are
  /// looked at.
  ///
  /// - Throws: as ``fetch(_:)``.
  public func fetchBatches<Object: ManagedObject>(
    _ request: FetchRequest<Object>
  ) throws -> FetchedObjects<Object> {
    try mergeWaitingSaves()
    let reader = try reader()
    do {
      let found = try Selection(
        self, request, reader: self.reader(over: reader, for: request), columns: ColumnSet())
      let ids = found.rows.withRows { views in
        found.places.map { id(of: views[$0], found.rows.numbers[$0], in: found.entity.table) }
      }
      for entity in Set(ids.map(\.entityName)) {
        let objectClass = objectClass(of: try map.entity(entity).id)
        guard objectClass is Object.Type else {
          throw BolideError(
            .objectKind, "objects of \(entity) are \(objectClass)s and were fetched as \(Object.self)")
        }
      }
      if request.shouldRefreshRefetchedObjects {
        try refresh(ids.compactMap { registeredObject(for: $0) }, from: reader)
      }
      return FetchedObjects(ids, of: self, reader: reader, batchSize: request.fetchBatchSize) {
        (objects, reader) throws(BolideError) in
        try self.prefetch(request.terms, of: objects, from: reader)
      }
    } catch {
      release(reader)
      throw error
    }
  }
}

import BolideStorage

/// Looking at the list: places cost logarithmic time, and only rows that are looked at are loaded.
extension FetchedResultsController {
  // MARK: Counts and sections

  /// How many objects the list has.
  public var count: Int { tree.count }

  /// Whether rows fall into sections by a rule.
  public var hasSections: Bool { rule != nil }

  /// How many sections the list has; one without sections always has one.
  public var numberOfSections: Int { rule == nil ? 1 : tree.sectionCount }

  /// How many rows a section has; none where there is no such section.
  public func numberOfRows(inSection section: Int) -> Int {
    guard let rows = rows(ofSection: section) else { return 0 }
    return rows.count
  }

  /// The sections, in order.
  public var sections: [ResultsSection] {
    guard rule != nil else { return [ResultsSection(name: "", numberOfRows: count, value: nil)] }
    let starts = sectionStarts
    return starts.indices.map { index in
      let next = index + 1 < starts.count ? starts[index + 1].rank : count
      return ResultsSection(
        name: starts[index].entry.section?.value.name ?? "", numberOfRows: next - starts[index].rank,
        value: starts[index].entry.section?.value.shared)
    }
  }

  /// The first letters of the sections' names, in the order of the sections, each once.
  public var sectionIndexTitles: [String] {
    var titles: [String] = []
    var known: Set<String> = []
    for section in sections where known.insert(section.indexTitle).inserted {
      titles.append(section.indexTitle)
    }
    return titles
  }

  /// The first section that an index title stands for; `nil` for a title that is none.
  public func section(forSectionIndexTitle title: String) -> Int? {
    sections.firstIndex { $0.indexTitle == title }
  }

  /// The places in the whole list of a section's rows.
  private func rows(ofSection section: Int) -> Range<Int>? {
    guard rule != nil else { return section == 0 ? 0..<count : nil }
    let starts = sectionStarts
    guard starts.indices.contains(section) else { return nil }
    return starts[section].rank..<(section + 1 < starts.count ? starts[section + 1].rank : count)
  }

  // MARK: Objects and places

  /// The object at a place, which must be one of the list, as an index of an array must.
  ///
  /// Rows are read in batches when they are looked at first. One that was deleted elsewhere and not merged here yet
  /// gives an object that is ``ManagedObject/isInaccessible`` (rule M-4).
  public func object(at path: RowPath) -> Object {
    guard let object = objectIfPresent(at: path) else {
      preconditionFailure("the list has no row at \(path)")
    }
    return object
  }

  /// The object at a place; `nil` where the list has no such place.
  public func objectIfPresent(at path: RowPath) -> Object? {
    guard let rows = rows(ofSection: path.section), path.row >= 0, path.row < rows.count else { return nil }
    return object(atRank: rows.lowerBound + path.row)
  }

  /// The id of the object at a place, without loading it; `nil` where the list has no such place.
  public func objectID(at path: RowPath) -> ManagedObjectID? {
    guard let rows = rows(ofSection: path.section), path.row >= 0, path.row < rows.count else { return nil }
    return tree[rows.lowerBound + path.row].map(id)
  }

  /// Where an object stands; `nil` for one that is not in the list.
  public func rowPath(for object: Object) -> RowPath? { rowPath(for: object.objectID) }

  /// Where the object of an id stands; `nil` for one that is not in the list.
  public func rowPath(for id: ManagedObjectID) -> RowPath? {
    guard id.storeID == context.coordinator.storeID, let entry = entry(of: id.number),
      self.id(entry) == id
    else { return nil }
    var work = ListWork()
    return tree.path(of: entry, work: &work)
  }

  /// All objects, in order. They are loaded as they are read, in batches.
  public var fetchedObjects: [Object] { (0..<count).compactMap { object(atRank: $0) } }

  /// The ids of all objects, in order; loads nothing.
  public var objectIDs: [ManagedObjectID] {
    var result: [ManagedObjectID] = []
    result.reserveCapacity(count)
    tree.forEach { result.append(id($0)) }
    return result
  }

  // MARK: Loading

  func id(_ entry: ListEntry) -> ManagedObjectID {
    ManagedObjectID(
      storeID: context.coordinator.storeID, entityName: context.map.entities[entry.entity].name,
      number: entry.number)
  }

  /// The context's object of a row, read or not.
  func object(of entry: ListEntry) -> Object? {
    if let known = looked[entry.number], known.context === context { return known }
    return context.object(with: id(entry), of: context.map.entities[entry.entity]) as? Object
  }

  /// The object of a row that was just read, which then is no fault.
  func object(of row: RowView, number: Number, in plan: ResultsPlan) -> Object? {
    let entity = context.map.entity(of: row, in: plan.entity.table)
    let id = ManagedObjectID(
      storeID: context.coordinator.storeID, entityName: entity.name, number: number)
    let object = context.object(with: id, of: entity)
    if object.isFault { object.held = HeldRow(row.bytes) }
    return object as? Object
  }

  private func object(atRank rank: Int) -> Object? {
    guard let entry = tree[rank], let object = object(of: entry) else { return nil }
    if object.isFault, !object.isInaccessible { load(batchAround: rank) }
    looked[entry.number] = object
    return object
  }

  /// Reads the faults of the batch that a row is in.
  private func load(batchAround rank: Int) {
    let start = rank - rank % batchSize
    var batch: [Object] = []
    for rank in start..<min(start + batchSize, count) {
      guard let entry = tree[rank], let object = object(of: entry) else { continue }
      looked[entry.number] = object
      if object.isFault, !object.isInaccessible { batch.append(object) }
    }
    do throws(BolideError) {
      let reader = try context.reader()
      defer { context.release(reader) }
      try context.fire(batch, from: reader)
      rowsLoaded += batch.count
      context.awaken(batch)
    } catch {
      // The row is read again when its values are; that error goes to the context's fault handler.
      errorHandler?(error)
    }
  }
}

import BolideStorage
import CLMDB
import Foundation

extension LMDBStore {
  /// Opens the store at a location, or creates it where there is none and a layout is given.
  ///
  /// - Parameter isFresh: whether this process wrote the file just now, so that its pages need no check.
  static func open(
    _ backend: LMDBBackend, _ location: Location, layout: Layout?, options: OpenOptions, isFresh: Bool = false
  ) throws(BolideError) -> LMDBStore {
    let folder = try StoreFolder(location)
    let deadline = ContinuousClock.now + options.timeout
    switch try folder.inspect() {
    case .store(let identity):
      return try open(backend, folder, identity, options, layout, until: deadline, isFresh: isFresh)
    case .absent, .unfinished:
      guard let layout else { throw BolideError(.storeMissing, "There is no store at \(folder.path)") }
      if options.isReadOnly {
        throw BolideError(
          .storeMissing, "There is no store at \(folder.path), and none is created for reading only")
      }
      return try create(backend, folder, layout, options, until: deadline)
    }
  }

  // MARK: - An existing store

  private static func open(
    _ backend: LMDBBackend, _ folder: StoreFolder, _ identity: FileIdentity, _ options: OpenOptions,
    _ layout: Layout?, until deadline: ContinuousClock.Instant, isFresh: Bool = false
  ) throws(BolideError) -> LMDBStore {
    let lease = try EnvironmentRegistry.shared.lease(identity) { () throws(BolideError) in
      // Room for the layout that is wanted, too, which the store may be brought to while snapshots of it are open.
      let wanted = layout.map { Catalogue($0).databaseCount } ?? 0
      return try openEnvironment(
        backend, folder, databases: wanted, isReadOnly: options.isReadOnly, isFresh: isFresh)
    }
    if lease.environment.isReadOnly, !options.isReadOnly {
      throw BolideError(.storeReadOnly, "The store at \(folder.path) cannot be written")
    }
    let schema = try readSchema(lease.environment, until: deadline)
    return LMDBStore(backend, options, lease, schema)
  }

  /// Opens the environment of a file that this process has not open, and looks for damage in its pages.
  private static func openEnvironment(
    _ backend: LMDBBackend, _ folder: StoreFolder, databases wanted: Int, isReadOnly: Bool, isFresh: Bool
  ) throws(BolideError) -> Environment {
    let file = try PageFile(folder.dataPath)
    let count = file.databases(try file.newestMeta()).count
    let limit = Catalogue.databaseLimit(for: max(count, wanted))
    let environment: Environment
    do throws(BolideError) {
      environment = try Environment(
        folder, mapBytes: backend.mapBytes, isReadOnly: false, databases: limit)
    } catch {
      guard isReadOnly, error.code == .storeReadOnly else { throw error }
      environment = try Environment(folder, mapBytes: backend.mapBytes, isReadOnly: true, databases: limit)
    }
    if isFresh { return environment }
    do throws(BolideError) {
      try checkPages(of: environment, in: file)
    } catch {
      environment.close()
      throw error
    }
    return environment
  }

  /// Looks at the file's pages under a read transaction, before LMDB follows any of them.
  private static func checkPages(
    of environment: Environment, in file: PageFile
  ) throws(BolideError) {
    // Where writers go on too fast to find a state before it is the last but one, another is tried.
    for _ in 0..<4 {
      let reading = try environment.beginRead()
      defer { environment.endRead(reading) }
      if try checkPages(reading, in: file, isWhole: false) { return }
    }
  }

  /// Looks at the pages of the state that a transaction reads; false where writers have gone on too far to find it.
  ///
  /// - Parameter isWhole: whether all pages are looked at, or the upper ones of a large file.
  static func checkPages(
    _ reading: Reading, in file: PageFile, isWhole: Bool
  ) throws(BolideError) -> Bool {
    guard let meta = try file.meta(ofTransaction: UInt64(mdb_txn_id(reading.transaction))) else {
      return false
    }
    let budget = isWhole || file.isShort(meta) ? nil : PageFile.openingBudget
    if let problem = file.problem(in: meta, budget: budget) {
      throw LMDBFailure.damaged("The file \(file.path) is damaged: \(problem)")
    }
    return true
  }

  /// Reads the catalogue and opens the databases that this process has not open yet.
  private static func readSchema(
    _ environment: Environment, until deadline: ContinuousClock.Instant
  ) throws(BolideError) -> StoredSchema {
    if let schema = try readSchema(environment, openingDatabases: false) { return schema }
    // Opening databases must not overlap with a transaction that does so, too: those are writers.
    guard environment.queue.enter(until: deadline) else {
      throw BolideError(.storeBusy, "A writer held the store at \(environment.path) until the deadline")
    }
    defer { environment.queue.leave() }
    guard let schema = try readSchema(environment, openingDatabases: true) else {
      throw LMDBFailure.damaged("The catalogue of \(environment.path) is missing")
    }
    return schema
  }

  private static func readSchema(
    _ environment: Environment, openingDatabases: Bool
  ) throws(BolideError) -> StoredSchema? {
    if !openingDatabases, environment.database(Catalogue.metadataName) == nil { return nil }
    var opened: [String: MDB_dbi] = [:]
    var isMissing = false
    let reading = try environment.beginRead(parkable: false)
    environment.mapLock.lockShared()
    func handle(_ name: String) throws(BolideError) -> MDB_dbi {
      if let known = environment.database(name) { return known }
      guard openingDatabases else {
        isMissing = true
        return 0
      }
      let database = try Environment.openDatabase(
        name, integerKeys: Catalogue.hasIntegerKeys(name), creating: false, in: reading.transaction)
      opened[name] = database
      return database
    }
    let schema: StoredSchema
    do throws(BolideError) {
      let metadata = try handle(Catalogue.metadataName)
      schema = try StoredSchema(try readCatalogue(reading.transaction, metadata, environment.path), handle)
      environment.mapLock.unlock()
    } catch {
      environment.mapLock.unlock()
      try environment.endRead(reading, keepingDatabases: false)
      throw error
    }
    // Committing a read transaction keeps the handles it opened; ending it otherwise would not.
    try environment.endRead(reading, keepingDatabases: openingDatabases)
    environment.remember(opened)
    return isMissing ? nil : schema
  }

  private static func readCatalogue(
    _ transaction: OpaquePointer, _ metadata: MDB_dbi, _ path: String
  ) throws(BolideError) -> Catalogue {
    func read<T>(
      _ key: [UInt8], _ body: (UnsafeRawBufferPointer) throws(BolideError) -> T
    ) throws(BolideError) -> T {
      try key.withBytes { (bytes) throws(BolideError) -> T in
        var key = MDB_val(bytes)
        var data = MDB_val()
        let code = mdb_get(transaction, metadata, &key, &data)
        if code == MDB_NOTFOUND { throw LMDBFailure.damaged("The metadata of \(path) are incomplete") }
        try check(code, "read the metadata of \(path)")
        return try body(data.bytes)
      }
    }
    try read(MetadataRecord.format) { (bytes) throws(BolideError) in
      try MetadataRecord.checkFormat(bytes, path)
    }
    return try read(MetadataRecord.catalogue) { (bytes) throws(BolideError) in
      try Catalogue(decoding: bytes)
    }
  }

  // MARK: - A new store

  private static func create(
    _ backend: LMDBBackend, _ folder: StoreFolder, _ layout: Layout, _ options: OpenOptions,
    until deadline: ContinuousClock.Instant
  ) throws(BolideError) -> LMDBStore {
    if let problem = layout.problem { throw LMDBFailure.misuse("The layout cannot be kept: \(problem)") }
    let isNew = try folder.make()
    let creation = try FileLock(folder: folder.path)
    guard try creation.lock(until: deadline) else {
      throw BolideError(.storeBusy, "Another process was creating the store at \(folder.path)")
    }
    // Another process may have created it while this one waited.
    if case .store(let identity) = try folder.inspect() {
      creation.unlock()
      return try open(backend, folder, identity, options, layout, until: deadline)
    }
    defer { creation.unlock() }
    do throws(BolideError) {
      let store = try fill(backend, folder, layout, options)
      creation.noteMade()
      return store
    } catch {
      folder.remove(withFolder: isNew)
      throw error
    }
  }

  /// Writes an empty store. A kill before its only commit leaves a folder that is created anew.
  private static func fill(
    _ backend: LMDBBackend, _ folder: StoreFolder, _ layout: Layout, _ options: OpenOptions
  ) throws(BolideError) -> LMDBStore {
    let catalogue = Catalogue(layout)
    let (lease, schema) = try EnvironmentRegistry.shared.lease {
      () throws(BolideError) -> (Environment, FileIdentity, StoredSchema) in
      let environment = try Environment(
        folder, mapBytes: backend.mapBytes, isReadOnly: false,
        databases: Catalogue.databaseLimit(for: catalogue.databaseCount))
      do throws(BolideError) {
        let schema = try environment.create(catalogue)
        var status = stat()
        guard stat(folder.dataPath, &status) == 0 else {
          throw LMDBFailure.system(errno, "look at \(folder.dataPath)")
        }
        return (environment, FileIdentity(status), schema)
      } catch {
        environment.close()
        throw error
      }
    }
    folder.sync()
    return LMDBStore(backend, options, lease, schema)
  }
}

extension Environment {
  /// Creates the databases and metadata of a new store in one synced transaction.
  fileprivate func create(_ catalogue: Catalogue) throws(BolideError) -> StoredSchema {
    let transaction = try beginWrite(.power)
    var opened: [String: MDB_dbi] = [:]
    let schema: StoredSchema
    do throws(BolideError) {
      schema = try StoredSchema(catalogue) { (name) throws(BolideError) in
        let database = try Self.openDatabase(
          name, integerKeys: Catalogue.hasIntegerKeys(name), creating: true, in: transaction)
        opened[name] = database
        return database
      }
      let writer = RecordWriter(transaction: transaction, database: schema.fixed.metadata)
      try writer.put(MetadataRecord.format, MetadataRecord.formatText)
      try writer.put(catalogue)
    } catch {
      mdb_txn_abort(transaction)
      throw error
    }
    try check(mdb_txn_commit(transaction), "create the store at \(path)")
    remember(opened)
    return schema
  }
}

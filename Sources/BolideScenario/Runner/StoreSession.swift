import Bolide
import BolideConformance
import BolideFeeds
import BolideStorage
import Foundation
import Synchronization

/// One scenario on one store: its open containers, contexts, captures, clock and files.
package final class StoreSession: StepPerformer {
  /// A context that steps speak of, with its place in history.
  final class OpenContext {
    let name: String
    let process: String
    let context: ManagedObjectContext
    /// What has been merged; nil is the start.
    var position: PersistentHistoryToken?
    /// What the context held until a merge told that it was deleted.
    var gone: Set<ManagedObjectID> = []

    init(name: String, process: String, context: ManagedObjectContext, position: PersistentHistoryToken?) {
      self.name = name
      self.process = process
      self.context = context
      self.position = position
    }

    /// Runs the body under another merge policy.
    func with<Result>(
      _ policy: MergePolicy?, _ body: (ManagedObjectContext) throws -> Result
    ) rethrows -> Result {
      guard let policy else { return try body(context) }
      let usual = context.mergePolicy
      context.mergePolicy = policy
      defer { context.mergePolicy = usual }
      return try body(context)
    }
  }

  /// What a step left under a name.
  enum Capture {
    case objects([ManagedObject], in: OpenContext)
    /// Objects whose context is gone.
    case ids([ManagedObjectID])
    case token(PersistentHistoryToken)
    case generation(QueryGeneration)
    case list(OpenList)
  }

  private enum ProcessState {
    case waiting
    case running(PersistentContainer)
    case ended
  }

  /// Rung by the store on any thread.
  private final class Bell: Sendable {
    private let isRung = Mutex(false)

    func ring() { isRung.withLock { $0 = true } }
    func drain() -> Bool {
      isRung.withLock { rung in
        defer { rung = false }; return rung
      }
    }
  }

  /// The scenario's own process; declared ones are never called so, as names start with a letter.
  private static let mainProcess = ""

  /// Where days begin.
  var timeZone: TimeZone { TimeZone(identifier: program.declarations.timeZone) ?? .gmt }

  package let storeName: String
  package private(set) var explanation: String?
  let clock: TestClock
  private let program: ScenarioProgram
  private let capabilities: [String: Bool]
  private let store: ReplayStore
  private let location: StoreLocation
  /// The disk of the store, where the scenario fills it.
  private let limit: DiskLimit?
  /// The store's files, once they were damaged.
  private var files: StoreFiles?
  private let scratch: URL
  private let environment: StoreEnvironment
  private let bell = Bell()
  private var subscription: (any AnyObject & Sendable)?
  private var schema: Schema
  private var keepsHistory: Bool
  private var processes: [String: ProcessState] = [:]
  private var contexts: [String: OpenContext] = [:]
  private var captures: [String: Capture] = [:]
  private(set) var lastTokenFile: URL?

  /// Opens the store in a folder of its own and the declared contexts in it.
  ///
  /// - Throws: What opening the store throws.
  package init(_ program: ScenarioProgram, on store: ReplayStore, scratch: URL) throws {
    self.program = program
    self.scratch = scratch
    self.store = store
    storeName = store.name
    capabilities = store.capabilities
    var location = try store.location(scratch.appending(path: "store", directoryHint: .isDirectory))
    if program.declarations.syncsCommits { location.options.durability = .power }
    limit = program.scenario.steps.contains { $0.verb.text == DiskVerb.name } ? DiskLimit() : nil
    if let limit {
      location = StoreLocation(
        ForwardingBackend(location.backend, limit.wrapping), location.location, options: location.options)
    }
    self.location = location
    schema = program.schema
    keepsHistory = program.declarations.keepsHistory
    clock = TestClock(
      CanonicalText.date(program.declarations.clock) ?? Date(timeIntervalSinceReferenceDate: 0))
    environment = .fixed(clock: clock, seed: program.declarations.seed, processName: "scenario")
    for process in program.declarations.processes { processes[process.text] = .waiting }
    try open(Self.mainProcess)
  }

  package func has(_ capability: String) -> Bool {
    capability == "feeds" ? program.hasFeeds : capabilities[capability] ?? false
  }

  package func perform(_ index: Int) -> [String] {
    explanation = nil
    do {
      return try program.verbs[index].run(program.scenario.steps[index], in: self).map(BlockPattern.escaped)
    } catch {
      explanation = TranscriptText.explanation(error)
      return TranscriptText.error(error).map(BlockPattern.escaped)
    }
  }

  /// Closes everything; the session is of no use afterwards.
  package func close() {
    for process in processes.keys { try? end(process, closing: true) }
    captures = [:]
  }

  // MARK: Processes

  private func open(_ process: String) throws {
    var environment = environment
    if process != Self.mainProcess { environment.processName = process }
    let options = ContainerOptions(history: keepsHistory ? .on : .off, environment: environment)
    let container = try PersistentContainer(schema, at: location, options: options)
    processes[process] = .running(container)
    if process == Self.mainProcess {
      let bell = bell
      subscription = container.onRemoteChange { bell.ring() }
    }
    for declared in program.declarations.contexts
    where (declared.process?.text ?? Self.mainProcess) == process {
      try open(declared, in: container, process: process)
    }
  }

  private func open(
    _ declared: Declarations.Context, in container: PersistentContainer, process: String
  ) throws {
    let context = container.newContext(author: declared.author, name: declared.name.text)
    // Steps speak of objects by number, so a context holds on to all that it has read.
    context.retainsRegisteredObjects = true
    context.mergePolicy = declared.policy.map(MergePolicy.init)
    context.automaticallyMergesChangesFromParent = declared.mergesAutomatically
    if declared.isPinned { try context.setQueryGeneration(from: .current) }
    contexts[declared.name.text] = OpenContext(
      name: declared.name.text, process: process, context: context,
      position: try container.currentToken())
  }

  /// Starts a declared process.
  func start(_ process: String) throws {
    if case .running? = processes[process] {
      throw BolideError(.processRunning, "the process \(process) runs already")
    }
    try open(process)
  }

  /// Ends a process; its contexts and what they had not saved are gone.
  func end(_ process: String, closing: Bool) throws {
    guard case .running(let container)? = processes[process] else {
      throw BolideError(.processNotRunning, "the process \(process) does not run")
    }
    for context in contexts.values where context.process == process {
      release(context)
      // A list would keep its context, and what that has pinned.
      captures = captures.filter { _, capture in
        if case .list(let list) = capture { list.context !== context } else { true }
      }
      contexts[context.name] = nil
    }
    processes[process] = .ended
    if process == Self.mainProcess { subscription = nil }
    if closing { try container.close() }
  }

  /// Ends the scenario's own process and starts it anew.
  func reopen(model: String?, keepsHistory: Bool?, closing: Bool) throws {
    if case .running? = processes[Self.mainProcess] { try end(Self.mainProcess, closing: closing) }
    // What the store refuses is not kept for the next time.
    let usual = (schema, self.keepsHistory)
    do {
      if let model { schema = try program.models.schema(named: model) }
      if let keepsHistory { self.keepsHistory = keepsHistory }
      try open(Self.mainProcess)
    } catch {
      (schema, self.keepsHistory) = usual
      throw error
    }
  }

  /// The container of the scenario's own process.
  func mainContainer() throws -> PersistentContainer { try container(Self.mainProcess) }

  private func container(_ process: String) throws -> PersistentContainer {
    if case .waiting? = processes[process] { try open(process) }
    guard case .running(let container)? = processes[process] else {
      let name = process == Self.mainProcess ? "the store" : "the process \(process)"
      throw BolideError(.processNotRunning, "\(name) is not open")
    }
    return container
  }

  func drainSignals() -> Bool { bell.drain() }

  // MARK: Files and disk

  /// Closes the store everywhere and does something to its files.
  ///
  /// - Throws: `store.unsupported` where the store keeps none.
  func damage(_ body: (inout StoreFiles) throws -> Void) throws {
    try checkDurable("files that could be damaged")
    for process in processes.keys {
      if case .running? = processes[process] { try end(process, closing: true) }
    }
    var spoiled = try files ?? StoreFiles(at: location.location.path)
    try body(&spoiled)
    files = spoiled
  }

  /// What stands beside another store of the same kind while it is in use.
  func sidecarsOfAnotherStore() throws -> [(suffix: String, bytes: Data)] {
    let folder = scratch.appending(path: "other", directoryHint: .isDirectory)
    let other = try store.location(folder)
    let container = try PersistentContainer(schema, at: other)
    defer {
      try? container.close()
      try? FileManager.default.removeItem(at: folder)
    }
    // Something has to stand in a log.
    try container.registerConsumer("other")
    return try StoreFiles.sidecars(at: other.location.path).map { ($0.suffix, try Data(contentsOf: $0.file)) }
  }

  /// The disk that the store is on.
  ///
  /// - Throws: `store.unsupported` where it is on none.
  func disk() throws -> DiskLimit {
    try checkDurable("a disk that could be full")
    guard let limit else {
      throw BolideError(.storeUnsupported, "the store was opened without a limited disk")
    }
    return limit
  }

  private func checkDurable(_ what: String) throws {
    if !has("durable") { throw BolideError(.storeUnsupported, "the \(storeName) store has no \(what)") }
  }

  // MARK: Contexts

  /// The context of that name, opened with its process if need be.
  func context(_ name: String) throws -> OpenContext {
    let declared = program.declarations.contexts.first { $0.name.text == name }
    _ = try container(declared?.process?.text ?? Self.mainProcess)
    guard let context = contexts[name] else {
      throw BolideError(.processNotRunning, "the context \(name) is not open")
    }
    // What other contexts saved is merged before a step, as it would be between two events of a program.
    try context.context.processPendingChanges()
    return context
  }

  func container(of context: OpenContext) throws -> PersistentContainer { try container(context.process) }

  /// Lets go of a context's objects; captures keep their ids.
  func release(_ context: OpenContext) {
    for (name, capture) in captures {
      if case .objects(let objects, let owner) = capture, owner === context {
        captures[name] = .ids(objects.map(\.objectID))
      }
    }
  }

  /// The transaction that a context shows.
  func head(of context: OpenContext) throws -> UInt64 {
    try context.context.queryGeneration?.token.number ?? container(of: context).currentToken().number
  }

  // MARK: Captures and files

  func capture(_ capture: Capture, as name: Name?) {
    if let name { captures[name.text] = capture }
  }

  func captured(_ name: String) throws -> Capture {
    guard let capture = captures[name] else {
      throw BolideError(.referenceNone, "nothing was captured as $\(name)")
    }
    return capture
  }

  func tokenFile(_ name: String) -> TokenFile {
    let url = scratch.appending(path: "files").appending(path: name)
    lastTokenFile = url
    return TokenFile(url)
  }

  /// The bytes of a payload or of a file under the roots.
  func bytes(of file: String) throws -> [UInt8] { try program.roots.bytes(of: file) }

  /// A payload or a file under the roots as a document of a feed.
  func document(_ file: String) throws -> FeedDocument {
    switch try program.roots.resolve(file) {
    case .file(let url): .file(url.path)
    case .payload(let bytes): .bytes(bytes, named: file)
    }
  }
}

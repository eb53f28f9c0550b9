import Bolide
import BolideStorage
import Foundation

/// Asks stores random requests and compares what they give with the reference.
public struct QueryFuzzer: Sendable {
  /// A request that a store answered in another way than the reference.
  public struct Difference: Error, Sendable, CustomStringConvertible {
    /// The store's name.
    public let store: String
    /// The seed of the run and how many requests were asked before.
    public let seed: UInt64
    public let requestIndex: Int
    /// The request, made as small as can be.
    public let request: String
    /// What the reference gives, and what the store gave, line by line.
    public let expected: [String]
    public let seen: [String]
    /// A scenario that shows the difference: it passes on a store that answers as the reference does.
    public let scenario: String

    public var description: String {
      """
      \(store) differs from the reference at request \(requestIndex) with seed \(seed)
        \(request)
        expected \(expected.joined(separator: " | "))
        seen     \(seen.joined(separator: " | "))
      """
    }
  }

  /// What a run did.
  public struct Summary: Sendable {
    /// Requests that were compared on every store.
    public var requests = 0
    /// Requests among them that a store refused, as it may, since a sum was out of range.
    public var overflows = 0
    /// Batch updates and deletes among them.
    public var batches = 0
    /// Requests over unsaved edits among them.
    public var overEdits = 0
    /// Lines that all stores agreed on.
    public var lines = 0

    /// A run that did nothing yet.
    public init() {}
  }

  /// How many requests are asked of one world.
  private static let requestsPerWorld = 250

  /// Stores under one schema, by their names.
  public typealias Stores = [(name: String, container: PersistentContainer)]

  private let seed: UInt64
  private let withStores: @Sendable (Schema, (Stores) throws -> Void) throws -> Void

  /// Fuzzes the stores that a closure opens, empty, hands to the closure it gets, and closes.
  public init(
    seed: UInt64, stores: @escaping @Sendable (Schema, (Stores) throws -> Void) throws -> Void
  ) {
    self.seed = seed
    withStores = stores
  }

  /// Asks requests until there were enough.
  ///
  /// - Parameter progress: called after each world with what was done.
  /// - Throws: ``Difference``, and what opening and filling stores throws.
  public func run(requests: Int, progress: (Summary) -> Void = { _ in }) throws -> Summary {
    var summary = Summary()
    var random = QueryRandom(seed: seed)
    while summary.requests < requests {
      var world = QueryWorld(seed: random.next(), objectCount: random.pick([0, 3, 20, 60, 120]))
      if random.chance(3) { world.addEdits(&random) }
      var generator = QueryGenerator(world: world.edited, seed: random.next())
      generator.makesBatches = world.edits.isEmpty
      let count = min(Self.requestsPerWorld, requests - summary.requests)
      let first = summary.requests
      var differing: Answer?
      try withStores(world.schema) { stores in
        for store in stores { try world.fill(store.container) }
        let contexts = try stores.map { try world.context(in: $0.container) }
        let map = try SchemaMap(world.schema)
        while summary.requests < first + count, differing == nil {
          let request = generator.next()
          try checkText(of: request, map: map)
          let before = world
          if let answer = ask(request, of: stores, contexts, &world, &summary) {
            differing = answer
            world = before
          }
          if request.isBatch { generator.world = world }
          summary.requests += 1
        }
      }
      if let differing {
        throw try difference(differing, world, at: summary.requests - 1)
      }
      progress(summary)
    }
    return summary
  }

  /// What a store gave to a request, and what the reference gives.
  private struct Answer {
    var store: String
    var request: QueryRequest
    var expected: [String]
    var seen: [String]
  }

  /// Asks all stores, and makes of the world what the request makes of them; returns the answer of one that differs.
  private func ask(
    _ request: QueryRequest, of stores: Stores, _ contexts: [QueryContext], _ world: inout QueryWorld,
    _ summary: inout Summary
  ) -> Answer? {
    var reference = ReferenceEvaluator(world)
    let expected = reference.lines(request)
    // A sum that one store meets and another does not would leave them different.
    if request.isBatch, reference.hasOverflow { return nil }
    if request.isBatch {
      world = reference.world
      summary.batches += 1
    }
    if !world.edits.isEmpty { summary.overEdits += 1 }
    summary.lines += expected.count
    for (store, edited) in zip(stores, contexts) {
      // What is not edited is asked in a context that knows nothing yet.
      let context =
        world.edits.isEmpty ? QueryContext(context: store.container.newContext(), names: [:]) : edited
      let seen = Self.lines(request, context)
      if reference.hasOverflow {
        if seen == Self.overflow { summary.overflows += 1 }
      } else if !seen.elementsEqual(expected, by: { $0.utf8.elementsEqual($1.utf8) }) {
        return Answer(store: store.name, request: request, expected: expected, seen: seen)
      }
    }
    return nil
  }

  private static let overflow = ["error aggregate.overflow"]

  private static func lines(_ request: QueryRequest, _ context: QueryContext) -> [String] {
    do {
      return try request.lines(in: context)
    } catch let error as BolideError {
      return ["error \(error.code.name)"]
    } catch {
      return ["error \(error)"]
    }
  }

  /// What a request's text says must be the request.
  private func checkText(of request: QueryRequest, map: SchemaMap) throws {
    guard let condition = request.condition, !request.hasNaN else { return }
    let scope = EntityScope(try map.entity(request.entity), in: map)
    let read = try Condition(parsing: condition.description, in: scope)
    try check(
      read == (try condition.checked(in: scope)), "the text \(condition) reads as \(read), seed \(seed)")
  }

  // MARK: Shrinking

  /// The difference, with a world and a request from which nothing more can be left out; as it was seen where a new store does
  /// not show it.
  private func difference(_ first: Answer, _ world: QueryWorld, at index: Int) throws -> Difference {
    let store = first.store
    // A new store gives other numbers where objects were deleted before.
    var (request, world) = (first.request, world.without([]))
    var attempts = 400
    func differs(_ request: QueryRequest, _ world: QueryWorld) -> Bool {
      attempts -= 1
      return attempts > 0 && (try? answers(store, request, world)).map { $0.expected != $0.seen } == true
    }
    var isSmaller = true
    while isSmaller {
      isSmaller = false
      for smaller in request.smaller where differs(smaller, world) {
        request = smaller
        isSmaller = true
        break
      }
    }
    for index in world.edits.indices.reversed() {
      var smaller = world
      smaller.edits.remove(at: index)
      if differs(request, smaller) { world = smaller }
    }
    var size = max(1, world.objects.count / 2)
    while size >= 1 {
      var start = 0
      while start < world.objects.count {
        let smaller = world.without(Set(start..<min(start + size, world.objects.count)))
        if differs(request, smaller) { world = smaller } else { start += size }
      }
      size = size == 1 ? 0 : size / 2
    }
    let (expected, seen) = try answers(store, request, world)
    if expected == seen {
      // What came before it matters: the run itself, with this seed, is what shows it.
      return Difference(
        store: store, seed: seed, requestIndex: index, request: first.request.description,
        expected: first.expected, seen: first.seen,
        scenario: "# A new store does not show the difference: run the same seed again.\n")
    }
    return Difference(
      store: store, seed: seed, requestIndex: index, request: request.description, expected: expected,
      seen: seen, scenario: QueryScenario.text(request, world, expected: expected))
  }

  private func answers(
    _ store: String, _ request: QueryRequest, _ world: QueryWorld
  ) throws -> (expected: [String], seen: [String]) {
    var reference = ReferenceEvaluator(world)
    let expected = reference.lines(request)
    var seen: [String] = []
    try withStores(world.schema) { stores in
      let container = try checkPresent(stores.first { $0.name == store }?.container, "the store \(store)")
      try world.fill(container)
      seen = Self.lines(request, try world.context(in: container))
    }
    return reference.hasOverflow ? (seen, seen) : (expected, seen)
  }
}

import Bolide
import BolideStorage

/// Two contexts that read the same state edit one object; the first saves, and the second saves under a policy. What must
/// come of it is written down here without looking at how saves do it (rule U-10).
package struct GraphContention: Hashable, Sendable {
  package enum Edit: Hashable, Sendable {
    /// Another text.
    case text(Int)
    /// Another energy.
    case energy(Int)
    /// Another observer, or none.
    case observer(Int?)
    case delete
  }

  /// Which fireball, modulo how many there are.
  package var pick: Int
  package var first: Edit
  package var second: Edit
  package var policy: MergePolicy

  static func random(using random: inout SplitMix64) -> GraphContention {
    func edit() -> Edit {
      let number = Int.random(in: 0..<6, using: &random)
      switch Int.random(in: 0..<8, using: &random) {
      case 0...2: return .text(number)
      case 3...4: return .energy(number)
      case 5...6: return .observer(number == 0 ? nil : number)
      default: return .delete
      }
    }
    return GraphContention(
      pick: .random(in: 0..<1000, using: &random), first: edit(), second: edit(),
      policy: MergePolicy.allCases.randomElement(using: &random) ?? .error)
  }

  /// Edits and saves.
  ///
  /// - Returns: what was to be and was.
  /// - Throws: ``GraphWorld/Problem`` where something else is stored.
  func run(in container: PersistentContainer) throws -> String {
    let contexts = ["first", "second"].map { container.newContext(author: $0) }
    let found = try contexts.map {
      try $0.fetch(FetchRequest<ManagedObject>(entity: "Fireball", sort: [SortTerm("key")]))
    }
    guard let count = found.first?.count, count > 0 else { return "nothing" }
    let objects = found.map { $0[pick % count] }
    let base = try Picture(objects[0])
    let edits = [first, second]
    var wanted = [base, base]
    for (place, edit) in edits.enumerated() {
      wanted[place] = try apply(edit, to: objects[place], in: contexts[place])
    }
    try contexts[0].save()
    var refusal: ErrorCode?
    do {
      try contexts[1].save(policy: policy)
    } catch let error as BolideError {
      refusal = error.code
    }
    let (expected, code) = outcome(base, wanted[0], wanted[1])
    let fresh = container.newContext()
    let stored = try Picture(fresh, objects[0].objectID)
    if refusal != code || stored != expected {
      throw GraphWorld.Problem(lines: [
        "\(objects[0].objectID): \(first), then \(second) under \(policy)",
        "expected \(expected) and \(code?.name ?? "no error")",
        "saw \(stored) and \(refusal?.name ?? "no error")",
      ])
    }
    return "\(objects[0].objectID) \(stored) \(refusal?.name ?? "saved")"
  }

  private func apply(
    _ edit: Edit, to object: ManagedObject, in context: ManagedObjectContext
  ) throws -> Picture {
    switch edit {
    case .text(let text): try object.setValue(.string("contended \(text)"), for: "text")
    case .energy(let energy): try object.setValue(.double(Double(energy)), for: "energy")
    case .observer(let pick):
      let all = try context.fetch(FetchRequest<ManagedObject>(entity: "Observer"))
      try object.setObject(pick.flatMap { all.isEmpty ? nil : all[$0 % all.count] }, for: "observer")
    case .delete:
      context.delete(object)
      return .gone
    }
    return try Picture(object)
  }

  /// What must be stored at the end, and what the second save throws.
  private func outcome(_ base: Picture, _ first: Picture, _ second: Picture) -> (Picture, ErrorCode?) {
    if second == base { return (first, nil) }
    if first == base { return (second, nil) }
    if first == .gone {
      let isRefused = policy != .storeTrump && policy != .rollback && second != .gone
      return (.gone, isRefused ? .conflictDeleted : nil)
    }
    switch policy {
    case .error: return (first, .conflictVersion)
    case .rollback: return (first, nil)
    case .overwrite: return (second.keepingObserver(of: first, over: base), nil)
    case .objectTrump: return (second == .gone ? .gone : first.taking(second, over: base, unless: nil), nil)
    case .storeTrump: return (second == .gone ? first : first.taking(second, over: base, unless: base), nil)
    }
  }
}

extension GraphContention {
  /// What is contended for: the columns of a fireball.
  fileprivate struct Picture: Equatable, CustomStringConvertible {
    static let gone = Picture(values: nil)
    private static let names = ["energy", "text"]

    private var values: [String: String]?

    private init(values: [String: String]?) { self.values = values }

    init(_ object: ManagedObject) throws {
      var values: [String: String] = [:]
      for name in Self.names { values[name] = CanonicalText.text(try object.value(name)) }
      values["observer"] = try object.object("observer")?.objectID.description ?? "none"
      self.values = values
    }

    /// The object as a context finds it.
    init(_ context: ManagedObjectContext, _ id: ManagedObjectID) throws {
      do {
        try self.init(try context.existingObject(with: id))
      } catch let error as BolideError where error.code == .objectMissing {
        self = .gone
      }
    }

    var description: String {
      values.map { $0.sorted { $0.key < $1.key }.map { "\($0) \($1)" }.joined(separator: "  ") } ?? "gone"
    }

    /// This with the observer of another one, unless this one changed it: all attributes are written, but no link that was
    /// not edited.
    func keepingObserver(of other: Picture, over base: Picture) -> Picture {
      guard var result = values, result["observer"] == base.values?["observer"] else { return self }
      result["observer"] = other.values?["observer"]
      return Picture(values: result)
    }

    /// This with what another one changed since a base; not where this differs from a second base, if one is given.
    func taking(_ other: Picture, over base: Picture, unless stored: Picture?) -> Picture {
      guard var result = values, let edits = other.values, let old = base.values else { return self }
      for (name, value) in edits where value != old[name] {
        if let stored, result[name] != stored.values?[name] { continue }
        result[name] = value
      }
      return Picture(values: result)
    }
  }
}

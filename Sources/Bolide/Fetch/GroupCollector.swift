import BolideStorage

/// Collects objects in groups that have what they are grouped by in common.
struct GroupCollector {
  /// The values to group by.
  let keys: [(operand: Operand, source: OperandSource)]
  /// Each aggregate that something asks for, once.
  let aggregates: [(operand: Operand, source: OperandSource, fresh: AggregateAccumulator)]
  private let columns: [Operand]
  let scope: GroupScope
  private let having: Condition?
  private let sort: [SortTerm]
  /// The keys of the groups, and for each what its objects have in common and its aggregates.
  private var found = KeyTable()
  private var values: [[Value]] = []
  private var accumulators: [AggregateAccumulator] = []
  /// Where keys are made.
  private var scratch: [UInt8] = []
  /// Groups that a store collected.
  private var answer: RowBatch?

  /// What is read of each object.
  var sources: [OperandSource] { keys.map(\.source) + aggregates.map(\.source) }

  init(
    _ columns: [FetchColumn], by paths: [[String]], having: Condition?, sort: [SortTerm], scope: EntityScope
  ) throws(BolideError) {
    let groupScope = GroupScope(object: scope, paths: paths)
    self.columns = columns.map(\.operand)
    self.scope = groupScope
    self.having = try having.map { having throws(BolideError) in try having.checked(in: groupScope) }
    self.sort = sort
    keys = try paths.map { path throws(BolideError) in
      _ = try scope.type(of: path)
      return (.path(path), try OperandSource(path: path, scope: scope))
    }
    var wanted: [Operand] = []
    for operand in self.columns + sort.map(\.operand) + (self.having?.operands ?? []) {
      let type = try operand.type(in: groupScope)
      if type?.type == .reference, sort.contains(where: { $0.operand == operand }) {
        throw BolideError(.predicateType, "objects have no order, so \(operand) does not sort")
      }
      if case .aggregate = operand, !wanted.contains(operand) { wanted.append(operand) }
    }
    var aggregates: [(operand: Operand, source: OperandSource, fresh: AggregateAccumulator)] = []
    for case .aggregate(let aggregate, let path) in wanted {
      let type = path.isEmpty ? ValueType.reference : try scope.type(of: path).type
      let source = path.isEmpty ? OperandSource.number : try OperandSource(path: path, scope: scope)
      aggregates.append((.aggregate(aggregate, path), source, AggregateAccumulator(aggregate, of: type)))
    }
    self.aggregates = aggregates
    // Without anything to group by, all objects are one group, even where there are none.
    if paths.isEmpty { _ = group { [] } }
  }

  /// The place of the group whose key stands in `scratch`.
  ///
  /// - Parameter common: what its objects have in common, asked if it is new.
  private mutating func group(_ common: () -> [Value]) -> Int {
    let (place, isNew) = scratch.withUnsafeBytes { found.place(of: $0) }
    if isNew {
      values.append(common())
      for aggregate in aggregates { accumulators.append(aggregate.fresh) }
    }
    return place
  }

  /// The columns of the keys and of the aggregates, -1 for objects themselves; `nil` where one is no column.
  private var plainColumns: (keys: [Int], aggregates: [Int])? {
    var places: (keys: [Int], aggregates: [Int]) = ([], [])
    for (_, source) in keys {
      guard case .column(let column, _) = source else { return nil }
      places.keys.append(column)
    }
    for (_, source, _) in aggregates {
      switch source {
      case .column(let column, _): places.aggregates.append(column)
      case .number: places.aggregates.append(-1)
      default: return nil
      }
    }
    return places
  }

  /// Adds rows at some places of a batch, if nothing but their columns is looked at; tells whether it did.
  mutating func add(_ rows: RowBatch, at places: [Int]) -> Bool {
    guard let columns = plainColumns else { return false }
    rows.withRows { views in
      for place in places {
        let row = views[place]
        scratch.removeAll(keepingCapacity: true)
        IndexKey.append(row, columns: columns.keys, to: &scratch)
        let first = group { columns.keys.map { row.value($0) } } * columns.aggregates.count
        for (index, column) in columns.aggregates.enumerated() {
          if column < 0 {
            accumulators[first + index].add(.reference(rows.numbers[place]))
          } else {
            accumulators[first + index].add(row, column)
          }
        }
      }
    }
    return true
  }

  mutating func add(_ chunk: RowChunk, reader: any Reader) throws(BolideError) {
    let keyed = try keys.map { key throws(BolideError) in try key.source.values(of: chunk, reader: reader) }
    let added = try aggregates.map { aggregate throws(BolideError) in
      try aggregate.source.values(of: chunk, reader: reader)
    }
    for row in 0..<chunk.count {
      scratch.removeAll(keepingCapacity: true)
      for values in keyed { IndexKey.append(values[row], to: &scratch) }
      let first = group { keyed.map { $0[row] } } * aggregates.count
      for (index, values) in added.enumerated() { accumulators[first + index].add(values[row]) }
    }
  }

  /// Takes over the groups that a store collected: a row for each, what it has in common and then its aggregates.
  mutating func take(_ answer: RowBatch) { self.answer = answer }

  /// The values of the columns, group by group, in order.
  func finish() throws(BolideError) -> [[Value]] {
    var order = GroupOrder(self)
    if let answer {
      answer.withRows { views in
        for row in 0..<views.count {
          var key: [UInt8] = []
          IndexKey.append(views[row], columns: Array(keys.indices), to: &key)
          let values = answer.format.types.indices.map { views[row].value($0) }
          order.add(Array(values[..<keys.count]), key: key, Array(values[keys.count...]))
        }
      }
      return order.rows
    }
    for place in 0..<found.count {
      var results: [Value] = []
      for index in aggregates.indices {
        results.append(try accumulators[place * aggregates.count + index].result())
      }
      order.add(values[place], key: Array(found[place]), results)
    }
    return order.rows
  }

  /// Brings groups in order, those that are wanted.
  struct GroupOrder {
    private let collector: GroupCollector
    private var found: [(key: [UInt8], values: [Value])] = []

    init(_ collector: GroupCollector) { self.collector = collector }

    /// Adds a group.
    ///
    /// - Parameters:
    ///   - values: what its objects have in common.
    ///   - key: the same as a key.
    ///   - results: those of the aggregates.
    mutating func add(_ values: [Value], key: [UInt8], _ results: [Value]) {
      var known: [Operand: Value] = [:]
      for (index, (operand, _)) in collector.keys.enumerated() { known[operand] = values[index] }
      for (index, (operand, _, _)) in collector.aggregates.enumerated() { known[operand] = results[index] }
      if let having = collector.having, !having.holds({ known[$0] ?? .null }) { return }
      var order: [UInt8] = []
      for term in collector.sort { RowOrder.append(known[term.operand] ?? .null, by: term, to: &order) }
      let start = order.count
      order += key
      if collector.sort.last?.ascending == false { RowOrder.invert(&order, from: start) }
      found.append((order, collector.columns.map { known[$0] ?? .null }))
    }

    /// The values of the columns, group by group.
    var rows: [[Value]] { found.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.values) }
  }
}

extension Condition {
  /// The sides of all comparisons outside members' conditions.
  fileprivate var operands: [Operand] {
    switch self {
    case .true, .false, .members: []
    case .and(let parts), .or(let parts): parts.flatMap(\.operands)
    case .not(let part): part.operands
    case .compare(let left, _, let right, _): [left, right].filter(\.isVariable)
    case .in(let operand, _, _): [operand]
    }
  }
}

extension Operand {
  /// Whether the operand differs from object to object.
  fileprivate var isVariable: Bool {
    switch self {
    case .path, .itself, .aggregate: true
    case .literal, .object, .stored: false
    }
  }
}

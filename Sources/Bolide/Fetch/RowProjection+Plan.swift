import BolideStorage

extension RowProjection {
  /// What a store is asked for the rows to be the projection's; `nil` where no plan can say it.
  var planResult: PlanResult? {
    if let groups { return groups.planResult }
    var operands: [PlanOperand] = []
    for source in sources {
      guard let operand = PlanLowering.operand(source) else { return nil }
      operands.append(operand)
    }
    return .values(operands, isDistinct: isDistinct)
  }

  /// Takes over a store's answer to a grouped or distinct request.
  mutating func take(_ answer: RowBatch) {
    if groups != nil {
      groups?.take(answer)
      return
    }
    answer.withRows { views in
      for row in 0..<views.count { append(sources.indices.map { views[row].value($0).asFetched }) }
    }
  }
}

extension GroupCollector {
  /// What a store is asked for the groups; `nil` where no plan can say it.
  fileprivate var planResult: PlanResult? {
    var operands: [PlanOperand] = []
    for key in keys {
      guard let operand = PlanLowering.operand(key.source) else { return nil }
      operands.append(operand)
    }
    var planned: [PlanAggregate] = []
    for (operand, source, fresh) in aggregates {
      guard let value = PlanLowering.operand(source), case .aggregate(let aggregate, _) = operand,
        let type = try? operand.type(in: scope)?.type
      else { return nil }
      switch aggregate {
      case .count: planned.append(.count)
      case .minimum where type != .decimal: planned.append(.minimum(value))
      case .maximum where type != .decimal: planned.append(.maximum(value))
      // Sums are exact (rules V-7 and V-8), and decimals have an order of their own: both by our code.
      case .sum, .average, .minimum, .maximum:
        planned.append(
          .fold(value, ValueFold(aggregate.rawValue, of: type) { AccumulatorOfGroup(fresh) }))
      }
    }
    return .groups(by: operands, planned)
  }
}

/// An aggregate of one group, as stores call it.
private final class AccumulatorOfGroup: ValueAccumulator {
  private var accumulator: AggregateAccumulator

  init(_ fresh: AggregateAccumulator) { accumulator = fresh }

  func add(_ value: Value) { accumulator.add(value) }

  func result() throws(BolideError) -> Value { try accumulator.result() }
}

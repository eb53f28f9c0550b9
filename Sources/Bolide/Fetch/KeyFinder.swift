import BolideStorage

/// Finds what a condition demands of one column, whatever else it says.
struct KeyFinder {
  let scope: EntityScope
  /// The column; `nil` for the number of the object.
  let column: Int?

  /// Keys of which every object that meets a condition has one.
  struct Demand {
    var keys: KeySet
    /// Whether every object with one of the keys meets the condition.
    var isExact = true

    static let everything = Demand(keys: KeySet.all)
    static let nothing = Demand(keys: KeySet.none)
  }

  /// What a checked condition demands; `nil` where it demands nothing of the column.
  func demand(of condition: Condition) -> Demand? {
    switch condition {
    case .true: return Demand.everything
    case .false: return Demand.nothing
    case .and(let parts):
      if parts.isEmpty { return Demand.everything }
      let known = parts.compactMap(demand)
      if known.isEmpty { return nil }
      return Demand(
        keys: .intersection(known.map(\.keys)),
        isExact: known.count == parts.count && known.allSatisfy(\.isExact))
    case .or(let parts):
      if parts.isEmpty { return Demand.nothing }
      var known: [Demand] = []
      for part in parts {
        guard let demand = demand(of: part) else { return nil }
        known.append(demand)
      }
      return Demand(keys: .union(known.map(\.keys)), isExact: known.allSatisfy(\.isExact))
    case .not(let part):
      guard let demand = demand(of: part), demand.isExact else { return nil }
      return Demand(keys: demand.keys.complement)
    case .members: return nil
    case .in(let operand, let values, let options):
      guard options.isEmpty, isColumn(operand) else { return nil }
      return Demand(keys: KeySet(values.filter(fits)))
    case .compare(let left, let comparison, let right, let options):
      guard options.isEmpty else { return nil }
      if isColumn(left), let value = Self.constant(right) { return demand(comparison, value) }
      if isColumn(right), let value = Self.constant(left), let mirrored = comparison.mirrored {
        return demand(mirrored, value)
      }
      return nil
    }
  }

  // MARK: Sides

  private func isColumn(_ operand: Operand) -> Bool {
    switch operand {
    case .itself: column == nil
    case .path(let path):
      column != nil && path.count == 1 && scope.entity.find(path[0])?.column == column
    case .literal, .object, .stored, .aggregate: false
    }
  }

  private static func constant(_ operand: Operand) -> Value? {
    switch operand {
    case .literal(let value): value
    case .object(_, let number): .reference(number)
    case .stored(let id): .reference(id.number)
    case .path, .itself, .aggregate: nil
    }
  }

  /// Whether a row can have a value in the column.
  private func fits(_ value: Value) -> Bool {
    value.fits(column.map { scope.entity.format.types[$0] } ?? .reference)
  }

  // MARK: Comparisons

  private func demand(_ comparison: Comparison, _ value: Value) -> Demand? {
    guard fits(value) else { return nil }
    if value.isNull, comparison != .equal, comparison != .notEqual { return Demand.nothing }
    switch comparison {
    case .equal: return Demand(keys: KeySet([value]))
    case .notEqual: return Demand(keys: KeySet([value]).complement)
    case .less: return Demand(keys: KeySet(from: .after(.null), to: .before(value)))
    case .lessOrEqual: return Demand(keys: KeySet(from: .after(.null), to: .after(value)))
    case .greater: return Demand(keys: KeySet(from: .after(value), to: .end))
    case .greaterOrEqual: return Demand(keys: KeySet(from: .before(value), to: .end))
    case .beginsWith: return value.comparedText.map(beginning)
    case .like: return value.comparedText.flatMap(like)
    case .contains, .endsWith: return nil
    }
  }

  private func like(_ text: String) -> Demand? {
    let pattern = TextPattern(.like, text, [])
    guard let start = pattern.literalStart else { return nil }
    switch start.rest {
    case .nothing: return Demand(keys: KeySet([columnValue(start.text)]))
    case .anyText: return beginning(with: start.text)
    case .more:
      if start.text.isEmpty { return nil }
      return Demand(keys: beginning(with: start.text).keys, isExact: false)
    }
  }

  private func columnValue(_ text: String) -> Value {
    column.map { scope.entity.format.types[$0] } == .uri ? .uri(text) : .string(text)
  }

  /// Texts that begin with one: those from it on, and before the next that does not.
  private func beginning(with text: String) -> Demand {
    if text.isEmpty { return Demand(keys: KeySet(from: .after(.null), to: .end)) }
    let (end, isNext) = Self.end(ofTextsBeginningWith: text)
    let cut = end.map { KeySet.Cut.before(columnValue($0)) } ?? .end
    return Demand(keys: KeySet(from: .before(columnValue(text)), to: cut), isExact: isNext)
  }

  /// A text that is greater than all that begin with one, whether or not it is the lowest; `nil` for none.
  ///
  /// It is in NFC, since keys are: where the next scalar would join what is before it, a later one is taken, and
  /// a few more rows are looked at.
  private static func end(ofTextsBeginningWith text: String) -> (text: String?, isLowest: Bool) {
    var scalars = text.unicodeScalars
    while let last = scalars.popLast() {
      var step: UInt32 = 1
      while last.value + step <= 0x10FFFF {
        // Between the two halves of the scalars there is nothing.
        let isHole = (0xD800...0xDFFF).contains(last.value + step)
        guard let scalar = Unicode.Scalar(isHole ? 0xE000 : last.value + step) else { break }
        var candidate = scalars
        candidate.append(scalar)
        let end = String(candidate)
        if NormalizedText.normalized(end).utf8.elementsEqual(end.utf8) {
          return (end, step == 1)
        }
        step *= 2
      }
    }
    return (nil, true)
  }
}

import BolideStorage

/// A test of rows that may look at what they lead to.
indirect enum RowTest: Sendable {
  case local(LocalTest)
  case all([RowTest])
  case any([RowTest])
  case not(RowTest)
  case values(OperandSource, Comparison, OperandSource, TextOptions)
  /// The keys of values, one of which a row's must equal.
  case valueIn(OperandSource, Set<[UInt8]>)
  /// A text against a constant that it is searched for, or compared with under options.
  case text(OperandSource, TextPattern)
  /// The texts are folded.
  case textIn(OperandSource, Set<[UInt8]>, TextOptions, orNil: Bool)
  case members(Quantifier, MemberWalk, RowTest, columns: ColumnSet)

  /// The places in a chunk of the rows that meet the test, ascending.
  func places(in chunk: RowChunk, reader: any Reader) throws(BolideError) -> [Int] {
    switch self {
    case .local(let test):
      return (0..<chunk.count).filter { test.holds(chunk.rows[$0], number: chunk.numbers[$0]) }
    case .all(let parts):
      var left = Array(0..<chunk.count)
      for part in parts where !left.isEmpty {
        left = try part.places(in: chunk.at(left), reader: reader).map { left[$0] }
      }
      return left
    case .any(let parts):
      var left = Array(0..<chunk.count)
      var found: [Int] = []
      for part in parts where !left.isEmpty {
        let hits = try part.places(in: chunk.at(left), reader: reader)
        found += hits.map { left[$0] }
        left = Self.others(than: hits, count: left.count).map { left[$0] }
      }
      return found.sorted()
    case .not(let part):
      return Self.others(than: try part.places(in: chunk, reader: reader), count: chunk.count)
    case .values(let left, let comparison, let right, let options):
      let lefts = try left.values(of: chunk, reader: reader)
      let rights = try right.values(of: chunk, reader: reader)
      return lefts.indices.filter { comparison.holds(lefts[$0], rights[$0], options) }
    case .valueIn(let source, let keys):
      let values = try source.values(of: chunk, reader: reader)
      return values.indices.filter { keys.contains(Self.key(of: values[$0])) }
    case .text(let source, let pattern):
      let values = try source.values(of: chunk, reader: reader)
      return values.indices.filter { place in
        guard let text = values[place].text else { return pattern.comparison == .notEqual }
        return pattern.matches(text)
      }
    case .textIn(let source, let texts, let options, let orNil):
      let values = try source.values(of: chunk, reader: reader)
      return values.indices.filter { place in
        guard let text = values[place].text else { return orNil }
        return texts.contains(FoldedText.bytes(of: text, options))
      }
    case .members(let quantifier, let walk, let test, let columns):
      let members = try walk.members(of: chunk, reader: reader)
      var met: Set<Number> = []
      var unmet: Set<Number> = []
      try walk.forEachChunk(of: members, of: chunk, reader: reader, columns: columns) {
        (part) throws(BolideError) in
        let places = try test.places(in: part, reader: reader)
        met.formUnion(places.map { part.numbers[$0] })
        unmet.formUnion(Self.others(than: places, count: part.count).map { part.numbers[$0] })
      }
      return members.indices.filter { place in
        switch quantifier {
        case .any: members[place].contains(where: met.contains)
        case .all: !members[place].contains(where: unmet.contains)
        case .none: !members[place].contains(where: met.contains)
        }
      }
    }
  }

  /// The places that are not among some, which ascend.
  private static func others(than places: [Int], count: Int) -> [Int] {
    var next = places[...]
    return (0..<count).filter { place in
      if next.first == place {
        next.removeFirst()
        return false
      }
      return true
    }
  }

  private static func key(of value: Value) -> [UInt8] {
    var key: [UInt8] = []
    IndexKey.append(value, to: &key)
    return key
  }

  /// Adds the columns that the test looks at.
  func collectColumns(into columns: inout ColumnSet) {
    switch self {
    case .local(let test): test.collectColumns(into: &columns)
    case .all(let parts), .any(let parts):
      for part in parts { part.collectColumns(into: &columns) }
    case .not(let part): part.collectColumns(into: &columns)
    case .values(let left, _, let right, _):
      left.collectColumns(into: &columns)
      right.collectColumns(into: &columns)
    case .valueIn(let source, _), .text(let source, _), .textIn(let source, _, _, _):
      source.collectColumns(into: &columns)
    case .members(_, let walk, _, _): if let column = walk.column { columns.insert(column) }
    }
  }

  /// Whether the test looks at more than the number of the object.
  private var needsRow: Bool {
    switch self {
    case .local(let test):
      switch test {
      case .constant, .number, .numberIn: false
      default: true
      }
    default: true
    }
  }
}

/// Making tests.
extension RowTest {
  init(_ condition: Condition, scope: EntityScope) throws(BolideError) {
    switch condition {
    case .true: self = .local(.constant(true))
    case .false: self = .local(.constant(false))
    case .and(let parts):
      let tests = try Self.tests(parts, scope)
      self = Self.locals(tests).map { .local(.all($0)) } ?? .all(tests)
    case .or(let parts):
      let tests = try Self.tests(parts, scope)
      self = Self.locals(tests).map { .local(.any($0)) } ?? .any(tests)
    case .not(let part):
      let test = try RowTest(part, scope: scope)
      if case .local(let test) = test { self = .local(.not(test)) } else { self = .not(test) }
    case .compare(let left, let comparison, let right, let options):
      let left = try OperandSource(left, scope: scope)
      let right = try OperandSource(right, scope: scope)
      if comparison.needsText || !options.isEmpty {
        self = Self.comparingTexts(left, comparison, right, options)
      } else if case .literal(let value) = right {
        self = Self.comparing(left, comparison, value)
      } else if case .literal(let value) = left, let mirrored = comparison.mirrored {
        self = Self.comparing(right, mirrored, value)
      } else {
        self = Self.comparing(left, comparison, right)
      }
    case .in(let operand, let values, let options):
      let source = try OperandSource(operand, scope: scope)
      self =
        options.isEmpty
        ? Self.membership(source, values)
        : .textIn(
          source, Set(values.compactMap(\.text).map { FoldedText.bytes(of: $0, options) }), options,
          orNil: values.contains(.null))
    case .members(let quantifier, let path, let condition):
      let (walk, rest) = try MemberWalk.split(path, scope: scope)
      let test = try RowTest(condition.moved(behind: rest), scope: EntityScope(walk.target, in: scope.map))
      var columns = ColumnSet()
      test.collectColumns(into: &columns)
      if columns.isEmpty, test.needsRow { columns.insert(0) }
      self = .members(quantifier, walk, test, columns: columns)
    }
  }

  private static func tests(
    _ conditions: [Condition], _ scope: EntityScope
  ) throws(BolideError) -> [RowTest] {
    var tests: [RowTest] = []
    for condition in conditions { tests.append(try RowTest(condition, scope: scope)) }
    return tests
  }

  /// The tests, if none of them looks beyond the row.
  private static func locals(_ tests: [RowTest]) -> [LocalTest]? {
    var locals: [LocalTest] = []
    for test in tests {
      guard case .local(let local) = test else { return nil }
      locals.append(local)
    }
    return locals
  }

  private static func comparing(
    _ source: OperandSource, _ comparison: Comparison, _ value: Value
  ) -> RowTest {
    if value.isNull, comparison != .equal, comparison != .notEqual { return .local(.constant(false)) }
    switch source {
    case .number:
      if case .reference(let number) = value { return .local(.number(comparison, number)) }
      if value.isNull { return .local(.constant(comparison == .notEqual)) }
    case .column(let column, let type):
      if value.isNull { return .local(comparison == .equal ? .isNil(column) : .not(.isNil(column))) }
      if let integer = value.slotInteger, type.isInteger {
        return .local(.integer(column, comparison, integer))
      }
      if let double = value.slotDouble, type.isFixed { return .local(.floating(column, comparison, double)) }
      if let bytes = value.columnBytes { return .local(.bytes(column, comparison, bytes)) }
    case .literal, .path, .aggregate: break
    }
    return .values(source, comparison, .literal(value), [])
  }

  private static func comparing(
    _ left: OperandSource, _ comparison: Comparison, _ right: OperandSource
  ) -> RowTest {
    guard case .column(let first, let type) = left, case .column(let second, _) = right, type.isFixed else {
      return .values(left, comparison, right, [])
    }
    return .local(
      type.isInteger ? .integers(first, comparison, second) : .floatings(first, comparison, second))
  }

  private static func comparingTexts(
    _ left: OperandSource, _ comparison: Comparison, _ right: OperandSource, _ options: TextOptions
  ) -> RowTest {
    guard case .literal(let value) = right else { return .values(left, comparison, right, options) }
    guard let text = value.comparedText else { return comparing(left, comparison, value) }
    let pattern = TextPattern(comparison, text, options)
    if case .column(let column, _) = left { return .local(.text(column, pattern)) }
    return .text(left, pattern)
  }

  private static func membership(_ source: OperandSource, _ values: [Value]) -> RowTest {
    let present = values.filter { !$0.isNull }
    let orNil = present.count < values.count
    if case .number = source { return .local(.numberIn(Set(present.compactMap(\.slotInteger)))) }
    if case .column(let column, let type) = source {
      let integers = present.compactMap(\.slotInteger)
      if type.isInteger, integers.count == present.count {
        return .local(.integerIn(column, Set(integers), orNil: orNil))
      }
      let doubles = present.compactMap(\.slotDouble)
      if type.isFixed, doubles.count == present.count {
        return .local(.floatingIn(column, Set(doubles), orNil: orNil))
      }
      let bytes = present.compactMap(\.columnBytes)
      if bytes.count == present.count, type != .decimal {
        return .local(
          .bytesIn(column, bytes.sorted { $0.lexicographicallyPrecedes($1) }, orNil: orNil))
      }
    }
    return .valueIn(source, Set(values.map(key)))
  }
}

extension Value {
  /// The value as a fixed integer slot has it.
  fileprivate var slotInteger: Int64? {
    switch self {
    case .int(let number), .reference(let number): number
    case .bool(let flag): flag ? 1 : 0
    default: nil
    }
  }

  /// The value as a fixed floating slot has it.
  fileprivate var slotDouble: Double? {
    switch self {
    case .double(let number): number
    case .float(let number): Double(number)
    case .date(let date): date.timeIntervalSinceReferenceDate
    default: nil
    }
  }

  /// The value as a column of bytes has it, for types whose order is the order of their bytes.
  fileprivate var columnBytes: [UInt8]? {
    switch self {
    case .string(let text): Array(NormalizedText.normalized(text).utf8)
    case .uri(let text): Array(text.utf8)
    case .binary(let bytes): bytes
    case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { Array($0) }
    default: nil
    }
  }
}

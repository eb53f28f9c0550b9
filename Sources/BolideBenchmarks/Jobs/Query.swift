import Bolide
import BolideStorage
import CComparators
import Foundation

/// A request that is asked of a store that has data, the same on both sides.
struct Query {
  /// What is asked.
  let kind: cmp_query
  /// A number for each time it is asked; not looked at where the request has none.
  let bounds: [Double]
  /// The keys that are asked for.
  let codes: [cmp_text]

  init(_ kind: cmp_query, generator: QuakeGenerator, records: RecordSet) {
    self.kind = kind
    switch kind {
    case CMP_RANGE: bounds = (0..<min(2000, records.count)).map { Double($0 % 700) / 100 }
    case CMP_FILTER: bounds = (1...10).map { Double($0) * 5 }
    case CMP_MEMBERS: bounds = []
    default: bounds = Array(repeating: 0, count: 3)
    }
    let wanted = kind == CMP_MEMBERS ? generator.lookups(min(10_000, records.count), of: records.count) : []
    codes = wanted.map { records.records[$0].code }
  }
}

extension ComparatorSide {
  func ask(_ query: Query) throws -> Timing {
    let count = max(query.bounds.count, query.codes.count)
    return try run { cmp_ask($0, query.kind, query.bounds, query.codes, count, &$1) }
  }
}

extension BolideSide {
  func ask(_ query: Query) throws -> Timing {
    let codes = query.codes.map { Value.string($0.string) }
    let start = cmp_start()
    var hash: UInt64 = 0
    var rows = 0
    if query.kind == CMP_MEMBERS {
      try add(.in(.path(["code"]), codes), [], nil, &hash, &rows)
    }
    for bound in query.bounds {
      switch query.kind {
      case CMP_RANGE:
        try add(
          .compare(.path(["magnitude"]), .greaterOrEqual, .literal(.double(bound))), [SortTerm("magnitude")],
          20, &hash, &rows)
      case CMP_FILTER:
        let depth = Condition.compare(.path(["depth"]), .less, .literal(.double(bound)))
        let latitude = Condition.compare(.path(["latitude"]), .greaterOrEqual, .literal(.double(0)))
        try add(.and([depth, latitude]), [], nil, &hash, &rows)
      case CMP_ORDER: try addSorted(&hash, &rows)
      default: try addGroups(&hash, &rows)
      }
    }
    return Timing(seconds: cmp_stop(start), rows: rows, checksum: hash)
  }

  private func add(
    _ condition: Condition, _ sort: [SortTerm], _ limit: Int?, _ hash: inout UInt64, _ rows: inout Int
  ) throws {
    let request = FetchRequest<Quake>(
      entity: Quake.entityName, where: condition, sort: sort, limit: limit)
    let found = try context().fetch(request)
    for quake in found { hash = cmp_mix(hash, quake.rowHash) }
    rows += found.count
  }

  private func addSorted(_ hash: inout UInt64, _ rows: inout Int) throws {
    var request = FetchRequest<Quake>(entity: Quake.entityName, sort: [SortTerm("depth")])
    request.propertiesToFetch = try FetchColumn.list(parsing: "code,depth")
    for row in try context().fetchRows(request) {
      let values = row.values
      hash = mix(mix(hash, values[0]), values[1])
      rows += 1
    }
  }

  private func addGroups(_ hash: inout UInt64, _ rows: inout Int) throws {
    var request = FetchRequest<Quake>(entity: Quake.entityName, sort: [SortTerm("network")])
    request.propertiesToGroupBy = ["network"]
    request.propertiesToFetch = try FetchColumn.list(parsing: "network,@count,felt.@sum,magnitude.@max")
    for row in try context().fetchRows(request) {
      for value in row.values { hash = mix(hash, value) }
      rows += 1
    }
  }

  private func mix(_ hash: UInt64, _ value: Value) -> UInt64 {
    switch value {
    case .string(var text): text.withUTF8 { cmp_mix_text(hash, $0.baseAddress, $0.count) }
    case .int(let number): cmp_mix(hash, UInt64(bitPattern: number))
    case .double(let number): cmp_mix_double(hash, number)
    default: hash
    }
  }
}

extension Job {
  /// What the job asks; `nil` for jobs of another kind.
  var query: cmp_query? {
    switch self {
    case .rangeQuery: CMP_RANGE
    case .filterQuery: CMP_FILTER
    case .sortQuery: CMP_ORDER
    case .groupQuery: CMP_GROUP
    case .membersQuery: CMP_MEMBERS
    default: nil
    }
  }
}

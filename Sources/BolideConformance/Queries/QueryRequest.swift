import Bolide
import BolideStorage

/// A fetch as plain values, and what it is asked for.
struct QueryRequest: Sendable {
  enum Result: Sendable {
    /// Objects, as their entities and numbers.
    case objects
    case count
    case rows([FetchColumn], isDistinct: Bool)
    case groups([FetchColumn], by: [String], having: Condition?)
  }

  var entity: String
  var condition: Condition?
  var sort: [SortTerm] = []
  var limit: Int?
  var offset = 0
  var includesSubentities = true
  var result = Result.objects

  /// The request as a context takes it.
  var fetch: FetchRequest<ManagedObject> {
    var request = FetchRequest<ManagedObject>(
      entity: entity, where: condition, sort: sort, limit: limit, offset: offset)
    request.includesSubentities = includesSubentities
    switch result {
    case .objects, .count: break
    case .rows(let columns, let isDistinct):
      request.propertiesToFetch = columns
      request.returnsDistinctRows = isDistinct
    case .groups(let columns, let paths, let having):
      request.propertiesToFetch = columns
      request.propertiesToGroupBy = paths
      request.having = having
    }
    return request
  }

  /// What a context gives, line by line.
  func lines(in context: ManagedObjectContext) throws -> [String] {
    switch result {
    case .objects: return try context.fetchIDs(fetch).map(\.description)
    case .count: return ["\(try context.count(for: fetch))"]
    case .rows, .groups: return try context.fetchRows(fetch).map { Self.line($0.values) }
    }
  }

  /// Values as a line.
  static func line(_ values: [Value]) -> String {
    values.map { CanonicalText.text($0) }.joined(separator: "  ")
  }
}

extension QueryRequest: CustomStringConvertible {
  var description: String {
    var parts = [entity]
    if let condition { parts.append("where \(condition)") }
    if !sort.isEmpty { parts.append("sort \(sort.map(\.description).joined(separator: ","))") }
    if let limit { parts.append("limit \(limit)") }
    if offset > 0 { parts.append("offset \(offset)") }
    if !includesSubentities { parts.append("without sub-entities") }
    switch result {
    case .objects: break
    case .count: parts.append("count")
    case .rows(let columns, let isDistinct):
      parts.append("columns \(columns.map(\.name).joined(separator: ","))\(isDistinct ? " distinct" : "")")
    case .groups(let columns, let paths, let having):
      parts.append("columns \(columns.map(\.name).joined(separator: ","))")
      parts.append("group \(paths.joined(separator: ","))")
      if let having { parts.append("having \(having)") }
    }
    return parts.joined(separator: "  ")
  }
}

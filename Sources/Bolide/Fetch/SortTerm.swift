import BolideStorage

/// One criterion of a sort: a property and a direction.
public struct SortTerm: Codable, Hashable, Sendable {
  /// A property at the end of to-one relationships: `["owner", "name"]`.
  public var path: [String]
  /// Whether low values, and nil before them, come first.
  public var ascending: Bool

  /// Sorts by a path.
  public init(path: [String], ascending: Bool = true) {
    self.path = path
    self.ascending = ascending
  }

  /// Sorts by a property of the entity itself.
  public init(_ name: String, ascending: Bool = true) {
    self.init(path: name.split(separator: ".").map(String.init), ascending: ascending)
  }

  /// Reads terms such as `-impactEnergy,time`: names with commas between them, `-` for descending.
  ///
  /// - Throws: `predicate.syntax` with a column.
  public static func list(parsing text: String) throws(BolideError) -> [SortTerm] {
    var terms: [SortTerm] = []
    var column = 1
    for piece in text.split(separator: ",", omittingEmptySubsequences: false) {
      let name = piece.filter { !$0.isWhitespace }
      let ascending = !name.hasPrefix("-")
      let path = name.drop { $0 == "-" || $0 == "+" }.split(separator: ".", omittingEmptySubsequences: false)
      let signs = name.count - name.drop { $0 == "-" || $0 == "+" }.count
      guard signs <= 1, path.allSatisfy({ SchemaName.isWellFormed(String($0)) }) else {
        throw ConditionLexer.error(
          "expected a property, or `-` and a property, found \(CanonicalText.quoted(String(piece)))",
          at: column)
      }
      terms.append(SortTerm(path: path.map(String.init), ascending: ascending))
      column += piece.unicodeScalars.count + 1
    }
    return terms
  }
}

extension SortTerm: CustomStringConvertible {
  public var description: String { (ascending ? "" : "-") + path.joined(separator: ".") }
}

import BolideStorage
import Foundation

/// One criterion of a sort: a property and a direction.
public struct SortTerm: Codable, Hashable, Sendable {
  /// A property at the end of to-one relationships: `["owner", "name"]`; or an aggregate of a path over
  /// to-many relationships: `["items", "@count"]`.
  public var path: [String]
  /// Whether low values, and nil before them, come first.
  public var ascending: Bool
  /// How texts are compared; scalar by scalar unless you say otherwise.
  public var options: TextOptions

  /// Sorts by a path.
  public init(path: [String], ascending: Bool = true, options: TextOptions = []) {
    self.path = path
    self.ascending = ascending
    self.options = options
  }

  /// Sorts by a property of the entity itself, or by names with dots between them.
  public init(_ name: String, ascending: Bool = true, options: TextOptions = []) {
    self.init(path: name.split(separator: ".").map(String.init), ascending: ascending, options: options)
  }

  /// Reads terms such as `-impactEnergy,name[cd]`: names with commas between them, `-` for descending, and in
  /// brackets how texts are compared.
  ///
  /// - Throws: `predicate.syntax` with a column.
  public static func list(parsing text: String) throws(BolideError) -> [SortTerm] {
    try list(parsing: text, takesDirections: true)
  }

  /// - Parameter takesDirections: whether terms may say more than a path or an aggregate.
  static func list(parsing text: String, takesDirections: Bool) throws(BolideError) -> [SortTerm] {
    var terms: [SortTerm] = []
    var column = 1
    for piece in text.split(separator: ",", omittingEmptySubsequences: false) {
      let name = piece.trimmingCharacters(in: .whitespacesAndNewlines)
      guard let term = SortTerm(name[...]), takesDirections || term.isPlain && !name.hasPrefix("+") else {
        let shown = piece.count > 60 ? piece.prefix(60) + "…" : piece
        let expected = takesDirections ? "a property, or `-` and a property" : "a property"
        throw ConditionLexer.error(
          "expected \(expected), found \(CanonicalText.quoted(String(shown)))",
          at: column)
      }
      terms.append(term)
      column += piece.unicodeScalars.count + 1
    }
    return terms
  }

  private init?(_ text: Substring) {
    var name = text
    ascending = !name.hasPrefix("-")
    if name.hasPrefix("-") || name.hasPrefix("+") { name.removeFirst() }
    options = []
    if name.hasSuffix("]"), let open = name.firstIndex(of: "[") {
      guard let options = TextOptions(letters: String(name[open...].dropFirst().dropLast())) else {
        return nil
      }
      self.options = options
      name = name[..<open]
    }
    path = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let names = aggregate == nil ? path[...] : path.dropLast()
    guard !path.isEmpty, names.allSatisfy(SchemaName.isWellFormed) else { return nil }
  }

  /// Whether the term says no more than what it sorts by.
  private var isPlain: Bool { ascending && options.isEmpty }

  /// What the term sorts by.
  package var operand: Operand {
    aggregate.map { .aggregate($0, Array(path.dropLast())) } ?? .path(path)
  }

  private var aggregate: Aggregate? { path.last.flatMap(Aggregate.init(rawValue:)) }
}

extension SortTerm: CustomStringConvertible {
  public var description: String { (ascending ? "" : "-") + path.joined(separator: ".") + options.text }
}

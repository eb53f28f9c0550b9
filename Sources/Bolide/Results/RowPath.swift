/// The place of a row in a list with sections.
public struct RowPath: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The section, from 0.
  public var section: Int
  /// The row within the section, from 0.
  public var row: Int

  /// Names a place.
  public init(section: Int, row: Int) {
    self.section = section
    self.row = row
  }

  /// `section/row`.
  public var description: String { "\(section)/\(row)" }

  /// Orders by section, then row.
  public static func < (left: RowPath, right: RowPath) -> Bool {
    (left.section, left.row) < (right.section, right.row)
  }
}

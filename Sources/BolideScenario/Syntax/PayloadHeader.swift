/// The line that opens a payload: `-- name --`.
package enum PayloadHeader {
  /// A quick look at bytes, to spare long payload lines a conversion.
  static func mayBe(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.count < 1024 && bytes.starts(with: [0x2D, 0x2D, 0x20])
  }

  /// The name in a header line, or nil if the line is none.
  static func name(in line: String) -> String? {
    guard line.hasPrefix("-- "), line.hasSuffix(" --"), line.utf8.count > 6 else { return nil }
    return String(line.dropFirst(3).dropLast(3))
  }

  /// Why a file name cannot be used, or nil: names stay inside their folder.
  package static func problem(with name: String) -> String? {
    if name.isEmpty { return "the name of a file is empty" }
    if name.hasPrefix("/") || name.hasPrefix("~") {
      return "`\(name)` is no relative name; files lie beside the scenario, under Fixtures or in feeds"
    }
    if name.contains("\\") || name.unicodeScalars.contains(where: { $0.value < 0x20 }) {
      return "a file name holds no backslash and no control character"
    }
    if name.hasPrefix(" ") || name.hasSuffix(" ") { return "a file name has no blanks around it" }
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    if parts.contains("..") || parts.contains(".") || parts.contains("") {
      return "`\(name)` must not contain empty parts, `.` or `..`: files never leave their folder"
    }
    return nil
  }
}

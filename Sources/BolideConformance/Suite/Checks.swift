import BolideStorage

/// Fails unless the condition holds.
func check(
  _ condition: Bool, _ message: @autoclosure () -> String, file: String = #fileID, line: Int = #line
) throws {
  if !condition { throw ConformanceFailure(message(), place: place(file, line)) }
}

/// Fails unless the two are equal; `label` says what was looked at.
func checkEqual<T: Equatable>(
  _ seen: T, _ expected: T, _ label: @autoclosure () -> String, file: String = #fileID, line: Int = #line
) throws {
  if seen == expected { return }
  throw ConformanceFailure(
    "\(label()): expected \(short(expected)), saw \(short(seen))", place: place(file, line))
}

/// Fails unless `body` throws a ``BolideError`` with one of the codes.
@discardableResult
func checkThrows(
  _ codes: ErrorCode..., label: String, file: String = #fileID, line: Int = #line, body: () throws -> Void
) throws -> BolideError {
  do {
    try body()
  } catch let error as BolideError {
    if codes.isEmpty || codes.contains(error.code) { return error }
    throw ConformanceFailure(
      "\(label): expected the error \(codes[0].name), saw \(error)", place: place(file, line))
  }
  throw ConformanceFailure(
    "\(label): expected the error \(codes.first?.name ?? "BolideError"), saw none", place: place(file, line))
}

/// Fails unless there is a value, and returns it.
func checkPresent<T>(
  _ value: T?, _ label: String, file: String = #fileID, line: Int = #line
) throws -> T {
  guard let value else { throw ConformanceFailure("\(label): saw nothing", place: place(file, line)) }
  return value
}

extension Array {
  /// The element at a place of a list that a store gave, which may be too short.
  func at(_ place: Int, file: String = #fileID, line: Int = #line) throws -> Element {
    try check(place < count, "expected more than \(place) entries, saw \(count)", file: file, line: line)
    return self[place]
  }
}

private func short(_ value: some Any) -> String {
  let text = String(describing: value)
  return text.count <= 1200 ? text : "\(text.prefix(1200))… (\(text.count) characters)"
}

private func place(_ file: String, _ line: Int) -> String {
  "\(file.split(separator: "/").last ?? ""):\(line)"
}

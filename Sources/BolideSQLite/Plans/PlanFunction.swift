import BolideStorage
import CSQLite
import Foundation

/// The SQL functions by which statements call what a plan brings along as code.
///
/// The code itself is a parameter, a pointer of a kind that no SQL can make: so a statement's text is the same for
/// all tests, and the functions know none of them.
enum PlanFunction: String, CaseIterable {
  /// Whether a text meets a test.
  case test = "bolide_test"
  /// The key of a text.
  case key = "bolide_key"
  /// The bytes that order a decimal.
  case order = "bolide_order"
  /// The fold of a group's values.
  case fold = "bolide_fold"

  /// The kinds of pointers, by which SQLite tells them apart.
  static let testPointer: StaticString = "bolide-test"
  static let keyPointer: StaticString = "bolide-key"
  static let foldPointer: StaticString = "bolide-fold"

  private var argumentCount: Int32 {
    switch self {
    case .order: 1
    case .test, .key: 2
    case .fold: 3
    }
  }

  /// Makes the functions known to a connection.
  ///
  /// - Returns: SQLite's code.
  static func register(on handle: OpaquePointer, context: UnsafeMutableRawPointer) -> Int32 {
    for function in allCases {
      let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | directOnly
      let code: Int32
      switch function {
      case .test:
        code = sqlite3_create_function_v2(
          handle, function.rawValue, function.argumentCount, flags, nil, callTest, nil, nil, nil)
      case .key:
        code = sqlite3_create_function_v2(
          handle, function.rawValue, function.argumentCount, flags, nil, callKey, nil, nil, nil)
      case .order:
        code = sqlite3_create_function_v2(
          handle, function.rawValue, function.argumentCount, flags, nil, callOrder, nil, nil, nil)
      case .fold:
        code = sqlite3_create_function_v2(
          handle, function.rawValue, function.argumentCount, flags, context, nil, addToFold, endFold, nil)
      }
      if code != SQLITE_OK { return code }
    }
    return ValueTable.register(on: handle)
  }

  /// `SQLITE_DIRECTONLY`: no schema of a file that somebody made can call the functions.
  private static let directOnly: Int32 = 0x80000
}

/// The object behind a pointer parameter; `nil` for any other value.
func pointed<Object: AnyObject>(
  _ value: OpaquePointer?, _ kind: StaticString, _: Object.Type
) -> Object? {
  let pointer = kind.withUTF8Buffer { bytes in
    sqlite3_value_pointer(value, UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self))
  }
  return pointer.map { Unmanaged<Object>.fromOpaque($0).takeUnretainedValue() }
}

/// The bytes of a text or blob argument; `nil` for NULL.
private func bytes(_ value: OpaquePointer?) -> UnsafeRawBufferPointer? {
  if sqlite3_value_type(value) == SQLITE_NULL { return nil }
  let address = sqlite3_value_blob(value)
  return UnsafeRawBufferPointer(start: address, count: Int(sqlite3_value_bytes(value)))
}

private func refuse(_ context: OpaquePointer?) {
  sqlite3_result_error(context, "a function of the store was called by other SQL", -1)
}

private func callTest(
  _ context: OpaquePointer?, _ count: Int32, _ arguments: UnsafeMutablePointer<OpaquePointer?>?
) {
  guard let arguments, let test = pointed(arguments[0], PlanFunction.testPointer, ValueTest.self) else {
    return refuse(context)
  }
  sqlite3_result_int(context, test.holds(bytes(arguments[1])) ? 1 : 0)
}

private func callKey(
  _ context: OpaquePointer?, _ count: Int32, _ arguments: UnsafeMutablePointer<OpaquePointer?>?
) {
  guard let arguments, let key = pointed(arguments[0], PlanFunction.keyPointer, ValueKey.self) else {
    return refuse(context)
  }
  guard let text = bytes(arguments[1]) else { return sqlite3_result_null(context) }
  Value.give(key.key(of: text), to: context)
}

private func callOrder(
  _ context: OpaquePointer?, _ count: Int32, _ arguments: UnsafeMutablePointer<OpaquePointer?>?
) {
  guard let arguments else { return refuse(context) }
  guard let text = bytes(arguments[0]),
    let decimal = DecimalText.value(of: String(decoding: text, as: UTF8.self))
  else { return sqlite3_result_null(context) }
  var key: [UInt8] = []
  IndexKey.append(.decimal(decimal), to: &key)
  Value.give(key, to: context)
}

// MARK: Folds

/// A group while it is folded; SQLite keeps the reference in memory of its own.
private final class FoldedGroup {
  let accumulator: any ValueAccumulator
  let type: ValueType

  init(_ accumulator: any ValueAccumulator, type: ValueType) {
    self.accumulator = accumulator
    self.type = type
  }
}

private func addToFold(
  _ context: OpaquePointer?, _ count: Int32, _ arguments: UnsafeMutablePointer<OpaquePointer?>?
) {
  let size = Int32(MemoryLayout<UnsafeMutableRawPointer?>.size)
  guard let arguments, let memory = sqlite3_aggregate_context(context, size) else {
    return sqlite3_result_error_nomem(context)
  }
  let slot = memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
  let group: FoldedGroup
  if let known = slot.pointee {
    group = Unmanaged<FoldedGroup>.fromOpaque(known).takeUnretainedValue()
  } else {
    let kind = Int(sqlite3_value_int(arguments[1]))
    guard let fold = pointed(arguments[0], PlanFunction.foldPointer, ValueFold.self),
      ValueType.allCases.indices.contains(kind)
    else { return refuse(context) }
    group = FoldedGroup(fold.begin(), type: ValueType.allCases[kind])
    slot.pointee = Unmanaged.passRetained(group).toOpaque()
  }
  let value = value(arguments[2], of: group.type)
  if !value.isNull { group.accumulator.add(value) }
}

private func endFold(_ context: OpaquePointer?) {
  let size = Int32(MemoryLayout<UnsafeMutableRawPointer?>.size)
  guard let memory = sqlite3_aggregate_context(context, size),
    let known = memory.assumingMemoryBound(to: UnsafeMutableRawPointer?.self).pointee
  else { return sqlite3_result_null(context) }
  let group = Unmanaged<FoldedGroup>.fromOpaque(known).takeRetainedValue()
  do throws(BolideError) {
    try group.accumulator.result().give(to: context)
  } catch {
    // SQLite knows no error of ours: the statement fails, and the connection remembers why.
    if let user = sqlite3_user_data(context) {
      Unmanaged<Connection>.fromOpaque(user).takeUnretainedValue().note(failure: error)
    }
    sqlite3_result_error(context, "a value could not be made", -1)
  }
}

/// A value of a column as SQLite hands it to a function.
private func value(_ value: OpaquePointer?, of type: ValueType) -> Value {
  let stored = sqlite3_value_type(value)
  if stored == SQLITE_NULL { return .null }
  switch type {
  case .int16, .int32, .int64: return .int(sqlite3_value_int64(value))
  case .boolean: return .bool(sqlite3_value_int64(value) != 0)
  case .reference: return .reference(sqlite3_value_int64(value))
  case .double: return .double(sqlite3_value_double(value))
  case .float: return .float(Float(sqlite3_value_double(value)))
  case .date: return .date(Date(timeIntervalSinceReferenceDate: sqlite3_value_double(value)))
  case .string, .uri, .decimal:
    let text = String(decoding: bytes(value) ?? UnsafeRawBufferPointer(start: nil, count: 0), as: UTF8.self)
    if type == .decimal { return DecimalText.value(of: text).map(Value.decimal) ?? .null }
    return type == .string ? .string(text) : .uri(text)
  case .binary: return .binary(bytes(value).map(Array.init) ?? [])
  case .uuid:
    guard let bytes = bytes(value), bytes.count == 16 else { return .null }
    return .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))
  }
}

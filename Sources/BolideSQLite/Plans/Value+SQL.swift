import BolideStorage
import CSQLite
import Foundation

extension Value {
  /// Hands the value, as columns have it, to SQLite as the result of a function.
  func give(to context: OpaquePointer?) {
    switch self {
    case .null: sqlite3_result_null(context)
    case .bool(let flag): sqlite3_result_int64(context, flag ? 1 : 0)
    case .int(let number), .reference(let number): sqlite3_result_int64(context, number)
    case .double(let number): sqlite3_result_double(context, number)
    case .float(let number): sqlite3_result_double(context, Double(number))
    case .date(let date): sqlite3_result_double(context, date.timeIntervalSinceReferenceDate)
    case .binary(let bytes): Self.give(bytes, to: context)
    case .uuid(let uuid): Self.give(withUnsafeBytes(of: uuid.uuid) { Array($0) }, to: context)
    case .decimal(let number): Self.give(text: DecimalText.text(of: number), to: context)
    case .string(let text): Self.give(text: NormalizedText.normalized(text), to: context)
    case .uri(let text): Self.give(text: text, to: context)
    }
  }

  /// Hands bytes to SQLite, which copies them.
  static func give(_ bytes: [UInt8], to context: OpaquePointer?) {
    bytes.withUnsafeBytes { bytes in
      Statement.withAddress(of: bytes) { address, count in
        sqlite3_result_blob64(context, address, UInt64(count), Statement.copied)
      }
    }
  }

  private static func give(text: String, to context: OpaquePointer?) {
    var text = text
    text.withUTF8 { bytes in
      Statement.withAddress(of: UnsafeRawBufferPointer(bytes)) { address, count in
        sqlite3_result_text64(
          context, address.assumingMemoryBound(to: CChar.self), UInt64(count), Statement.copied,
          UInt8(SQLITE_UTF8))
      }
    }
  }
}

extension Statement {
  /// Binds a value as columns have it.
  func bind(_ parameter: Int32, value: Value) -> Int32 {
    switch value {
    case .null: bindNull(parameter)
    case .bool(let flag): bind(parameter, Int64(flag ? 1 : 0))
    case .int(let number), .reference(let number): bind(parameter, number)
    case .double(let number): bind(parameter, number == 0 ? 0.0 : number)
    case .float(let number): bind(parameter, Double(number))
    case .date(let date): bind(parameter, date.timeIntervalSinceReferenceDate)
    case .string(let text): bind(parameter, NormalizedText.normalized(text))
    case .uri(let text): bind(parameter, text)
    case .binary(let bytes): bind(parameter, bytes: bytes)
    case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { bind(parameter, bytes: $0) }
    case .decimal(let number): bind(parameter, DecimalText.text(of: number))
    }
  }

  /// Binds a value as indexes order it.
  func bind(_ parameter: Int32, order value: Value) -> Int32 {
    guard case .decimal = value else { return bind(parameter, value: value) }
    var key: [UInt8] = []
    IndexKey.append(value, to: &key)
    return bind(parameter, bytes: key)
  }

  /// Binds a pointer to an object that outlives the statement's run.
  func bind(_ parameter: Int32, pointer object: AnyObject, _ kind: StaticString) -> Int32 {
    let pointer = Unmanaged.passUnretained(object).toOpaque()
    return kind.withUTF8Buffer { bytes in
      sqlite3_bind_pointer(
        handle, parameter, pointer,
        UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self), nil)
    }
  }

  /// Forgets what is bound.
  func clearBindings() { sqlite3_clear_bindings(handle) }
}

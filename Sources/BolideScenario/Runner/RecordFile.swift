import Bolide
import BolideStorage
import Foundation

/// A JSON array of objects as records for a batch insert.
enum RecordFile {
  /// The records of a file; strings become what the attribute holds, such as dates.
  ///
  /// - Throws: `scenario.records` when the file is no array of objects.
  static func records(
    in bytes: [UInt8], file: String, entity: EntityMap
  ) throws(BolideError) -> [[String: Value]] {
    let decoded: [[String: Field]]
    do {
      decoded = try JSONDecoder().decode([[String: Field]].self, from: Data(bytes))
    } catch {
      throw BolideError(.recordSyntax, "`\(file)` is no JSON array of objects")
    }
    var records: [[String: Value]] = []
    for object in decoded {
      var record: [String: Value] = [:]
      for (name, field) in object { record[name] = field.value(as: entity.find(name)?.attribute?.type) }
      records.append(record)
    }
    return records
  }

  private enum Field: Decodable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    case text(String)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .null
      } else if let value = try? container.decode(Bool.self) {
        self = .boolean(value)
      } else if let value = try? container.decode(Int64.self) {
        self = .integer(value)
      } else if let value = try? container.decode(Double.self) {
        self = .double(value)
      } else {
        self = .text(try container.decode(String.self))
      }
    }

    func value(as type: ValueType?) -> Value {
      switch self {
      case .null: .null
      case .boolean(let value): .bool(value)
      case .integer(let value): CanonicalText.number("\(value)", for: type ?? .int64)
      case .double(let value): CanonicalText.number("\(value)", for: type ?? .double)
      case .text(let value):
        switch type {
        case nil, .string?: .string(value)
        case .uri?: .uri(value)
        case let type?: CanonicalText.value(value, as: type) ?? .string(value)
        }
      }
    }
  }
}

import Foundation

/// A value is coded as an object with its kind as the only key, or as null.
///
/// Numbers are texts, so that 64-bit integers, decimals, infinities and the last bit of a double
/// survive every JSON tool.
extension Value: Codable {
  private enum Kind: String, CodingKey {
    case bool, int, double, float, decimal, date, string, uuid, uri, binary, reference
  }

  public init(from decoder: any Decoder) throws {
    if let single = try? decoder.singleValueContainer(), single.decodeNil() {
      self = .null
      return
    }
    let container = try decoder.container(keyedBy: Kind.self)
    guard let kind = container.allKeys.first, container.allKeys.count == 1 else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "A value has exactly one known kind"))
    }
    if kind == .bool {
      self = .bool(try container.decode(Bool.self, forKey: kind))
      return
    }
    let text = try container.decode(String.self, forKey: kind)
    guard let value = Value(kind, text) else {
      throw DecodingError.dataCorruptedError(
        forKey: kind, in: container, debugDescription: "\"\(text)\" is no \(kind.rawValue)")
    }
    self = value
  }

  public func encode(to encoder: any Encoder) throws {
    if case .null = self {
      var container = encoder.singleValueContainer()
      try container.encodeNil()
      return
    }
    var container = encoder.container(keyedBy: Kind.self)
    switch self {
    case .null: break
    case .bool(let flag): try container.encode(flag, forKey: .bool)
    case .int(let number): try container.encode(String(number), forKey: .int)
    case .double(let number): try container.encode(String(number), forKey: .double)
    case .float(let number): try container.encode(String(number), forKey: .float)
    case .decimal(let number): try container.encode(DecimalText.text(of: number), forKey: .decimal)
    case .date(let date):
      try container.encode(String(date.timeIntervalSinceReferenceDate), forKey: .date)
    case .string(let text): try container.encode(text, forKey: .string)
    case .uuid(let uuid): try container.encode(uuid.uuidString.lowercased(), forKey: .uuid)
    case .uri(let text): try container.encode(text, forKey: .uri)
    case .binary(let bytes): try container.encode(Data(bytes).base64EncodedString(), forKey: .binary)
    case .reference(let number): try container.encode(String(number), forKey: .reference)
    }
  }

  private init?(_ kind: Kind, _ text: String) {
    let value: Value? =
      switch kind {
      case .bool: nil
      case .int: Int64(text).map(Value.int)
      case .double: Double(text).map(Value.double)
      case .float: Float(text).map(Value.float)
      case .decimal: DecimalText.exactValue(of: text).map(Value.decimal)
      case .date: Double(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
      case .string: .string(text)
      case .uuid: UUID(uuidString: text).map(Value.uuid)
      case .uri: .uri(text)
      case .binary: Data(base64Encoded: text).map { .binary([UInt8]($0)) }
      case .reference: Int64(text).map(Value.reference)
      }
    guard let value else { return nil }
    self = value
  }
}

import BolideStorage

extension Decoder {
  /// What is coded as the text that people write for it.
  func parsedText<Parsed>(_ parse: (String) throws(BolideError) -> Parsed) throws -> Parsed {
    let container = try singleValueContainer()
    let text = try container.decode(String.self)
    do {
      return try parse(text)
    } catch {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: error.message)
    }
  }
}

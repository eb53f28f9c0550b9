import Bolide
import BolideStorage
import CommandKit

extension JSONValue {
  /// A stored value. What JSON has no type for is its canonical text: dates, uuids, bytes, and decimals, which a
  /// JSON number would make inexact for most readers.
  init(_ value: BolideStorage.Value) {
    switch value {
    case .null: self = .null
    case .bool(let flag): self = .boolean(flag)
    case .int(let number), .reference(let number): self = .integer(Int(number))
    case .double(let number): self = .double(number)
    // By way of the text: a wider number would show digits that the value does not have.
    case .float(let number): self = .double(Double(number.description) ?? Double(number))
    case .string(let text), .uri(let text): self = .string(text)
    case .decimal, .date, .uuid, .binary: self = .string(CanonicalText.text(value))
    }
  }
}

import BolideStorage
import Foundation

extension PropertyMap {
  /// What a value breaks of the attribute's limits, in words; `nil` where it keeps them. Saves ask, batch requests do
  /// not (rule R-4).
  func violation(by value: Value) -> (rule: ValidationProblem.Rule, reason: String)? {
    guard hasRules, !value.isNull, let validation = attribute?.validation else { return nil }
    if let minimum = validation.minimum, ValueOrder.precedes(value, minimum) {
      return (.minimum, "is below its minimum")
    }
    if let maximum = validation.maximum, ValueOrder.precedes(maximum, value) {
      return (.maximum, "is above its maximum")
    }
    if validation.minLength != nil || validation.maxLength != nil {
      let length: Int
      switch value {
      case .string(let text): length = text.count
      case .binary(let bytes): length = bytes.count
      default: return nil
      }
      if let shortest = validation.minLength, length < shortest {
        return (.minLength, "is shorter than \(shortest)")
      }
      if let longest = validation.maxLength, length > longest {
        return (.maxLength, "is longer than \(longest)")
      }
    }
    if case .string(let text) = value, validation.pattern != nil {
      guard let expression = pattern else { return (.pattern, "has a pattern that cannot be read") }
      let whole = NSRange(text.startIndex..., in: text)
      guard expression.firstMatch(in: text, options: .anchored, range: whole)?.range == whole else {
        return (.pattern, "does not match its pattern")
      }
    }
    return nil
  }
}

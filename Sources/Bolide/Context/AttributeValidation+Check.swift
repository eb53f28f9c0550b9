import BolideStorage
import Foundation

extension AttributeDescription {
  /// What a value breaks of the attribute's limits, in words; `nil` where it keeps them. Saves ask, batch requests do
  /// not (rule R-4).
  func violation(by value: Value) -> String? {
    if value.isNull { return nil }
    if let minimum = validation.minimum, ValueOrder.precedes(value, minimum) { return "is below its minimum" }
    if let maximum = validation.maximum, ValueOrder.precedes(maximum, value) { return "is above its maximum" }
    guard case .string(let text) = value else { return nil }
    if let shortest = validation.minLength, text.count < shortest { return "is shorter than \(shortest)" }
    if let longest = validation.maxLength, text.count > longest { return "is longer than \(longest)" }
    if let pattern = validation.pattern {
      guard let expression = try? NSRegularExpression(pattern: pattern) else {
        return "has a pattern that cannot be read"
      }
      let whole = NSRange(text.startIndex..., in: text)
      guard expression.firstMatch(in: text, options: .anchored, range: whole)?.range == whole else {
        return "does not match its pattern"
      }
    }
    return nil
  }
}

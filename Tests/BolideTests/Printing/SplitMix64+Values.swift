import BolideStorage

extension SplitMix64 {
  /// A text of up to eleven scalars: letters, quotes, controls, accents, and some beyond 16 bits.
  mutating func text() -> String {
    let alphabet = Array("aZ09 _.'\"\\/\n\r\t\u{1}\u{1F}\u{7F}é\u{301}ß漢☄\u{1F600}".unicodeScalars)
    var text = ""
    for _ in 0..<Int.random(in: 0...11, using: &self) {
      text.unicodeScalars.append(alphabet[Int.random(in: 0..<alphabet.count, using: &self)])
    }
    return text
  }

  /// Any double but NaN, with bits drawn evenly.
  mutating func double() -> Double {
    let value = Double(bitPattern: next())
    return value.isNaN ? .infinity : value == 0 ? 0 : value
  }
}

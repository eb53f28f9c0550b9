/// Random numbers that a seed repeats (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

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

import BolideStorage
import Foundation

/// Texts as comparisons with options see them (rule V-2): one code for every store.
///
/// Case: each scalar of the canonical decomposition becomes the lower case of the upper case of its lower
/// case, as full Unicode mappings give them. That joins what full case folding joins: `ß`, `ẞ` and `ss`, `σ`
/// and `ς`. The dotless `ı` alone is left as it is. Diacritics: scalars of the category Mn are taken out of
/// the decomposition. What comes out is in NFC, so that a syllable is one scalar again. ASCII needs none of
/// this.
package enum FoldedText {
  /// The folded form of a text, as UTF-8.
  package static func bytes(of utf8: UnsafeRawBufferPointer, _ options: TextOptions) -> [UInt8] {
    if NormalizedText.isASCII(utf8) {
      var bytes = [UInt8](utf8)
      if options.contains(.caseInsensitive) { lowerASCII(&bytes) }
      return bytes
    }
    return Array(text(of: String(decoding: utf8, as: UTF8.self), options).utf8)
  }

  /// The folded form of a text, as UTF-8.
  package static func bytes(of text: String, _ options: TextOptions) -> [UInt8] {
    var text = text
    return text.withUTF8 { bytes(of: UnsafeRawBufferPointer($0), options) }
  }

  private static func text(of text: String, _ options: TextOptions) -> String {
    let dropsMarks = options.contains(.diacriticInsensitive)
    let foldsCase = options.contains(.caseInsensitive)
    guard dropsMarks || foldsCase else { return NormalizedText.normalized(text) }
    var result = String.UnicodeScalarView()
    func append(_ scalar: Unicode.Scalar) {
      if dropsMarks, scalar.properties.generalCategory == .nonspacingMark { return }
      result.append(scalar)
    }
    for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars {
      if foldsCase {
        // Marks go afterwards: some letters fold to a letter and a mark, and one mark to a letter.
        for folded in foldedCase(scalar) { append(folded) }
      } else {
        append(scalar)
      }
    }
    return String(result).precomposedStringWithCanonicalMapping
  }

  private static func foldedCase(_ scalar: Unicode.Scalar) -> String.UnicodeScalarView {
    var result = String.UnicodeScalarView()
    if scalar == "ı" || !scalar.properties.changesWhenCaseMapped && !scalar.properties.changesWhenCaseFolded {
      result.append(scalar)
      return result
    }
    for lower in scalar.properties.lowercaseMapping.unicodeScalars {
      for upper in lower.properties.uppercaseMapping.unicodeScalars {
        result.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
      }
    }
    return result
  }

  private static func lowerASCII(_ bytes: inout [UInt8]) {
    for index in bytes.indices where bytes[index] &- 65 < 26 { bytes[index] |= 0x20 }
  }

  // MARK: Sorting

  /// Bytes whose order is the order of texts under the options.
  ///
  /// With ``TextOptions/natural`` a run of digits is the byte `0`, the count of its digits without leading
  /// zeros (255 for each 255 of them, then the rest), and those digits.
  package static func sortKey(of utf8: UnsafeRawBufferPointer, _ options: TextOptions) -> [UInt8] {
    let folded = bytes(of: utf8, options)
    guard options.contains(.natural) else { return folded }
    var key: [UInt8] = []
    key.reserveCapacity(folded.count + 8)
    var place = 0
    while place < folded.count {
      guard isDigit(folded[place]) else {
        key.append(folded[place])
        place += 1
        continue
      }
      let run = folded[place...].prefix(while: isDigit)
      place = run.endIndex
      let digits = run.drop { $0 == 48 }
      key.append(48)
      var count = digits.count
      while count >= 255 {
        key.append(255)
        count -= 255
      }
      key.append(UInt8(count))
      key.append(contentsOf: digits)
    }
    return key
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }
}

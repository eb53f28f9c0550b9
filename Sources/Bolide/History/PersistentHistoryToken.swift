import BolideStorage
import Foundation

/// A place in the history of one store: after it, everything is news (rule H-5).
public struct PersistentHistoryToken: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The id of the store.
  public let storeID: UUID
  /// The number of the transaction; 0 for the beginning.
  public let number: UInt64
  /// The nonce of that transaction, which tells a copy's past from another's.
  public let nonce: UInt64

  package init(storeID: UUID, mark: Mark) {
    self.storeID = storeID
    number = mark.transaction
    nonce = mark.nonce
  }

  /// Reads the text form `STOREID:NUMBER:NONCEHEX`; `nil` for anything else.
  public init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let id = UUID(uuidString: String(parts[0])), let number = UInt64(parts[1]),
      let nonce = UInt64(parts[2], radix: 16)
    else { return nil }
    self.init(storeID: id, mark: Mark(transaction: number, nonce: nonce))
    // A sign, or another number of digits, is not what a token prints.
    if description.lowercased() != text.lowercased() { return nil }
  }

  /// `STOREID:NUMBER:NONCEHEX`.
  public var description: String {
    let hex = String(nonce, radix: 16)
    return "\(storeID.uuidString.lowercased()):\(number):"
      + String(repeating: "0", count: 16 - hex.count) + hex
  }
}

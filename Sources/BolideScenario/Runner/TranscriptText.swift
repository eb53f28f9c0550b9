import Bolide
import BolideStorage
import Foundation

/// The pieces that every verb's text is made of.
enum TranscriptText {
  /// `inserted N  updated N  deleted N`.
  static func counts(_ inserted: Int, _ updated: Int, _ deleted: Int) -> String {
    "inserted \(inserted)  updated \(updated)  deleted \(deleted)"
  }

  /// `transaction N  author A`, or `no transaction`.
  static func transaction(_ number: UInt64?, author: String?) -> String {
    guard let number else { return "no transaction" }
    return "transaction \(number)  author \(quoted(author))"
  }

  /// A JSON string, or `null`.
  static func quoted(_ text: String?) -> String {
    CanonicalText.text(text.map { Value.string($0) } ?? .null)
  }

  /// `{Fireball#1, Fireball#3}`, in order of entity and number.
  static func set(_ ids: some Sequence<ManagedObjectID>) -> String {
    "{" + ids.sorted().map(\.description).joined(separator: ", ") + "}"
  }

  /// What an error means and what to do about it, for whoever reads a failure.
  static func explanation(_ error: any Error) -> String {
    switch error {
    case let error as BolideError: "\(error.message); to fix this: \(error.remedy)"
    default: "\(error)"
    }
  }

  /// An error as a result: its code, then its details.
  static func error(_ error: any Error) -> [String] {
    switch error {
    case let error as BolideError: ["error \(error.code.name)"] + error.details.map { "  \($0)" }
    default: ["error internal", "  \(String(reflecting: error))"]
    }
  }
}

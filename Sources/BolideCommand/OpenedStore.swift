import Bolide
import BolideStorage
import CommandKit

/// A store that a command opened, with the text it was named by.
struct OpenedStore {
  let name: String
  let container: PersistentContainer

  /// Opens the store that `--store` names, by the schema it keeps.
  ///
  /// - Throws: A `Failure` for a text that is no location, and what opening throws.
  init(_ arguments: Arguments) throws {
    name = arguments.text(.store) ?? ""
    let location = try StoreLocation(parsing: name)
    guard location.backend.capabilities.isDurable else {
      throw Failure(
        .storeFailed, code: ErrorCode.storeMissing.name,
        "\(name) holds nothing: a store in memory is gone with the command that filled it",
        remedy: "name a store on disk: sqlite:PATH or lmdb:PATH")
    }
    container = try PersistentContainer(at: location)
  }

  /// Opens a store for as long as `body` runs.
  static func with<Result>(_ arguments: Arguments, _ body: (OpenedStore) throws -> Result) throws -> Result {
    let store = try OpenedStore(arguments)
    let result: Result
    do {
      result = try body(store)
    } catch {
      // The first error is the one to tell; closing after it is a courtesy.
      try? store.container.close()
      throw error
    }
    try store.container.close()
    return result
  }
}

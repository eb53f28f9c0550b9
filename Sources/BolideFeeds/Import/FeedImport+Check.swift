import Bolide
import BolideStorage
import Foundation

extension FeedImport {
  /// Reads the document to its end and stores nothing: throws what an import into a store with the schema would.
  ///
  /// It is meant for a store that does not exist yet, so that a document which is refused leaves none behind. What can
  /// be read only once (a pipe) is not read.
  ///
  /// - Throws: the `feed.…` codes, `schema.unknown-entity`, `schema.invalid`.
  package func check(against schema: Schema) throws(BolideError) {
    let columns = try FeedColumns(feed, entity: try entity(in: try SchemaMap(schema)))
    if Self.isStream(document.name) { return }
    do throws(FeedFault) {
      let reader = feed.reader(try document.open().source, columns.selection)
      var record = FeedRecord(fields: feed.fields)
      while try reader.read(512, into: &record, { _ in }) {}
    } catch {
      throw error.error(in: document.name)
    }
  }

  /// Whether there is something at the path that gives its bytes only once.
  private static func isStream(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    return ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
  }
}

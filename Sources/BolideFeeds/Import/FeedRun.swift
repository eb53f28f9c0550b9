import Bolide
import BolideStorage

/// One attempt at an import: the reader's place, and what it found on the way.
final class FeedRun {
  /// How many records are decoded before they are written.
  private static let chunk = 512

  private let request: FeedImport
  private let columns: FeedColumns
  private let reader: FeedReader
  private let size: Int?
  private var record: FeedRecord
  private var skipped: [SkippedRecord] = []
  private var skippedCount = 0

  /// - Throws: `feed.unreadable`.
  init(_ request: FeedImport, columns: FeedColumns) throws(BolideError) {
    self.request = request
    self.columns = columns
    record = FeedRecord(fields: request.feed.fields)
    do throws(FeedFault) {
      let (source, size) = try request.document.open()
      reader = request.feed.reader(source, columns.selection)
      self.size = size
    } catch {
      throw error.error(in: request.document.name)
    }
  }

  /// Whether the document can be read once more from its first byte; a pipe cannot.
  var isRepeatable: Bool { size != nil }

  func run(_ entity: EntityMap, in context: ManagedObjectContext) throws -> FeedImportResult {
    let rows = RowImport(entityName: entity.name, absent: request.absent) { rows in try self.fill(&rows) }
    let result = try context.importRows(rows)
    let total = try Self.count(of: entity, in: context.coordinator)
    let hasRevisions = request.feed.revisesDates && total <= ProbableRevision.objectLimit
    let revisions =
      hasRevisions ? try ProbableRevision.find(after: result, in: entity, of: context.coordinator) : []
    return FeedImportResult(
      feed: request.feed, document: request.document.name, entityName: entity.name,
      inserted: result.inserted, updated: result.updated, unchanged: result.unchanged,
      skipped: skipped, skippedCount: skippedCount, recordCount: record.number, byteCount: reader.offset,
      total: total, revisions: revisions, warnings: reader.warnings,
      transaction: result.transaction, token: result.token)
  }

  /// How many objects an entity has now, those of sub-entities included.
  private static func count(of entity: EntityMap, in coordinator: StoreCoordinator) throws -> Int {
    try coordinator.read { reader in
      if entity.entityColumn == nil { return try reader.count(of: entity.table) }
      var count = 0
      let scan = EntityScan(map: coordinator.map, reader: reader, entity: entity, condition: nil)
      try scan.forEach(columns: ColumnSet()) { _, _ in count += 1 }
      return count
    }
  }

  /// Decodes a chunk into rows; false at the end of the document.
  private func fill(_ rows: inout InputRows) throws(BolideError) -> Bool {
    if request.isCancelled?() == true {
      throw BolideError(.feedCancelled, "the import of \(request.document.name) was cancelled")
    }
    let hasMore: Bool
    do throws(FeedFault) {
      hasMore = try reader.read(Self.chunk, into: &record) { record in
        if let flaw = record.flaw {
          skip(record.number, flaw)
        } else {
          columns.write(record, to: &rows.builder)
          rows.commitRow()
        }
      }
    } catch {
      throw error.error(in: request.document.name)
    }
    request.progress?(FeedProgress(bytes: reader.offset, totalBytes: size, records: record.number))
    return hasMore
  }

  private func skip(_ number: Int, _ flaw: FeedRecord.Flaw) {
    skippedCount += 1
    if skipped.count == FeedImportResult.skippedLimit { return }
    skipped.append(
      SkippedRecord(record: number, position: flaw.position, field: flaw.field, reason: flaw.reason))
  }
}

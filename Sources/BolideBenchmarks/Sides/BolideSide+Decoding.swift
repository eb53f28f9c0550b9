import Bolide
import BolideFeeds
import BolidePreview
import BolideStorage
import CComparators

/// Decoding without a store.
extension BolideSide {
  /// How many records are decoded before they are looked at, as in an import.
  private static let chunk = 512

  /// Decodes as an import does: records into packed rows of the sample's entity, a chunk at a time.
  func decode(_ path: String) throws -> Timing {
    let entity = try SchemaMap(SampleModel.earthquakes.schema).entity("CatalogQuake")
    let columns = try FeedColumns(.usgs, entity: entity)
    let places = try FeedQuake.columns.map { name in try entity.property(name).column ?? 0 }
    let start = cmp_start()
    var hash: UInt64 = 0
    var bytes = 0
    for _ in 0..<FeedQuake.passes {
      let reader = Feed.usgs.reader(try FileByteSource(path: path), columns.selection)
      var record = FeedRecord(fields: Feed.usgs.fields)
      var builder = RowBuilder(entity.format)
      var batch = RowBatch(entity.format)
      var goesOn = true
      while goesOn {
        batch.removeAll()
        var flaws = 0
        goesOn = try reader.read(Self.chunk, into: &record) { record in
          if record.flaw != nil { flaws += 1 }
          builder.clear()
          columns.write(record, to: &builder)
          builder.append(to: &batch)
        }
        guard flaws == 0 else { throw BenchmarkFailure("\(flaws) records are flawed") }
        batch.withRows { rows in
          for index in 0..<rows.count { hash = Self.mix(hash, rows[index], places) }
        }
      }
      bytes += reader.offset
    }
    return Timing(seconds: cmp_stop(start), rows: bytes, checksum: hash)
  }

  private static func mix(_ hash: UInt64, _ row: RowView, _ places: [Int]) -> UInt64 {
    var hash = hash
    for (index, column) in places.enumerated() {
      if index < FeedQuake.textCount {
        let text = row.variable(column)
        hash = cmp_mix_text(hash, text.baseAddress, text.count)
      } else {
        hash = cmp_mix_double(hash, row.double(column))
      }
    }
    return hash
  }
}

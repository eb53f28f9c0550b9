import Bolide
import BolideStorage
import Testing

@testable import BolideFeeds

/// A compiled entity with the given attributes.
private func entity(_ attributes: [AttributeDescription], isAbstract: Bool = false) throws -> EntityMap {
  var entity = EntityDescription(name: "Thing", attributes: attributes)
  entity.isAbstract = isAbstract
  return try SchemaMap(Schema(entities: [entity])).entity("Thing")
}

private func attribute(
  _ name: String, _ type: ValueType, isOptional: Bool = true, defaultValue: Value = .null
) -> AttributeDescription {
  AttributeDescription(name: name, type: type, isOptional: isOptional, defaultValue: defaultValue)
}

/// The rows of a document as `name: value` for what was given.
private func rows(_ feed: Feed, _ text: String, _ entity: EntityMap) throws -> (
  rows: [[String: Value]], skipped: Int
) {
  let columns = try FeedColumns(feed, entity: entity)
  let reader = feed.reader(MemoryByteSource(Array(text.utf8)), columns.selection)
  var record = FeedRecord(fields: feed.fields)
  var builder = RowBuilder(entity.format)
  var batch = RowBatch(entity.format)
  var rows: [[String: Value]] = []
  var skipped = 0
  while try reader.read(
    2, into: &record,
    { record in
      if record.flaw != nil {
        skipped += 1
        return
      }
      builder.clear()
      batch.removeAll()
      columns.write(record, to: &builder)
      builder.append(to: &batch)
      var values: [String: Value] = [:]
      for property in entity.attributes {
        guard let column = property.column, builder.given.contains(column) else { continue }
        batch.withRow(at: 0) { values[property.name] = $0.value(column) }
      }
      rows.append(values)
    })
  {}
  return (rows, skipped)
}

@Suite struct FeedColumnsTests {
  private let quake =
    #"{"features":[{"properties":{"net":"zz","code":"1","place":"Cafe\u0301 \u00e9 e\u0301","mag":0.1,"time":978307201500}}]}"#

  @Test func `fields go to the attributes of their names`() throws {
    let entity = try entity([
      attribute("place", .string), attribute("time", .date), attribute("net", .string),
      attribute("code", .string),
      attribute("magnitude", .float), attribute("note", .string),
    ])
    let result = try rows(.usgs, quake, entity)
    #expect(
      result.rows == [
        [
          "place": .string("Caf\u{E9} \u{E9} \u{E9}"),
          "time": .date(.init(timeIntervalSinceReferenceDate: 1.5)),
          "net": .string("zz"), "code": .string("1"), "magnitude": .float(0.1),
        ]
      ])
    // Equal texts may differ in their bytes; stored ones are in normal form.
    guard case .string(let place)? = result.rows[0]["place"] else {
      Issue.record("place is no text")
      return
    }
    #expect(Array(place.utf8) == Array("Caf\u{E9} \u{E9} \u{E9}".utf8))
  }

  @Test func `to-do items go to either model`() throws {
    let text = #"[{"title":"a","completed":true}]"#
    let item = try entity([attribute("name", .string), attribute("done", .boolean)])
    #expect(try rows(.todos, text, item).rows == [["name": .string("a"), "done": .bool(true)]])
    let task = try entity([
      attribute("title", .string), attribute("isCompleted", .boolean), attribute("dueDate", .date),
    ])
    #expect(try rows(.todos, text, task).rows == [["title": .string("a"), "isCompleted": .bool(true)]])
  }

  @Test func `an attribute that is not optional refuses null, and absence where it has no default`() throws {
    let text = #"[{"title":"a","completed":null},{"title":"b"},{"title":"c","completed":false}]"#
    let name = attribute("name", .string)
    let strict = try entity([name, attribute("done", .boolean, isOptional: false)])
    #expect(try rows(.todos, text, strict).rows.count == 1)
    let defaulted = try entity([
      name, attribute("done", .boolean, isOptional: false, defaultValue: .bool(false)),
    ])
    #expect(try rows(.todos, text, defaulted).rows.count == 2)
    let optional = try entity([name, attribute("done", .boolean)])
    #expect(try rows(.todos, text, optional).rows.map { $0["done"] } == [.null, nil, .bool(false)])
  }

  @Test func `an entity that cannot take the feed is refused before anything is read`() throws {
    func code(_ feed: Feed, _ entity: EntityMap) -> String? {
      do throws(BolideError) { _ = try FeedColumns(feed, entity: entity) } catch { return error.code.name }
      return nil
    }
    #expect(code(.jpl, try entity([attribute("latitude", .double)])) == "feed.entity")
    #expect(code(.jpl, try entity([attribute("dateTimeStamp", .string)])) == "feed.entity")
    #expect(code(.usgs, try entity([attribute("magnitude", .double)])) == "feed.entity")
    #expect(code(.todos, try entity([attribute("done", .boolean)])) == "feed.entity")
    #expect(code(.jpl, try entity([attribute("dateTimeStamp", .date)], isAbstract: true)) == "feed.entity")
    #expect(code(.jpl, try entity([attribute("dateTimeStamp", .date)])) == nil)
  }
}

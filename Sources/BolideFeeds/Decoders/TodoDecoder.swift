/// Decodes a list of to-do items: an array of objects with a title and whether the item is done.
package struct TodoDecoder: RecordDecoder, ~Copyable {
  static let title = 0
  static let done = 1
  static let createdAt = 2
  static let dueDate = 3

  static let fields = [
    FeedField("name", "title", from: "title", .text),
    FeedField("done", "isCompleted", from: "completed", .boolean),
    FeedField("createdAt", from: "createdAt", .date),
    FeedField("dueDate", from: "dueDate", .date),
  ]

  private enum Phase { case start, items, end }

  private static let keys = KeyNames(["title", "completed", "createdAt", "dueDate"])

  private var reader: JSONReader
  private let selection: FeedSelection
  private var phase = Phase.start
  private var firstItem = true

  init(_ reader: consuming JSONReader, _ selection: FeedSelection) {
    self.reader = reader
    self.selection = selection
  }

  package var offset: Int { reader.window.offset }
  package var warnings: [String] { [] }

  package mutating func next(into record: inout FeedRecord) throws(FeedFault) -> Bool {
    if phase == .start {
      try reader.openDocument(.array, named: "a list of to-do items")
      try reader.enterArray()
      phase = .items
    }
    if phase == .items {
      if try reader.nextElement(first: &firstItem) {
        record.begin(at: reader.position)
        try readItem(into: &record)
        return true
      }
      try reader.finish()
      phase = .end
    }
    return false
  }

  private mutating func readItem(into record: inout FeedRecord) throws(FeedFault) {
    let kind = try reader.kind()
    guard kind == .object else {
      record.reject(nil, "\(kind.name) stands where an item is expected", at: reader.position)
      return try reader.skipValue()
    }
    try reader.enterObject()
    var first = true
    while let field = try reader.nextKey(in: Self.keys, first: &first) {
      if field < 0 || !selection.wanted[field] {
        try reader.skipValue()
        continue
      }
      switch Self.fields[field].type {
      case .text: try reader.readText(field, of: &record)
      case .boolean: try reader.readBoolean(field, of: &record)
      case .date: try reader.readDateText(field, of: &record)
      case .double: try reader.readDouble(field, of: &record)
      }
    }
    record.finish(selection)
  }
}

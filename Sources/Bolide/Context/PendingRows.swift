import BolideStorage

/// Rows of one table as unsaved edits make them, and those that they delete.
struct PendingRows {
  private let layout: TableLayout
  private(set) var images: RowBatch
  /// Where the image of a row is.
  private var places: [Number: Int] = [:]
  private var deleted: Set<Number> = []

  init(_ layout: TableLayout) {
    self.layout = layout
    images = RowBatch(layout.format)
  }

  /// How many rows there are images of.
  var count: Int { places.count }
  /// Whether a row is deleted.
  var hasDeletes: Bool { !deleted.isEmpty }
  /// The numbers of the rows that differ from the stored ones, or are not stored.
  var changed: [Number] { (Array(places.keys) + deleted).sorted() }

  func differs(_ number: Number) -> Bool { places[number] != nil || deleted.contains(number) }

  func isDeleted(_ number: Number) -> Bool { deleted.contains(number) }

  mutating func delete(_ number: Number) { deleted.insert(number) }

  /// Adds the image of a row that has none.
  mutating func set(_ builder: RowBuilder, _ number: Number) {
    places[number] = images.count
    builder.append(to: &images, number: number)
  }

  /// Appends the image of a row that differs, or its absence.
  func append(_ number: Number, to batch: inout RowBatch) {
    if let place = places[number] {
      images.withRow(at: place) { batch.append($0, number: number) }
    } else {
      batch.appendAbsent()
    }
  }

  /// The row whose values in the columns of an index are those of another row, none of them nil.
  func holder(of key: RowView, by index: IndexID) -> Number? {
    let columns = layout.indexes[index].columns
    var wanted: [UInt8] = []
    if IndexKey.append(key, columns: columns, to: &wanted) { return nil }
    return images.numbers.indices.first { place in
      images.withRow(at: place) { row in
        var key: [UInt8] = []
        IndexKey.append(row, columns: columns, to: &key)
        return key == wanted
      } == true
    }.map { images.numbers[$0] }
  }

  /// The columns that order a range.
  func keyColumns(of range: KeyRange) -> [Int] {
    if case .index(let index, _, _) = range { layout.indexes[index].columns } else { [] }
  }
}

/// Lays pending rows among the stored ones of a scan.
struct PendingMerge {
  private let pending: PendingRows
  private let backwards: Bool
  /// The columns that the scan is ordered by, before the number.
  let keyColumns: [Int]
  /// The pending rows of the range that are still to come, the next one last.
  private var waiting: [(key: [UInt8], index: Int)]
  /// The last row that was appended.
  private(set) var place: Place?

  init(_ pending: PendingRows, _ range: KeyRange, backwards: Bool, from place: Place?) {
    self.pending = pending
    self.backwards = backwards
    self.place = place
    let columns = pending.keyColumns(of: range)
    keyColumns = columns
    let bounds = PendingBounds(range, from: place, backwards: backwards)
    var waiting: [(key: [UInt8], index: Int)] = []
    pending.images.withRows { rows in
      for index in 0..<rows.count {
        let key = Self.key(of: rows[index], columns, pending.images.numbers[index])
        if bounds.contain(key) { waiting.append((key, index)) }
      }
    }
    waiting.sort { left, right in
      left.key.lexicographicallyPrecedes(right.key) == backwards && left.index != right.index
    }
    self.waiting = waiting
  }

  private static func key(of row: RowView, _ columns: [Int], _ number: Number) -> [UInt8] {
    var key: [UInt8] = []
    IndexKey.append(row, columns: columns, to: &key)
    IndexKey.append(number: number, to: &key)
    return key
  }

  /// Appends rows in order; gives how many.
  ///
  /// - Parameter isLast: whether no stored rows come after these.
  mutating func append(_ stored: RowBatch, isLast: Bool, atMost limit: Int, to batch: inout RowBatch) -> Int {
    var left = limit
    stored.withRows { rows in
      for index in 0..<rows.count where left > 0 {
        let number = stored.numbers[index]
        if pending.differs(number) { continue }
        let key = Self.key(of: rows[index], keyColumns, number)
        while left > 0, let next = waiting.last, next.key.lexicographicallyPrecedes(key) != backwards {
          appendNext(to: &batch)
          left -= 1
        }
        if left == 0 { return }
        append(rows[index], number, to: &batch)
        left -= 1
      }
    }
    while isLast, left > 0, !waiting.isEmpty {
      appendNext(to: &batch)
      left -= 1
    }
    return limit - left
  }

  private mutating func appendNext(to batch: inout RowBatch) {
    guard let next = waiting.popLast() else { return }
    pending.images.withRow(at: next.index) { append($0, pending.images.numbers[next.index], to: &batch) }
  }

  private mutating func append(_ row: RowView, _ number: Number, to batch: inout RowBatch) {
    batch.append(row, number: number)
    place = Place(values: keyColumns.map { row.value($0) }, number: number)
  }
}

/// Where the keys of a range's rows lie that are still to come.
private struct PendingBounds {
  private var lower: [UInt8] = []
  private var isLowerInclusive = true
  private var upper: [UInt8]?
  private var isUpperInclusive = true

  init(_ range: KeyRange, from place: Place?, backwards: Bool) {
    switch range {
    case .numbers(let numbers):
      IndexKey.append(number: numbers.lowerBound, to: &lower)
      upper = Self.key([], numbers.upperBound)
    case .index(_, let lower, let upper):
      if let lower {
        self.lower = Self.key(lower.values)
        isLowerInclusive = lower.isInclusive
      }
      if let upper {
        self.upper = Self.key(upper.values)
        isUpperInclusive = upper.isInclusive
      }
    }
    guard let place else { return }
    if backwards {
      upper = Self.key(place.values, place.number)
      isUpperInclusive = false
    } else {
      lower = Self.key(place.values, place.number)
      isLowerInclusive = false
    }
  }

  private static func key(_ values: [Value], _ number: Number? = nil) -> [UInt8] {
    var key: [UInt8] = []
    for value in values { IndexKey.append(value, to: &key) }
    if let number { IndexKey.append(number: number, to: &key) }
    return key
  }

  /// Whether a whole key, its number included, is between the bounds, which may be prefixes.
  func contain(_ key: [UInt8]) -> Bool {
    if key.starts(with: lower) {
      if !isLowerInclusive { return false }
    } else if key.lexicographicallyPrecedes(lower) {
      return false
    }
    guard let upper else { return true }
    return key.starts(with: upper) ? isUpperInclusive : key.lexicographicallyPrecedes(upper)
  }
}

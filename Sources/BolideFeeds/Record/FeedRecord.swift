/// The types of what a feed delivers.
package enum FeedValueType: Sendable {
  case text, double, date, boolean

  /// The type in words.
  var name: String {
    switch self {
    case .text: "a text"
    case .double: "a number"
    case .date: "a date"
    case .boolean: "a boolean"
    }
  }
}

/// One field of a feed's records.
package struct FeedField: Sendable {
  /// The attributes it may go to: the first that an entity has.
  package let attributes: [String]
  /// Its name in the feed, for messages.
  package let source: String
  package let type: FeedValueType

  init(_ attributes: String..., from source: String, _ type: FeedValueType) {
    self.attributes = attributes
    self.source = source
    self.type = type
  }
}

/// One record while it is decoded: what the feed says about each field, or why the record cannot be used.
///
/// Nothing is boxed and nothing is allocated per record: numbers stand in slots, texts in one arena that is
/// used again for the next record. A field that is set twice keeps the last value.
package struct FeedRecord: ~Copyable {
  /// What a record says about a field.
  package enum State: UInt8 {
    /// Nothing: a stored value stays.
    case absent
    /// That there is no value: a stored one is cleared.
    case null
    /// A number, date or boolean.
    case number
    case text
  }

  /// Why a record is skipped.
  package struct Flaw: Hashable, Sendable {
    /// The feed's name of the field, or nil where the whole record is of the wrong kind.
    package var field: String?
    package var reason: String
    package var position: FeedPosition
  }

  private struct Slot {
    var state = State.absent
    var bits: UInt64 = 0
    var start = 0
    var count = 0
  }

  package let fields: [FeedField]
  /// The record's place in the feed, from 1.
  package private(set) var number = 0
  /// Where the record starts.
  package private(set) var position = FeedPosition(offset: 0, line: 1, column: 1)
  /// The first thing that is wrong with the record.
  package private(set) var flaw: Flaw?
  private var slots: UnsafeMutablePointer<Slot>
  private var arena: UnsafeMutablePointer<UInt8>
  private var arenaCapacity = 1024
  private var arenaCount = 0

  package init(fields: [FeedField]) {
    self.fields = fields
    slots = .allocate(capacity: fields.count)
    slots.initialize(repeating: Slot(), count: fields.count)
    arena = .allocate(capacity: arenaCapacity)
  }

  deinit {
    slots.deallocate()
    arena.deallocate()
  }

  // MARK: Writing

  /// Starts the next record.
  mutating func begin(at position: FeedPosition) {
    number += 1
    self.position = position
    if flaw != nil { flaw = nil }
    arenaCount = 0
    slots.update(repeating: Slot(), count: fields.count)
  }

  mutating func setNull(_ field: Int) { slots[field] = Slot(state: .null) }

  mutating func set(_ field: Int, to value: Double) {
    // Adding zero makes a negative zero positive.
    slots[field] = Slot(state: .number, bits: (value + 0).bitPattern)
  }

  mutating func set(_ field: Int, to value: Bool) {
    slots[field] = Slot(state: .number, bits: value ? 1 : 0)
  }

  mutating func set(_ field: Int, to text: UnsafeBufferPointer<UInt8>) {
    if arenaCount + text.count > arenaCapacity { growArena(for: text.count) }
    if let start = text.baseAddress { (arena + arenaCount).update(from: start, count: text.count) }
    slots[field] = Slot(state: .text, start: arenaCount, count: text.count)
    arenaCount += text.count
  }

  /// Sets a field to the end of another one's text.
  mutating func set(_ field: Int, toTextOf other: Int, droppingFirst count: Int) {
    let whole = slots[other]
    slots[field] = Slot(state: .text, start: whole.start + count, count: whole.count - count)
  }

  /// Sets a field to the number that is the whole of a text, or to null where the text is empty.
  ///
  /// - Parameter shift: the power of ten that the number is multiplied by.
  /// - Returns: what is wrong with the text.
  mutating func set(
    _ field: Int, toNumberIn text: UnsafeBufferPointer<UInt8>, shiftedBy shift: Int = 0
  ) -> String? {
    guard let start = text.baseAddress, !text.isEmpty else {
      setNull(field)
      return nil
    }
    guard let number = DecimalNumber(text) else { return "“\(excerpt(text))” is no number" }
    guard let value = number.double(shiftedBy: shift, in: start) else {
      return "“\(excerpt(text))” is too large for a double"
    }
    set(field, to: value)
    return nil
  }

  /// Marks the record as one to skip; the first reason counts.
  mutating func reject(_ field: String?, _ reason: String, at position: FeedPosition) {
    if flaw == nil { flaw = Flaw(field: field, reason: reason, position: position) }
  }

  /// Rejects the record when one of the fields has no value.
  mutating func require(_ required: [Int]) {
    for field in required where flaw == nil {
      switch slots[field].state {
      case .absent: reject(fields[field].source, "is missing", at: position)
      case .null: reject(fields[field].source, "is null", at: position)
      case .text where slots[field].count == 0: reject(fields[field].source, "is empty", at: position)
      case .number, .text: break
      }
    }
  }

  /// Rejects the record when a field that must have a value has none.
  mutating func finish(_ selection: FeedSelection) {
    require(selection.required)
    for field in selection.filled where slots[field].state == .null {
      reject(fields[field].source, "is null", at: position)
    }
  }

  /// Takes every null for “not mentioned”.
  mutating func forgetNulls() {
    for field in fields.indices where slots[field].state == .null { slots[field] = Slot() }
  }

  private mutating func growArena(for count: Int) {
    let larger = max(arenaCapacity * 2, arenaCount + count)
    let target = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    target.update(from: arena, count: arenaCount)
    arena.deallocate()
    arena = target
    arenaCapacity = larger
  }

  // MARK: Reading

  package func state(_ field: Int) -> State { slots[field].state }

  /// The double or date in a field whose state is `number`.
  package func double(_ field: Int) -> Double { Double(bitPattern: slots[field].bits) }

  /// The boolean in a field whose state is `number`.
  package func boolean(_ field: Int) -> Bool { slots[field].bits != 0 }

  /// The UTF-8 of a field whose state is `text`; valid until the record changes.
  package func text(_ field: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: arena + slots[field].start, count: slots[field].count)
  }
}

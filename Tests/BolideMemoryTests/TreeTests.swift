import BolideStorage
import Testing

@testable import BolideMemory

/// The tree against a plain sorted array.
struct TreeTests {
  /// Keys with their values, sorted; the slow truth.
  struct Model: Equatable {
    var entries: [Entry] = []

    struct Entry: Equatable {
      var key: [UInt8]
      var value: [UInt8]
    }

    func position(_ key: [UInt8]) -> (index: Int, isFound: Bool) {
      var low = 0
      var high = entries.count
      while low < high {
        let middle = (low + high) / 2
        if entries[middle].key.lexicographicallyPrecedes(key) { low = middle + 1 } else { high = middle }
      }
      return (low, low < entries.count && entries[low].key == key)
    }

    mutating func insert(_ key: [UInt8], _ value: [UInt8]) -> [UInt8]? {
      let (index, isFound) = position(key)
      if isFound { return entries[index].value }
      entries.insert(Entry(key: key, value: value), at: index)
      return nil
    }

    mutating func set(_ key: [UInt8], _ value: [UInt8]) {
      let (index, isFound) = position(key)
      if isFound { entries[index].value = value } else { _ = insert(key, value) }
    }

    mutating func remove(_ key: [UInt8]) -> Bool {
      let (index, isFound) = position(key)
      if isFound { entries.remove(at: index) }
      return isFound
    }
  }

  @Test(arguments: [UInt64(1), 2, 3, 4])
  func `a tree holds what a sorted array holds`(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let pool = PagePool()
    var tree = Tree()
    var model = Model()
    var kept: [(tree: Tree, model: Model)] = []
    for epoch in 1...12 {
      let editor = TreeEditor(epoch: UInt64(epoch), pool: pool)
      if kept.count < 4 {
        // A state that must not change any more.
        tree.root?.retain()
        kept.append((tree, model))
      }
      tree.tail = nil
      let isShrinking = epoch % 6 > 3
      for _ in 0..<200 {
        let key = randomKey(&generator, style: seed)
        let value = [UInt8](repeating: UInt8(epoch), count: valueLength(&generator))
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<(isShrinking ? 1 : 5):
          let before = insert(key, value, editor, &tree)
          #expect(before == model.insert(key, value), "seed \(seed), epoch \(epoch), inserting \(key)")
        case 5:
          set(key, value, editor, &tree)
          model.set(key, value)
        default:
          let victim =
            model.entries.isEmpty || Bool.random(using: &generator)
            ? key : model.entries[Int.random(in: 0..<model.entries.count, using: &generator)].key
          let removed = victim.withUnsafeBytes { editor.remove(Key($0), from: &tree) }
          #expect(removed == model.remove(victim), "seed \(seed), epoch \(epoch), removing \(victim)")
        }
      }
      #expect(contents(tree) == model, "seed \(seed), epoch \(epoch)")
      #expect(tree.count == model.entries.count, "seed \(seed), epoch \(epoch)")
      #expect(backwards(tree) == model.entries.reversed(), "seed \(seed), epoch \(epoch)")
      expectSeeks(tree, model, &generator, "seed \(seed), epoch \(epoch)")
    }
    for (old, then) in kept {
      #expect(contents(old) == then, "seed \(seed): an old state changed")
      old.root?.release(in: pool)
    }
    TreeEditor(epoch: 100, pool: pool).clear(&tree)
    #expect(pool.livePages == 0, "seed \(seed): pages left")
  }

  @Test func `ascending keys fill pages and removing all gives every page back`() {
    let pool = PagePool()
    let editor = TreeEditor(epoch: 1, pool: pool)
    var tree = Tree()
    let value = [UInt8](repeating: 7, count: 84)
    for number in UInt64(1)...10_000 {
      value.withUnsafeBytes { _ = editor.insert(Key(number), $0, into: &tree) }
    }
    // 100 bytes an entry, slot included, 40 a page.
    #expect(pool.livePages <= 10_000 / 40 + 5)
    for number in UInt64(1)...10_000 { #expect(editor.remove(Key(number), from: &tree)) }
    #expect(tree.root == nil)
    #expect(pool.livePages == 0)
  }

  @Test func `a writer that shares nothing writes in place`() {
    let pool = PagePool()
    var tree = Tree()
    let value: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    let editor = TreeEditor(epoch: 1, pool: pool)
    for number in stride(from: UInt64(2), through: 20_000, by: 2) {
      value.withUnsafeBytes { editor.set(Key(number), $0, in: &tree) }
    }
    let pages = pool.livePages
    for number in stride(from: UInt64(2), through: 20_000, by: 2) {
      value.withUnsafeBytes { editor.set(Key(number), $0, in: &tree) }
    }
    #expect(pool.livePages == pages)
    // A state shared with the next transaction: it copies one path, and the state keeps its own.
    tree.root?.retain()
    let shared = tree
    tree.tail = nil
    let next = TreeEditor(epoch: 2, pool: pool)
    value.withUnsafeBytes { next.set(Key(UInt64(10_000)), $0, in: &tree) }
    #expect(pool.livePages - pages <= 3)
    shared.root?.release(in: pool)
    #expect(pool.livePages == pages)
    next.clear(&tree)
    #expect(pool.livePages == 0)
  }

  @Test func `counting a prefix counts what a walk counts`() {
    let pool = PagePool()
    let editor = TreeEditor(epoch: 1, pool: pool)
    var tree = Tree()
    for own in UInt64(1)...300 {
      for other in 0..<((own * 37) % 500) {
        PairKey(own: Int64(own), other: Int64(other)).withKey {
          editor.set($0, UnsafeRawBufferPointer(start: nil, count: 0), in: &tree)
        }
      }
    }
    for own in UInt64(0)...301 {
      #expect(tree.count(prefix: Key(own)) == (own == 0 || own == 301 ? 0 : Int(own * 37 % 500)))
    }
    editor.clear(&tree)
  }

  // Steps

  private func insert(_ key: [UInt8], _ value: [UInt8], _ editor: TreeEditor, _ tree: inout Tree) -> [UInt8]?
  {
    key.withUnsafeBytes { key in
      value.withUnsafeBytes { value in
        switch editor.insert(Key(key), value, into: &tree) {
        case .inserted: nil
        case .present(let before): [UInt8](before)
        }
      }
    }
  }

  private func set(_ key: [UInt8], _ value: [UInt8], _ editor: TreeEditor, _ tree: inout Tree) {
    key.withUnsafeBytes { key in value.withUnsafeBytes { editor.set(Key(key), $0, in: &tree) } }
  }

  private func contents(_ tree: Tree) -> Model {
    var model = Model()
    var cursor = Cursor(tree)
    cursor.seekStart()
    while let (leaf, index) = cursor.position {
      model.entries.append(entry(leaf, index))
      cursor.advance()
    }
    return model
  }

  private func backwards(_ tree: Tree) -> [Model.Entry] {
    var entries: [Model.Entry] = []
    var cursor = Cursor(tree)
    cursor.seekEnd()
    while let (leaf, index) = cursor.retreat() { entries.append(entry(leaf, index)) }
    return entries
  }

  private func expectSeeks(
    _ tree: Tree, _ model: Model, _ generator: inout SplitMix64, _ label: String
  ) {
    for _ in 0..<40 {
      let isStored = !model.entries.isEmpty && Bool.random(using: &generator)
      let key =
        isStored
        ? model.entries[Int.random(in: 0..<model.entries.count, using: &generator)].key
        : randomKey(&generator, style: 1)
      let (index, isFound) = model.position(key)
      let value = key.withUnsafeBytes { tree.value(Key($0)).map { [UInt8]($0) } }
      #expect(value == (isFound ? model.entries[index].value : nil), "\(label), value of \(key)")
      var cursor = Cursor(tree)
      key.withUnsafeBytes { cursor.seek(Key($0)) }
      let at = cursor.position.map { entry($0.leaf, $0.index) }
      #expect(at == (index < model.entries.count ? model.entries[index] : nil), "\(label), seek \(key)")
      let before = cursor.retreat().map { entry($0.leaf, $0.index) }
      #expect(before == (index > 0 ? model.entries[index - 1] : nil), "\(label), before \(key)")
      key.withUnsafeBytes { cursor.seek(after: Key($0)) }
      let next = isFound ? index + 1 : index
      let after = cursor.position.map { entry($0.leaf, $0.index) }
      #expect(after == (next < model.entries.count ? model.entries[next] : nil), "\(label), after \(key)")
    }
  }

  private func entry(_ leaf: Page, _ index: Int) -> Model.Entry {
    var key: [UInt8] = []
    leaf.key(index).append(to: &key)
    return Model.Entry(key: key, value: [UInt8](leaf.value(index)))
  }

  /// Styles: short keys, keys about as long as the head, keys that share long beginnings, numbers.
  private func randomKey(_ generator: inout SplitMix64, style: UInt64) -> [UInt8] {
    switch style {
    case 1: return randomBytes(&generator, count: Int.random(in: 0...3, using: &generator), below: 6)
    case 2: return randomBytes(&generator, count: Int.random(in: 5...12, using: &generator), below: 2)
    case 3:
      let length = [10, 399, 400, 408, 409, 700, 3000].randomElement(using: &generator) ?? 10
      return [UInt8](repeating: 9, count: length) + randomBytes(&generator, count: 2, below: 12)
    default:
      return withUnsafeBytes(of: UInt64.random(in: 0..<4000, using: &generator).bigEndian) { [UInt8]($0) }
    }
  }

  private func valueLength(_ generator: inout SplitMix64) -> Int {
    [0, 8, 8, 100, 579, 580, 581, 900].randomElement(using: &generator) ?? 8
  }

  private func randomBytes(_ generator: inout SplitMix64, count: Int, below: UInt8 = 255) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0..<below, using: &generator) }
  }
}

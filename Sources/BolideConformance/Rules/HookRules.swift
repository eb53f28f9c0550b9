import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// What classes are told of their objects' lives (rule O-1).
  static var hookCases: [CaseDefinition] {
    [
      CaseDefinition(
        "hooks/awake",
        "A new object is awakened once, and one from the store each time that its row is read on being looked at.",
        rules: ["O-1"]
      ) { stage in
        let container = try stage.container(HookedPage.model)
        let context = container.newContext(author: "user")
        let page = HookedPage(context: context)
        try checkEqual([page.title, page.order], ["untitled", ""], "what the hook set, and a default")
        try checkEqual(page.calls, ["insert"], "calls of a new object")
        let book = try checkPresent(try context.insert("HookedBook") as? HookedBook, "the book")
        try checkEqual(book.title, "unbound", "an object inserted by the name of its entity")
        page.book = book
        try context.save()
        try checkEqual(page.title, "untitled", "after the save")
        try checkEqual(page.calls, ["insert", "will save", "did save"], "what the save reads calls nothing")
        try context.execute(
          BatchInsertRequest(HookedPage.self, from: ["a", "b"]) { record, title in record.title = title })
        try checkEqual(
          try container.values("HookedPage", "title", "words"),
          [
            [.string("untitled"), .int(1)], [.string("a"), .int(0)], [.string("b"), .int(0)],
          ], "records have no hooks")

        let view = container.newContext(author: "view")
        let request = FetchRequest(HookedPage.self)
        let fetched = try view.fetch(request)
        try checkEqual(fetched.map(\.calls), [["fetch untitled"], ["fetch a"], ["fetch b"]], "by a fetch")
        try checkEqual(try view.fetch(request).flatMap(\.calls).count, 3, "once, while they are held")
        view.refresh(fetched[1], mergeChanges: false)
        try checkEqual(fetched[1].title, "a", "a fault")
        try checkEqual(fetched[1].calls, ["fetch a", "fetch a"], "by a getter")
        fetched[1].title = "c"
        view.refresh(fetched[1], mergeChanges: true)
        try checkEqual(fetched[1].calls.count, 2, "a refresh that keeps edits")
        let byBatch = try container.newContext().fetchBatches(request)
        try checkEqual(byBatch.map { $0.calls.count }, [1, 1, 1], "by batches")
        let lists = container.newContext()
        let list = FetchedResultsController(
          FetchRequest(HookedPage.self, sort: [SortDescriptor(\.title)]), in: lists, batchSize: 2)
        try list.performFetch()
        try checkEqual(list.fetchedObjects.first?.calls, ["fetch a"], "by a list")
        var along = FetchRequest(HookedBook.self)
        along.relationshipKeyPathsForPrefetching = ["pages"]
        let prefetching = container.newContext()
        let books = try prefetching.fetch(along)
        try checkEqual(try books.at(0).pages.map(\.calls), [["fetch untitled"]], "by prefetching")
        try check(!prefetching.hasChanges, "reading is no edit")
      },
      CaseDefinition(
        "hooks/will-save",
        "What hooks edit before a save is checked and saved with the rest, once an object.",
        rules: ["O-1", "V-9", "R-1"]
      ) { stage in
        let container = try stage.container(HookedPage.model)
        let context = container.newContext(author: "user")
        let page = HookedPage(context: context)
        context.retainsRegisteredObjects = true
        page.title = "one two three"
        page.order = "bind"
        let first = try context.save()
        try checkEqual(first.inserted, 2, "the page, and the book that its hook inserted")
        let book = try checkPresent(page.book, "the book")
        try checkEqual([page.words, book.pageCount], [3, 1], "what hooks computed, and a derived count")
        try checkEqual(page.calls, ["insert", "will save", "did save"], "calls of the page")
        try checkEqual(book.calls, ["will save", "did save"], "calls of the book")
        try check(!context.hasChanges, "nothing is left to save")
        page.order = ""
        page.title = "too many words for this"
        let before = try container.dumpLines()
        try checkThrows(.validationCustom, label: "a value that a hook set") { try context.save() }
        try checkEqual(try container.dumpLines(), before, "contents")
        try checkEqual(page.words, 5, "the hook's edit is an edit")
        page.title = "few"
        try context.save()
        try checkEqual(try container.values("HookedPage", "words"), [[.int(1)]], "words at the end")
        try checkEqual(
          page.calls.suffix(3), ["will save", "will save", "did save"], "a save that fails tells half of it")
        let silent = container.newContext(author: "user")
        try checkEqual(try silent.save().didWrite, false, "a save of nothing")
        // A hook that undoes the only edit leaves nothing to save.
        page.order = "undo"
        try checkEqual(try context.save().transaction, nil, "a transaction of nothing")
      },
      CaseDefinition(
        "hooks/misuse", "Hooks cannot save, merge, pin or go on for ever; nothing is written then.",
        rules: ["O-1", "M-4", "E-1"]
      ) { stage in
        let container = try stage.container(HookedPage.model)
        let context = container.newContext(author: "user")
        let page = HookedPage(context: context)
        page.order = "interfere"
        try context.save()
        try checkEqual(
          page.errors, Array(repeating: .contextCallback, count: 6), "calls in willSave and didSave")
        try checkEqual(try container.currentToken().number, 1, "transactions")
        let before = try container.dumpLines()
        page.order = "multiply"
        try checkThrows(.contextHooks, label: "pages that each insert one") { try context.save() }
        try checkEqual(try container.dumpLines(), before, "contents")
        context.rollback()
        try check(!context.hasChanges, "everything was dropped")
        page.order = "drop all"
        try checkEqual(try context.save().didWrite, false, "a hook that rolls back")
        page.order = "set"
        try context.save()
        context.delete(page)
        try checkThrows(.objectDeleted, label: "setting what is to be deleted") { try context.save() }
        try checkEqual(try container.numbers("HookedPage"), [1], "what is stored")
        // The mistake was told; the hook makes it each time.
        try checkThrows(.objectDeleted, label: "once more") { try context.save() }
      },
      CaseDefinition(
        "hooks/did-save", "Who is saved or deleted is told, and what is edited then waits for the next save.",
        rules: ["O-1", "U-3"]
      ) { stage in
        let container = try stage.container(HookedPage.model)
        let context = container.newContext(author: "user")
        let page = HookedPage(context: context)
        page.key = 1
        page.order = "mark"
        try context.save()
        try checkEqual(page.title, "saved 1", "an edit of the hook")
        try check(context.hasChanges, "it is not saved yet")
        page.order = ""
        try checkEqual(try context.save().updated, 1, "the next save")
        try checkEqual(
          try container.values("HookedPage", "title"), [[.string("saved 1")]], "the title")
        let twin = HookedPage(context: context)
        twin.key = 1
        try checkThrows(.conflictUnique, label: "a key that is taken") { try context.save() }
        try checkEqual(twin.calls, ["insert", "will save"], "nothing was saved")
        try context.save(policy: .rollback)
        try checkEqual(twin.calls, ["insert", "will save", "will save"], "what the policy dropped")
        page.calls = []
        context.delete(page)
        try context.save()
        try checkEqual(page.calls, ["prepare", "will delete", "did delete"], "a deleted object")
      },
      CaseDefinition(
        "hooks/deletion", "An object is asked before it is deleted, while it has its values and links.",
        rules: ["O-1", "R-2"]
      ) { stage in
        let container = try stage.container(HookedPage.model)
        let context = container.newContext(author: "user")
        let book = HookedBook(context: context)
        let pages = (0..<3).map { _ in HookedPage(context: context) }
        for page in pages { page.book = book }
        try context.save()
        pages[0].order = "take book"
        context.delete(pages[0])
        try checkEqual(pages[0].calls.suffix(2), ["prepare", "had a book"], "what is still there")
        try check(pages[0].isDeleted && book.isDeleted, "both are to be deleted")
        context.delete(pages[0])
        try checkEqual(pages[0].calls.filter { $0 == "prepare" }.count, 1, "once")
        pages[1].order = "delete myself"
        context.delete(pages[1])
        try checkEqual(pages[1].calls.filter { $0 == "prepare" }.count, 1, "not from within itself")
        let unsaved = HookedPage(context: context)
        context.delete(unsaved)
        try checkEqual(unsaved.calls, ["insert", "prepare"], "one that was never saved")
        try context.save()
        try checkEqual(try container.numbers("HookedPage"), [], "the third went with its book")
        try checkEqual(pages[2].calls.filter { $0 == "prepare" }, [], "what a rule takes along is not asked")
        try checkEqual(try container.numbers("HookedBook"), [], "books")
      },
      CaseDefinition(
        "contexts/changed-values", "An object tells its unsaved values, and the stored ones under them.",
        rules: ["O-2"]
      ) { stage in
        let container = try stage.container(HookedPage.model)
        let context = container.newContext(author: "user")
        let book = HookedBook(context: context)
        let page = HookedPage(context: context)
        try checkEqual(
          page.changedValues(), ["title": .attribute(.string("untitled"))], "a new object's values")
        try checkEqual(try page.committedValues(), [:], "a new object has no stored ones")
        page.book = book
        try checkEqual(page.changedValues()["book"], .object(book.objectID), "a new to-one")
        try checkEqual(book.changedValues()["pages"], .objects([page.objectID]), "its other side")
        try context.save()
        try checkEqual(page.changedValues(), [:], "after the save")
        try check(!page.hasPersistentChangedValues, "nothing differs")
        page.title = "b"
        page.book = nil
        try checkEqual(
          page.changedValues(), ["title": .attribute(.string("b")), "book": .object(nil)], "edits")
        try checkEqual(book.changedValues(), ["pages": .objects([])], "the other side")
        try checkEqual(
          try page.committedValues(forKeys: ["title", "book"]),
          ["title": .attribute(.string("untitled")), "book": .object(book.objectID)], "stored values")
        try checkEqual(
          try book.committedValues(forKeys: ["pages"]), ["pages": .objects([page.objectID])], "members")
        try checkEqual(try page.committedValues().count, 6, "all properties")
        try checkThrows(.schemaUnknownProperty, label: "an unknown name") {
          _ = try page.committedValues(forKeys: ["nope"])
        }
        page.title = "untitled"
        page.book = book
        try checkEqual(page.changedValues(), [:], "edits that were taken back")
        try checkEqual(book.changedValues(), [:], "on the other side, too")
        page.title = "b"
        let other = container.newContext(author: "other")
        try other.fetch(FetchRequest(HookedPage.self)).at(0).title = "c"
        try other.save()
        context.refresh(page, mergeChanges: true)
        try checkEqual(page.changedValues(), ["title": .attribute(.string("b"))], "an edit on top")
        try checkEqual(
          try page.committedValues(forKeys: ["title"]), ["title": .attribute(.string("c"))], "what was read")
        context.delete(page)
        try context.save(policy: .objectTrump)
        try checkThrows(.objectDeleted, label: "an object that is gone") { _ = try page.committedValues() }
      },
    ]
  }
}

/// A class that notes its hooks, and does in them what its order says.
private final class HookedPage: ManagedObject {
  static let model = Schema(HookedPage.self, HookedBook.self)

  @Attribute var title = ""
  @Attribute var order = ""
  @Attribute var words = 0
  @Attribute(.unique) var key: Int64?
  @Relationship var book: HookedBook?
  @Derived("lowercase:(title)") var lower: String?
  var calls: [String] = []
  var errors: [ErrorCode] = []

  override func awakeFromInsert() {
    calls.append("insert")
    title = "untitled"
  }

  override func awakeFromFetch() { calls.append("fetch \(title)") }

  override func prepareForDeletion() {
    calls.append("prepare")
    switch order {
    case "take book":
      guard let book else { return }
      calls.append("had a book")
      context?.delete(book)
    case "delete myself": context?.delete(self)
    default: break
    }
  }

  override func willSave() {
    calls.append(isDeleted ? "will delete" : "will save")
    if order == "set" { title = "set" }
    if isDeleted { return }
    let count = title.split(separator: " ").count
    if words != count { words = count }
    guard let context else { return }
    switch order {
    case "bind": book = HookedBook(context: context)
    case "multiply": HookedPage(context: context).order = order
    case "drop all": context.rollback()
    case "undo": order = ""
    case "interfere": interfere(context)
    default: break
    }
  }

  override func didSave() {
    calls.append(isDeleted ? "did delete" : "did save")
    if order == "mark" { title = "saved \(objectID.number)" }
    if order == "interfere", let context { interfere(context) }
  }

  override func validateForUpdate() throws {
    if words > 4 { throw ValidationProblem(objectID, "words", reason: "are too many") }
  }

  private func interfere(_ context: ManagedObjectContext) {
    func attempt(_ call: () throws -> Void) {
      do {
        try call()
      } catch let error as BolideError {
        errors.append(error.code)
      } catch {}
    }
    attempt { try context.save() }
    attempt { try context.reset() }
    attempt { try context.setQueryGeneration(from: .current) }
  }
}

private final class HookedBook: ManagedObject {
  @Attribute var title = ""
  @Relationship(inverse: \HookedPage.book, deleteRule: .cascade) var pages: ToMany<HookedPage>
  @Derived("pages.@count") var pageCount: Int
  var calls: [String] = []

  override func awakeFromInsert() { title = "unbound" }
  override func willSave() { calls.append("will save") }
  override func didSave() { calls.append("did save") }
}

import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// What must not be done with objects and contexts is told with its way out, and changes nothing.
  static var misuseCases: [CaseDefinition] {
    [
      CaseDefinition(
        "misuse/object-of-another-context", "An object of another context is not taken.",
        rules: ["E-1", "R-1"]
      ) { stage in
        let container = try watchWithGroup(stage)
        let before = try container.dumpLines()
        let view = container.newContext(author: "view")
        let group = try view.group("A")
        let own = try view.sightings([1]).at(0)
        let other = container.newContext(author: "other")
        let theirs = try other.sightings([3]).at(0)
        let edits: [(label: String, edit: () throws -> Void)] = [
          ("adding", { _ = try group.addObjects([theirs], for: "fireballs") }),
          ("removing", { _ = try group.removeObjects([theirs], for: "fireballs") }),
          ("replacing", { _ = try group.replaceObjects([own, theirs], for: "fireballs") }),
        ]
        for (label, edit) in edits {
          try refused(.contextForeign, label, body: edit)
          try check(!view.hasChanges, "\(label) left an edit")
        }
        // What cannot throw where it is called is thrown by the next save, once.
        view.delete(theirs)
        view.refresh(theirs, mergeChanges: false)
        try check(!theirs.isDeleted && !view.hasChanges, "deleting left an edit")
        try refused(.contextForeign, "a save after deleting") { try view.save() }
        try checkEqual(try view.save().transaction, nil, "the save after that")
        try checkEqual(try container.dumpLines(), before, "the store")
      },
      CaseDefinition(
        "misuse/deleted-object", "A deleted object keeps its last values, and takes no edits.",
        rules: ["E-1", "M-4"]
      ) { stage in
        let container = try watchWithGroup(stage)
        let view = container.newContext(author: "view")
        let object = try view.sightings([1]).at(0)
        let group = try view.group("A")
        view.delete(object)
        try refused(.objectDeleted, "editing") { try object.setValue(.double(4), for: "energy") }
        try refused(.objectDeleted, "linking") { _ = try group.addObjects([object], for: "fireballs") }
        try refused(.objectDeleted, "linking from it") { _ = try object.addObjects([group], for: "groups") }
        try checkEqual(try object.value("energy"), .double(1), "reading before the save")
        try view.save()
        let after = try container.dumpLines()
        try refused(.objectDeleted, "reading after the save") { _ = try object.value("energy") }
        try refused(.objectDeleted, "loading after the save") { try object.load() }
        try refused(.objectDeleted, "editing after the save") { try object.setValue(.null, for: "energy") }
        try check(object.isDeleted && object.isInaccessible, "it says so")
        view.delete(object)
        try check(!view.hasChanges, "deleting it again is nothing")
        try view.save()
        try checkEqual(try container.dumpLines(), after, "the store")
      },
      CaseDefinition(
        "misuse/deleted-typed-object", "A setter of a deleted object cannot throw: the next save does.",
        rules: ["E-1", "M-4"]
      ) { stage in
        let container = try stage.container(TypedFireball.model)
        let view = container.newContext(author: "view")
        let objects = [1.0, 2].map { time in
          let object = TypedFireball(context: view)
          object.time = Date(timeIntervalSinceReferenceDate: time)
          object.energy = time
          return object
        }
        let group = TypedGroup(context: view)
        group.fireballs.insert(objects[0])
        try view.save()
        let before = try container.dumpLines()
        view.delete(objects[0])
        objects[0].energy = 9
        try refused(.objectDeleted, "a save after setting a value") { try view.save() }
        group.fireballs.insert(objects[0])
        try refused(.objectDeleted, "a save after linking") { try view.save() }
        try checkEqual(try container.dumpLines(), before, "the store after the refusals")
        try checkEqual(try view.save().deleted, 1, "the delete is saved at last")
        try checkEqual(objects[0].energy, 1, "the last value known")
        try checkEqual(try container.values("Group", "size"), [[.int(0)]], "the group's size")
      },
      CaseDefinition(
        "misuse/unsaved-object-across-contexts",
        "An unsaved object's id means nothing in another context, and never another object.",
        rules: ["E-1", "U-1"]
      ) { stage in
        let container = try watchWithGroup(stage)
        let view = container.newContext(author: "view")
        let unsaved = try view.insert("Fireball", "time", date(7))
        let other = container.newContext(author: "other")
        let own = try other.insert("Fireball")
        try checkEqual(own.objectID.description, unsaved.objectID.description, "the texts of the ids")
        try check(own.objectID != unsaved.objectID, "the ids are one")
        let theirs = other.object(with: unsaved.objectID)
        try check(theirs !== own && theirs.isInaccessible, "the object of the id in another context")
        other.delete(own)
        try other.save()
        let group = try other.group("A")
        try refused(.contextForeign, "looking it up") {
          _ = try other.existingObject(with: unsaved.objectID)
        }
        try refused(.contextForeign, "linking it") { _ = try group.addObjects([theirs], for: "fireballs") }
        try refused(.contextForeign, "linking the object itself") {
          _ = try group.addObjects([unsaved], for: "fireballs")
        }
        try refused(.objectMissing, "deleting it by a batch") {
          _ = try other.execute(BatchDeleteRequest(ids: [unsaved.objectID]))
        }
        try check(!other.hasChanges, "an edit was left")
        try view.save()
        _ = try group.addObjects([try other.existingObject(with: unsaved.objectID)], for: "fireballs")
        try other.save()
        try checkEqual(try container.members(of: "A"), [1, 2, 4], "members once it is saved")
      },
      CaseDefinition(
        "misuse/save-in-a-callback",
        "A save from a list's callback is refused, and made later it is as always.",
        rules: ["E-1", "F-1"]
      ) { stage in
        let container = try watchWithGroup(stage)
        let view = container.newContext(author: "view")
        let objects = try view.sightings([1, 2])
        let controller = FetchedResultsController(
          FetchRequest<ManagedObject>(entity: "Fireball", sort: [SortTerm("energy")]), in: view)
        try controller.performFetch()
        let delegate = EagerDelegate { view in
          try objects[1].setValue(.double(5), for: "energy")
          try view.save()
        }
        controller.delegate = delegate
        try objects.at(0).setValue(.double(9), for: "energy")
        try view.save()
        let error = try checkPresent(delegate.errors.first as? BolideError, "the refusal")
        try checkEqual(error.code, .contextCallback, "its code")
        try check(!error.remedy.isEmpty, "its remedy")
        try check(view.hasChanges, "the edit waits")
        try checkEqual(
          try container.values("Fireball", "energy"), [9, 2, 3].map { [.double($0)] }, "what is stored")
        controller.delegate = nil
        try view.save()
        try checkEqual(controller.objectIDs.map(\.number), [3, 2, 1], "the list at the end")
        withExtendedLifetime(delegate) {}
      },
      CaseDefinition(
        "misuse/denied-delete", "A delete that a rule denies is refused and stays to be taken back.",
        rules: ["E-1", "R-2"]
      ) { stage in
        let container = try stage.container(denyModel)
        let view = container.newContext(author: "view")
        let shelf = try view.insert("Shelf")
        let book = try view.insert("Book")
        try shelf.addObjects([book], for: "books")
        try view.save()
        let before = try container.dumpLines()
        view.delete(shelf)
        let error = try refused(.validationDenied, "the save") { try view.save() }
        try check(error.description.contains("Shelf#1"), "the error names the object")
        try checkEqual(view.deletedObjects, [shelf], "the context is as it was")
        try refused(.validationDenied, "a batch") {
          _ = try view.execute(BatchDeleteRequest(entity: "Shelf"))
        }
        try checkEqual(try container.dumpLines(), before, "the store")
        view.rollback()
        try checkEqual(try shelf.objects("books"), [book], "the members after a rollback")
        try book.setObject(nil, for: "shelf")
        try view.save()
        view.delete(shelf)
        try checkEqual(try view.save().deleted, 1, "deleted once it is empty")
      },
    ]
  }

  /// Checks that a call is refused with a remedy.
  @discardableResult
  static func refused(_ code: ErrorCode, _ label: String, body: () throws -> Void) throws -> BolideError {
    let error = try checkThrows(code, label: label, body: body)
    try check(!error.remedy.isEmpty, "\(label): the error has no remedy")
    return error
  }

  private static let denyModel = Schema(
    name: "Shelves",
    entities: [
      EntityDescription(
        name: "Shelf", attributes: [],
        relationships: [
          RelationshipDescription(
            name: "books", destination: "Book", inverse: "shelf", isToMany: true, deleteRule: .deny)
        ]),
      EntityDescription(
        name: "Book", attributes: [],
        relationships: [RelationshipDescription(name: "shelf", destination: "Shelf", inverse: "books")]),
    ])
}

/// Does something in the first callback about an object, and keeps what it throws.
private final class EagerDelegate: FetchedResultsControllerDelegate {
  typealias Object = ManagedObject

  private(set) var errors: [any Error] = []
  private let action: (ManagedObjectContext) throws -> Void

  init(_ action: @escaping (ManagedObjectContext) throws -> Void) { self.action = action }

  func controller(
    _ controller: FetchedResultsController<ManagedObject>,
    didChangeObject change: ResultsChange<ManagedObject>
  ) {
    do {
      try action(controller.context)
    } catch {
      errors.append(error)
    }
  }
}

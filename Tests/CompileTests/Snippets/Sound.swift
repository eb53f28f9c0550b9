import Bolide
import Foundation

// What is right, and compiles: what the misuses beside this file would be without their mistake.

func returnAnID(_ container: PersistentContainer) async throws -> ManagedObjectID {
  try await container.performBackgroundTask { context in
    let note = Note(context: context)
    try context.save()
    return note.objectID
  }
}

@MainActor func captureAnID(_ container: PersistentContainer) async throws {
  let id = Note(context: container.viewContext).objectID
  try container.viewContext.save()
  try await container.performBackgroundTask { context in
    try context.existingObject(Note.self, with: id).title = "x"
    try context.save()
  }
}

func giveAway(_ container: PersistentContainer) {
  let context = container.newContext()
  Task { try context.save() }
}

@MainActor func stayOnTheMainActor(_ container: PersistentContainer) async throws {
  let list = FetchedResultsController(FetchRequest<Note>(), in: container.viewContext)
  try list.performFetch()
  let reader = Task { @MainActor in
    for await report in list.reports { print(report.changes.count) }
  }
  let title = list.fetchedObjects.first?.title ?? ""
  let length = Task.detached { title.count }
  print(await length.value)
  reader.cancel()
}

func valuesLeave(_ container: PersistentContainer) async throws -> [String] {
  try await Task { try container.newContext().fetch(FetchRequest<Note>()).map(\.title) }.value
}

extension Owner {
  func count() throws -> Int { try context.count(for: FetchRequest<Note>()) }
  func save(_ title: String) throws {
    Note(context: context).title = title
    try context.save()
  }
}

func properties(_ note: Note, _ folder: Folder) -> Int64 {
  note.title = "a"
  note.due = nil
  folder.notes.insert(note)
  return folder.noteCount
}

func batch() -> BatchUpdateRequest<Note> { BatchUpdateRequest(Note.self).set(\.title, to: "done") }

import Bolide
import Foundation

// Misuse that the types refuse. "error:" names what the compiler says of the line below.

func returnAnObject(_ container: PersistentContainer) async throws {
  // error: 'Note' does not conform to the 'Sendable' protocol
  let note = try await container.performBackgroundTask { Note(context: $0) }
  _ = note
}

func returnObjectsOfATask(_ container: PersistentContainer) async throws {
  // error: 'Note' does not conform to the 'Sendable' protocol
  let notes = try await Task { try container.newContext().fetch(FetchRequest<Note>()) }.value
  _ = notes
}

@MainActor func captureAnObject(_ container: PersistentContainer) async throws {
  let note = Note(context: container.viewContext)
  try await container.performBackgroundTask { _ in
    // error: non-Sendable type 'Note'
    note.title = "x"
  }
}

@MainActor func captureTheView(_ container: PersistentContainer) async throws {
  let view = container.viewContext
  try await container.performBackgroundTask { _ in
    // error: non-Sendable type 'ManagedObjectContext'
    _ = try view.save()
  }
}

func useTheViewElsewhere(_ container: PersistentContainer) {
  // error: main actor-isolated property 'viewContext'
  _ = container.viewContext
}

func setADerivedValue(_ folder: Folder) {
  // error: 'noteCount' is a get-only property
  folder.noteCount = 7
}

func giveANil(_ note: Note) {
  // error: 'nil' cannot be assigned to type 'String'
  note.title = nil
}

func linkAnotherClass(_ folder: Folder) {
  // error: cannot convert value of type 'Folder' to expected argument type
  folder.notes.insert(folder)
}

func assignAnotherType() {
  // error: no exact matches
  _ = BatchUpdateRequest(Note.self).set(\.title, to: 7)
}

func workInsidePerform(_ context: ManagedObjectContext) async {
  // error: you own this context: call it directly
  await context.perform {}
  // error: you own this context: call it directly
  context.performAndWait {}
}

final class Strange: ManagedObject {
  // error: 'binder' cannot be resolved
  @Relationship(inverse: \Note.binder) var notes: ToMany<Note>
}

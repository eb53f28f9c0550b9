import Bolide
import Foundation

// The classes that the snippets beside this file use; it is compiled with each of them.

final class Note: ManagedObject {
  @Attribute var title = ""
  @Attribute var due: Date?
  @Relationship var folder: Folder?
}

final class Folder: ManagedObject {
  @Attribute var name = ""
  @Relationship(inverse: \Note.folder) var notes: ToMany<Note>
  @Derived("notes.@count") var noteCount: Int64
}

actor Owner {
  let context: ManagedObjectContext

  init(_ container: PersistentContainer) { context = container.newContext(author: "owner") }

  func give() -> ManagedObjectContext { context }
  func take(_ context: ManagedObjectContext) {}
  func take(_ note: Note) {}
}

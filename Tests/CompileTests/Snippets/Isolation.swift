import Bolide
import Foundation

// Misuse that the check of isolation regions refuses. "error:" names what the compiler says of the line below.

func shareAContextBetweenTasks(_ container: PersistentContainer) {
  let context = container.newContext()
  // error: risks causing data races
  Task { _ = try context.save() }
  Task { _ = try context.save() }
}

func useWhatWasGivenAway(_ container: PersistentContainer) throws {
  let context = container.newContext()
  // error: risks causing data races
  Task.detached { _ = try context.save() }
  try context.save()
}

func takeAnActorsContext(_ owner: Owner) async {
  // error: non-Sendable 'ManagedObjectContext'
  _ = await owner.give()
}

@MainActor func giveTheViewToAnActor(_ owner: Owner, _ container: PersistentContainer) async {
  // error: risks causing data races
  await owner.take(container.viewContext)
}

@MainActor func giveAnObjectToAnActor(_ owner: Owner, _ container: PersistentContainer) async {
  let note = Note(context: container.viewContext)
  // error: risks causing data races
  await owner.take(note)
}

@MainActor func useAListElsewhere(_ container: PersistentContainer) {
  let list = FetchedResultsController(FetchRequest<Note>(), in: container.viewContext)
  // error: risks causing data races
  Task.detached { try list.performFetch() }
}

@MainActor func readReportsElsewhere(_ container: PersistentContainer) {
  let list = FetchedResultsController(FetchRequest<Note>(), in: container.viewContext)
  let reports = list.reports
  // error: risks causing data races
  Task.detached {
    for await report in reports { print(report.changes.count) }
  }
}

@MainActor func readAnObjectElsewhere(_ container: PersistentContainer) async {
  let note = Note(context: container.viewContext)
  // error: risks causing data races
  let title = Task.detached { note.title }
  print(await title.value)
}

func keepAnObjectOfAGivenContext(_ container: PersistentContainer) {
  let context = container.newContext()
  let note = Note(context: context)
  // error: risks causing data races
  Task.detached { _ = try context.save() }
  note.title = "x"
}

import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// What a context holds, tells and lets go.
  static var contextCases: [CaseDefinition] {
    [
      CaseDefinition(
        "contexts/objects-by-id", "A context has one object for an id; it is a fault until it is looked at.",
        rules: ["M-4", "U-1"]
      ) { stage in
        let container = try watchWithGroup(stage)
        let context = container.newContext(author: "view")
        let id = try container.newContext().sightings([2]).at(0).objectID
        let fault = context.object(with: id)
        try checkEqual(
          [fault.description, fault.debugDescription], ["Fireball#2 (fault)", "Fireball#2 (fault)"], "texts")
        try check(fault.isFault, "a description reads nothing")
        try check(context.registeredObject(for: id) === fault, "the registered object")
        try check(try context.existingObject(with: id) === fault, "the existing object")
        try check(!fault.isFault, "an existing object is read")
        try check(fault.debugDescription.contains("energy 2.0"), "the values that are held")
        try check(try context.sightings([2]).at(0) === fault, "the fetched object")
        let unknown = ManagedObjectID(storeID: id.storeID, entityName: "Fireball", number: 99)
        try checkThrows(.objectMissing, label: "an id that is not stored") {
          _ = try context.existingObject(with: unknown)
        }
        let missing = context.object(with: unknown)
        try check(!missing.isInaccessible, "whether it is there shows when it is read")
        try checkThrows(.objectMissing, label: "reading it") { try missing.load() }
        try check(missing.isInaccessible, "it says so then")
        let foreign = ManagedObjectID(storeID: UUID(), entityName: "Fireball", number: 2)
        try checkThrows(.contextForeign, label: "an id of another store") {
          _ = try context.existingObject(with: foreign)
        }
        try check(context.object(with: foreign).isInaccessible, "an object of another store")
        context.delete(fault)
        try checkThrows(.objectDeleted, label: "an object to be deleted") {
          _ = try context.existingObject(with: id)
        }
      },
      CaseDefinition(
        "contexts/refresh", "Refreshing reads anew, and keeps or drops edits as asked.",
        rules: ["M-1", "R-1"]
      ) { stage in
        let container = try watchWithGroup(stage)
        let context = container.newContext(author: "view")
        context.retainsRegisteredObjects = true
        _ = try context.watchPicture()
        let objects = try context.sightings([1, 2])
        let group = try context.group("A")
        try objects.at(0).setValue(.string("mine"), for: "note")
        try group.removeObjects([try objects.at(1)], for: "fireballs")
        _ = try container.newContext(author: "tool").execute(
          BatchUpdateRequest(entity: "Fireball", values: ["energy": .double(9)]))
        try checkEqual(try objects.at(0).value("energy"), .double(1), "before")
        context.refreshAllObjects()
        try checkEqual(
          [try objects.at(0).value("energy"), try objects.at(0).value("note")],
          [.double(9), .string("mine")],
          "an edited object, all refreshed")
        try checkEqual(try group.objects("fireballs").map(\.objectID.number), [1], "an edited side")
        context.refresh(try objects.at(0), mergeChanges: false)
        try check(try objects.at(0).isFault && !(try objects.at(0).hasChanges), "refreshed without its edits")
        try checkEqual(try objects.at(0).value("note"), .null, "its note")
        try check(context.hasChanges, "the others keep theirs")
        context.refresh(group, mergeChanges: false)
        try checkEqual(
          try [group.objects("fireballs").count, try objects.at(1).objects("groups").count], [2, 1],
          "both sides of the edit went")
        try checkEqual(try context.save().transaction, nil, "nothing is left to save")
      },
      CaseDefinition(
        "contexts/rollback-and-reset", "A rollback takes every edit back, a reset forgets every object.",
        rules: ["R-1"]
      ) { stage in
        let container = try watchWithGroup(stage)
        let context = container.newContext(author: "view")
        context.retainsRegisteredObjects = true
        let before = try context.watchPicture()
        let objects = try context.sightings([1, 2, 3])
        let group = try context.group("A")
        func edit() throws -> ManagedObject {
          let new = try context.insert("Fireball", "time", date(7))
          try group.replaceObjects([new, try objects.at(2)], for: "fireballs")
          try objects.at(0).setValue(.string("mine"), for: "note")
          context.delete(try objects.at(1))
          return new
        }
        let rolledBack = try edit()
        try check(context.hasChanges, "there are edits")
        try checkEqual(
          [context.insertedObjects, context.updatedObjects, context.deletedObjects].map(\.count), [1, 3, 1],
          "new, edited and deleted objects")
        context.rollback()
        try check(!context.hasChanges && rolledBack.context == nil, "no edits after a rollback")
        try checkEqual(try context.watchPicture(), before, "the picture after a rollback")
        _ = try edit()
        try context.reset()
        try check(!context.hasChanges && context.registeredObjects.isEmpty, "nothing after a reset")
        try check(group.context == nil, "an object from before belongs to no context")
        try checkEqual(try group.value("name"), .string("A"), "and keeps what it had read")
        try checkEqual(try context.watchPicture(), before, "the picture after a reset")
        try checkEqual(try container.story().count, 2, "transactions")
      },
      CaseDefinition(
        "contexts/permanent-ids", "New objects get their ids before the save, which no other object gets.",
        rules: ["U-1", "R-1"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        let context = container.newContext(author: "view")
        let objects = try (1...3).map { time in
          let object = try context.insert("Fireball", "time", date(Double(time)))
          return object
        }
        let group = try context.insert("Group")
        try group.addObjects(objects, for: "fireballs")
        try context.obtainPermanentIDs(for: objects.prefix(2))
        let ids = objects.map(\.objectID)
        try checkEqual(ids.map(\.description), ["Fireball#1", "Fireball#2", "Fireball#new3"], "ids")
        try check(context.registeredObject(for: ids[0]) === objects[0], "an object by its new id")
        try context.obtainPermanentIDs(for: objects.prefix(2))
        try checkEqual(objects.map(\.objectID), ids, "ids asked for again")
        try checkEqual(try container.story(), [], "history")
        try container.importRecords([sighting(9)])
        context.delete(objects[1])
        try context.save()
        try checkEqual(objects[0].objectID.description, "Fireball#1", "the id after the save")
        try checkEqual(try container.numbers(), [1, 3, 4], "numbers: an unsaved object leaves a gap")
        try checkEqual(
          try container.newContext().values("Group", ["size"]), [[.int(2)]], "the group's size")
        // Where the save makes the object one with a stored one, it is that one.
        let same = try context.insert("Fireball", "time", date(9))
        try same.setValue(.string("mine"), for: "note")
        try context.obtainPermanentIDs(for: [same])
        try checkEqual(same.objectID.description, "Fireball#5", "the id set aside")
        try context.save(policy: .objectTrump)
        try checkEqual(same.objectID.description, "Fireball#3", "the id of the stored object")
        try container.importRecords([sighting(10)])
        try checkEqual(try container.numbers(), [1, 3, 4, 6], "numbers at the end")
        try checkThrows(.contextForeign, label: "objects of another context") {
          try container.newContext().obtainPermanentIDs(for: [same])
        }
        context.delete(same)
        try checkThrows(.objectDeleted, label: "a deleted object") {
          try context.obtainPermanentIDs(for: [same])
        }
      },
      CaseDefinition(
        "contexts/changes", "A context tells what it shows otherwise than before, once.",
        rules: ["M-1", "M-3"]
      ) { stage in
        let container = try watchWithGroup(stage)
        let context = container.newContext(author: "view", name: "window")
        context.automaticallyMergesChangesFromParent = true
        context.retainsRegisteredObjects = true
        _ = try context.watchPicture()
        let stream = context.didChange
        func change() throws -> [String] {
          guard let change = stream.nextIfAvailable() else { return [] }
          try checkEqual([change.author, change.contextName], ["view", "window"], "whose change it is")
          let kinds = [
            ("+", change.inserted), ("~", change.updated), ("-", change.deleted), ("!", change.refreshed),
          ]
          return kinds.flatMap { sign, ids in ids.sorted().map { sign + $0.description } }
            + (change.invalidatesAll ? ["all"] : [])
        }
        try checkEqual(try change(), [], "at first")
        let new = try context.insert("Fireball", "time", date(7))
        try context.sightings([1]).at(0).setValue(.string("n"), for: "note")
        try checkEqual(try change(), ["+Fireball#new1", "~Fireball#1"], "edits")
        try new.addObjects([try context.group("A")], for: "groups")
        context.delete(try context.sightings([3]).at(0))
        try checkEqual(try change(), ["~Fireball#new1", "~Group#1", "-Fireball#3"], "more edits")
        try context.save()
        try checkEqual(try container.numbers(), [1, 2, 4], "objects stored")
        try checkEqual(try change(), [], "what was edited and told is not told again by the save")
        try new.setValue(.double(1), for: "energy")
        context.delete(try context.sightings([2]).at(0))
        context.rollback()
        try checkEqual(
          try change(), ["!Fireball#2", "!Fireball#4"],
          "a rollback")
        let writer = container.newContext(author: "writer")
        writer.delete(try writer.sightings([2]).at(0))
        try writer.insert("Fireball").setValue(date(8), for: "time")
        try writer.save()
        try checkEqual(
          try change(), ["+Fireball#5", "-Fireball#2", "!Group#1"], "what another context saved")
        context.refresh(new, mergeChanges: true)
        try checkEqual(try change(), ["!Fireball#4"], "a refresh")
        try context.reset()
        try check(try change().contains("all"), "a reset")
        try checkEqual(try change(), [], "at the end")
      },
    ]
  }
}

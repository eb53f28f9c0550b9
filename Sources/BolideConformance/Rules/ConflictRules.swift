import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// Two contexts in conflict, under each policy (rules U-3, U-6, U-10).
  static var conflictCases: [CaseDefinition] {
    [
      CaseDefinition(
        "conflicts/versions", "What another writer changed since it was read meets each policy.",
        rules: ["U-10"]
      ) { stage in
        // What is stored afterwards: energy was edited by both, note by mine alone, place by the other alone.
        let outcomes: [(MergePolicy?, [Value]?)] = [
          (nil, nil), (.error, nil), (.objectTrump, [.double(2), .string("mine"), .string("theirs")]),
          (.storeTrump, [.double(3), .string("mine"), .string("theirs")]),
          (.overwrite, [.double(2), .string("mine"), .string("old")]),
          (.rollback, [.double(3), .null, .string("theirs")]),
        ]
        for (policy, expected) in outcomes {
          let label = policy?.rawValue ?? "no policy"
          let container = try stage.container(RuleModel.watch)
          try container.importRecords([sighting(1, energy: 1, place: "old")])
          let view = container.newContext(author: "view")
          let object = try view.sightings([1]).at(0)
          let other = container.newContext(author: "other")
          let same = try other.sightings([1]).at(0)
          try same.setValue(.double(3), for: "energy")
          try same.setValue(.string("theirs"), for: "place")
          try other.save()
          try object.setValue(.double(2), for: "energy")
          try object.setValue(.string("mine"), for: "note")
          view.mergePolicy = policy
          let stored = try container.dumpLines()
          guard let expected else {
            let error = try refused(.conflictVersion, label) { try view.save() }
            try checkEqual(
              error.details,
              [
                "Fireball#1.energy  base 1.0  mine 2.0  stored 3.0",
                "Fireball#1.place  base \"old\"  mine \"old\"  stored \"theirs\"",
              ], "\(label): what the error lists")
            let conflict = try error.conflicts.at(0)
            try checkEqual(conflict.object.description, "Fireball#1", "\(label): the object")
            try checkEqual(
              [conflict.base?["energy"], conflict.mine["energy"], conflict.stored?["energy"]],
              [.double(1), .double(2), .double(3)], "\(label): all sides")
            try checkEqual(try container.dumpLines(), stored, "\(label): the store")
            try checkEqual(
              [try object.value("energy"), try object.value("note")], [.double(2), .string("mine")],
              "\(label): the edits")
            try checkEqual(view.updatedObjects, [object], "\(label): the edited objects")
            continue
          }
          try view.save()
          try checkEqual(
            try container.values("Fireball", "energy", "note", "place"), [expected],
            "\(label): what is stored")
          try checkEqual(
            try ["energy", "note", "place"].map { try object.value($0) }, expected, "\(label): what is shown")
          try check(!view.hasChanges, "\(label): nothing is left to save")
        }
      },
      CaseDefinition(
        "conflicts/deleted", "An edit of what another writer deleted, and a delete of what another edited.",
        rules: ["U-10", "R-2"]
      ) { stage in
        for policy in [MergePolicy?.none] + MergePolicy.allCases.map(Optional.some) {
          let label = policy?.rawValue ?? "no policy"
          let container = try watchWithGroup(stage)
          let view = container.newContext(author: "view")
          view.mergePolicy = policy
          let objects = try view.sightings([1, 2, 3])
          let other = container.newContext(author: "other")
          let theirs = try other.sightings([1, 2])
          other.delete(theirs[0])
          try theirs[1].setValue(.double(8), for: "energy")
          try other.save()
          try objects[0].setValue(.string("mine"), for: "note")
          try objects[2].setValue(.string("mine"), for: "note")
          if policy == .storeTrump || policy == .rollback {
            try view.save()
            try checkEqual(
              try container.values("Fireball", "note"), [[.null], [.string("mine")]], "\(label): notes")
            try check(objects[0].isDeleted, "\(label): what is gone says so")
          } else {
            let error = try refused(.conflictDeleted, label) { try view.save() }
            try checkEqual(error.conflicts.map(\.object), [objects[0].objectID], "\(label): what it names")
            view.refresh(objects[0], mergeChanges: false)
            try view.save()
          }
          view.delete(objects[1])
          if policy == nil || policy == .error {
            try refused(.conflictVersion, "\(label): deleting what was edited") { try view.save() }
            view.rollback()
          } else {
            try view.save()
          }
          let survives = policy != .objectTrump && policy != .overwrite
          try checkEqual(
            try container.numbers(), survives ? [2, 3] : [3], "\(label): objects after the delete")
        }
      },
      CaseDefinition(
        "conflicts/keys", "A new object whose key is stored meets each policy.", rules: ["U-3", "U-9"]
      ) { stage in
        let outcomes: [(MergePolicy?, [Value]?, [Number])] = [
          (nil, nil, []), (.error, nil, []),
          (.objectTrump, [.double(1), .string("mine"), .string("new")], [1, 2]),
          (.storeTrump, [.double(1), .null, .string("old")], [1, 2]),
          (.overwrite, [.null, .string("mine"), .string("new")], [1, 2]),
          (.rollback, [.double(1), .null, .string("old")], [1]),
        ]
        for (policy, expected, groups) in outcomes {
          let label = policy?.rawValue ?? "no policy"
          let container = try stage.container(RuleModel.watch)
          try container.importRecords([sighting(1, energy: 1, place: "old")])
          try container.makeGroup("A", of: [1])
          let before = try container.dumpLines()
          let view = container.newContext(author: "view")
          view.mergePolicy = policy
          let object = try view.insert("Fireball", "time", date(1))
          try object.setValue(.string("mine"), for: "note")
          try object.setValue(.string("new"), for: "place")
          let group = try view.insert("Group")
          try group.addObjects([object], for: "fireballs")
          guard let expected else {
            let error = try refused(.conflictUnique, label) { try view.save() }
            let conflict = try error.conflicts.at(0)
            try checkEqual(
              [conflict.object.description, conflict.storedObject?.description],
              ["Fireball#new1", "Fireball#1"], "\(label): the objects")
            try checkEqual(conflict.kind, .key(["time"]), "\(label): the constraint")
            try checkEqual(
              [conflict.mine["place"], conflict.stored?["place"]], [.string("new"), .string("old")],
              "\(label): both sides")
            try checkEqual(try container.dumpLines(), before, "\(label): the store")
            try check(object.isInserted && object.objectID.isTemporary, "\(label): the object")
            try checkEqual(try group.objects("fireballs"), [object], "\(label): its links")
            continue
          }
          try view.save()
          try checkEqual(
            try container.values("Fireball", "energy", "note", "place"), [expected],
            "\(label): what is stored")
          try checkEqual(try container.groups(of: 1), groups, "\(label): groups")
          if policy == .rollback {
            try check(object.isDeleted, "\(label): what was dropped says so")
          } else {
            try checkEqual(object.objectID.description, "Fireball#1", "\(label): the id")
            try checkEqual(try object.value("place"), expected[2], "\(label): what is shown")
          }
          try checkEqual(
            try container.values("Group", "size"), [[.int(1)], [.int(policy == .rollback ? 0 : 1)]],
            "\(label): sizes")
        }
      },
      CaseDefinition(
        "conflicts/inside-one-save",
        "Two objects of one save with one key meet each policy; keys may change hands.",
        rules: ["U-6", "U-3", "U-4"]
      ) { stage in
        for policy in MergePolicy.allCases {
          let container = try stage.container(RuleModel.watch)
          let view = container.newContext(author: "view")
          view.mergePolicy = policy
          let twins = try ["first", "second"].map { place in
            let object = try view.insert("Fireball", "time", date(1))
            try object.setValue(.string(place), for: "place")
            return object
          }
          try twins[0].setValue(.double(5), for: "energy")
          if policy == .error {
            let error = try refused(.conflictUnique, "\(policy)") { try view.save() }
            try checkEqual(
              error.conflicts.map { [$0.object.description, $0.storedObject?.description] },
              [["Fireball#new2", "Fireball#new1"]], "\(policy): the objects")
            try checkEqual(try container.numbers(), [], "\(policy): what is stored")
            view.delete(twins[1])
            try view.save()
          } else {
            try view.save()
          }
          let expected: [Value] =
            switch policy {
            case .error, .storeTrump, .rollback: [.string("first"), .double(5)]
            case .objectTrump: [.string("second"), .double(5)]
            case .overwrite: [.string("second"), .null]
            }
          try checkEqual(
            try container.values("Fireball", "place", "energy"), [expected], "\(policy): what is stored")
          try checkEqual(try container.story(), ["1 view: insert Fireball#1"], "\(policy): history")
        }
        let container = try stage.container(RuleModel.watch)
        try container.importRecords((1...3).map { sighting(Double($0)) })
        let view = container.newContext(author: "view")
        let objects = try view.sightings([1, 2, 3])
        // Keys go round, one is freed by a delete, and a new object takes what an edit gave up.
        try objects[0].setValue(date(2), for: "time")
        try objects[1].setValue(date(3), for: "time")
        view.delete(objects[2])
        try view.insert("Fireball").setValue(date(1), for: "time")
        try view.save()
        try checkEqual(
          try container.values("Fireball", "time"), [[date(2)], [date(3)], [date(1)]],
          "keys that changed hands")
        try checkEqual(try container.numbers(), [1, 2, 4], "objects")
      },
      CaseDefinition(
        "conflicts/edits-that-take-keys", "An edit that takes another object's key meets each policy.",
        rules: ["U-3", "U-6"]
      ) { stage in
        for policy in MergePolicy.allCases {
          let container = try stage.container(RuleModel.watch)
          try container.importRecords((1...4).map { sighting(Double($0), energy: Double($0)) })
          let view = container.newContext(author: "view")
          view.mergePolicy = policy
          let objects = try view.sightings([1, 2, 3])
          // The first takes the key of one that stays; the second takes the first's, the third the second's.
          for (object, time) in zip(objects, [4.0, 1, 2]) {
            try object.setValue(date(time), for: "time")
            try object.setValue(.string("mine"), for: "note")
          }
          let before = try container.dumpLines()
          let expected: [[Value]]
          switch policy {
          case .error, .objectTrump, .overwrite:
            let error = try refused(.conflictUnique, "\(policy)") { try view.save() }
            try checkEqual(
              error.conflicts.map { [$0.object.description, $0.storedObject?.description] },
              [["Fireball#1", "Fireball#4"]], "\(policy): the objects")
            try checkEqual(try container.dumpLines(), before, "\(policy): the store")
            try checkEqual(view.updatedObjects.count, 3, "\(policy): the edits")
            try objects[0].setValue(date(5), for: "time")
            try view.save()
            expected = [
              [date(5), .string("mine")], [date(1), .string("mine")], [date(2), .string("mine")],
              [date(4), .null],
            ]
          case .storeTrump:
            // What depended on the key that was not given up gives way, too.
            try view.save()
            expected = [
              [date(1), .string("mine")], [date(2), .string("mine")], [date(3), .string("mine")],
              [date(4), .null],
            ]
          case .rollback:
            try view.save()
            expected = [[date(1), .null], [date(2), .null], [date(3), .null], [date(4), .null]]
          }
          try checkEqual(
            try container.values("Fireball", "time", "note"), expected, "\(policy): what is stored")
          try check(!view.hasChanges, "\(policy): nothing is left to save")
          try checkEqual(
            try view.watchPicture(), try container.newContext().watchPicture(), "\(policy): what is shown")
        }
      },
      CaseDefinition(
        "conflicts/links-of-dropped-edits",
        "Under rollback the links of an object go with its other edits, whichever side they were made from.",
        rules: ["U-3", "U-10", "R-1"]
      ) { stage in
        for conflictsInGroup in [false, true] {
          let container = try watchWithGroup(stage)
          let view = container.newContext(author: "view")
          view.retainsRegisteredObjects = true
          view.mergePolicy = .rollback
          let objects = try view.sightings([1, 3])
          let group = try view.group("A")
          let other = container.newContext(author: "other")
          if conflictsInGroup {
            try other.group("A").setValue(.string("theirs"), for: "name")
          } else {
            for object in try other.sightings([1, 3]) { try object.setValue(.double(8), for: "energy") }
          }
          try other.save()
          try group.addObjects([objects[1]], for: "fireballs")
          try group.removeObjects([objects[0]], for: "fireballs")
          if conflictsInGroup {
            try group.setValue(.string("mine"), for: "name")
          } else {
            for object in objects { try object.setValue(.double(9), for: "energy") }
          }
          try view.save()
          try check(!view.hasChanges, "nothing is left to save")
          let fresh = container.newContext()
          for context in [view, fresh] {
            let group = try context.fetch(FetchRequest<ManagedObject>(entity: "Group")).at(0)
            try checkEqual(try group.objects("fireballs").map(\.objectID.number), [1, 2], "members")
            try checkEqual(try group.value("size"), .int(2), "the group's size")
            try checkEqual(
              try context.sightings([1, 3]).map { try $0.objects("groups").count }, [1, 0], "groups")
          }
        }
      },
      CaseDefinition(
        "conflicts/batches",
        "A batch update that takes a key is refused under every policy, and no edit is lost.",
        rules: ["R-4", "U-3", "U-10"]
      ) { stage in
        for policy in MergePolicy.allCases {
          let container = try stage.container(RuleModel.watch)
          try container.importRecords((1...3).map { sighting(Double($0), energy: Double($0)) })
          let before = try container.dumpLines()
          let view = container.newContext(author: "view")
          view.mergePolicy = policy
          let object = try view.sightings([1]).at(0)
          try object.setValue(.string("mine"), for: "note")
          try refused(.conflictUnique, "\(policy): a batch update to one key") {
            _ = try view.execute(BatchUpdateRequest(entity: "Fireball", values: ["time": date(9)]))
          }
          try refused(.conflictUnique, "\(policy): a batch update to a stored key") {
            _ = try view.execute(
              BatchUpdateRequest(
                entity: "Fireball", values: ["time": date(3)], where: .equals("time", date(1))))
          }
          try checkEqual(try container.dumpLines(), before, "\(policy): the store")
          // A batch that changed what the context read is another writer for its next save.
          _ = try view.execute(
            BatchUpdateRequest(
              entity: "Fireball", values: ["energy": .double(7)], where: .equals("time", date(1))))
          if policy == .error {
            try refused(.conflictVersion, "\(policy): the save") { try view.save() }
            view.refresh(object, mergeChanges: true)
          }
          try view.save()
          let energy: Value = policy == .overwrite ? .double(1) : .double(7)
          let note: Value = policy == .rollback ? .null : .string("mine")
          try checkEqual(
            try container.values("Fireball", "energy", "note").at(0), [energy, note],
            "\(policy): what is stored")
        }
      },
    ]
  }
}

import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// The same rules through typed classes.
  static var typedCases: [CaseDefinition] {
    [
      CaseDefinition(
        "typed/objects-and-links", "Typed objects keep values, links and counts, before and after reopening.",
        rules: ["R-1", "R-3", "V-1"]
      ) { stage in
        let container = try stage.container(TypedFireball.model)
        let context = container.newContext(author: "user")
        let group = TypedGroup(context: context)
        group.name = "Pacific"
        let fireballs = (1...3).map { number in
          let fireball = TypedFireball(context: context)
          fireball.time = Date(timeIntervalSinceReferenceDate: Double(number))
          fireball.energy = number == 2 ? nil : Double(number)
          return fireball
        }
        fireballs[0].groups.insert(group)
        group.fireballs.formUnion(fireballs)
        group.fireballs.remove(fireballs[2])
        try context.save()
        try checkEqual(group.size, 2, "size after the save")
        let fresh = try stage.reopen(container).newContext()
        let stored = try fresh.fetch(FetchRequest(TypedFireball.self, sort: [SortDescriptor(\.time)]))
        try checkEqual(stored.map(\.energy), [1, nil, 3], "energies")
        try checkEqual(stored.map { $0.groups.map(\.name) }, [["Pacific"], ["Pacific"], []], "groups")
        try checkEqual(stored.map(\.isFavorite), [false, false, false], "defaults")
        stored.last?.groups.insert(try checkPresent(stored.first?.groups.first, "the group"))
        try fresh.save()
        try checkEqual(try fresh.fetch(FetchRequest(TypedGroup.self)).map(\.size), [3], "size at the end")
      },
      CaseDefinition(
        "typed/inherited-properties",
        "Predicates, sorts, updates and getters find the properties that a class inherits, listed or not.",
        rules: ["R-5", "V-1"]
      ) { stage in
        let container = try stage.container(TypedAnimal.model)
        let context = container.newContext(author: "user")
        let keeper = TypedKeeper(context: context)
        keeper.age = 40
        keeper.created = Date(timeIntervalSinceReferenceDate: 1)
        let dogs = zip(["Rex", "Ida"], [TypedBreed.pug, .collie]).map { name, breed in
          let dog = TypedDog(context: context)
          dog.name = name
          dog.note = "note on " + name
          dog.breed = breed
          dog.keeper = keeper
          dog.created = Date(timeIntervalSinceReferenceDate: 2)
          return dog
        }
        try context.save()
        try checkEqual(
          keeper.created, Date(timeIntervalSinceReferenceDate: 1), "an inherited value of the keeper")
        try check(keeper.due == nil, "the keeper got a date of the dogs")
        try checkEqual(
          keeper.animals.map(\.name).sorted(), ["Ida", "Rex"], "the inverse that the subclass names")
        let limit = TypedBreed.collie
        let fresh = container.newContext(author: "user")
        try checkEqual(
          try fresh.fetch(FetchRequest(TypedDog.self, where: #Predicate { $0.name == "Rex" })).map(\.note),
          ["note on Rex"], "by an inherited attribute")
        try checkEqual(
          try fresh.fetch(FetchRequest(TypedDog.self, where: #Predicate { $0.breed == limit })).map(\.name),
          ["Ida"], "by a value of a type of the program")
        try checkEqual(
          try fresh.fetch(FetchRequest(TypedDog.self, sort: [SortDescriptor(\.name)])).map(\.name),
          ["Ida", "Rex"], "sorted by an inherited attribute")
        let update = BatchUpdateRequest(TypedDog.self).set(\.name, to: "Zoe")
        try checkEqual(try fresh.execute(update).updated.count, 2, "updated")
        try checkEqual(
          try container.values("TypedDog", "name", "note"),
          ["Rex", "Ida"].map { [.string("Zoe"), .string("note on " + $0)] }, "what the update set")
        _ = try fresh.execute(
          BatchInsertRequest(TypedDog.self, \.note, \.serial, \.created, from: ["a"]) {
            ($0, UUID.placeholder, .distantPast)
          })
        try checkEqual(
          try container.values("TypedDog", "name", "note").at(2), [.string(""), .string("a")],
          "a column's place")
        withExtendedLifetime(dogs) {}
      },
      CaseDefinition(
        "typed/computed-defaults",
        "A default that is another each time is another in each object, and in no schema.",
        rules: ["V-1", "U-2"]
      ) { stage in
        let container = try stage.container(TypedAnimal.model)
        let context = container.newContext(author: "user")
        let dogs = (0..<3).map { _ in TypedDog(context: context) }
        try checkEqual(Set(dogs.map(\.serial)).count, 3, "ids of new objects")
        let kept = UUID.placeholder
        dogs[0].serial = kept
        try context.save()
        let byName = try context.insert("TypedKeeper")
        try check(try byName.value("serial") != .null, "an object inserted by the name of its entity")
        try context.save()
        let stored = try container.newContext().fetch(FetchRequest(TypedDog.self))
        try checkEqual(stored.map(\.serial), dogs.map(\.serial), "ids as they were saved")
        try checkEqual(stored.at(0).serial, kept, "an id that was set")
        try checkEqual(
          Schema(TypedAnimal.self, TypedDog.self, TypedKeeper.self), TypedAnimal.model,
          "the schema, made again")
        let error = try checkThrows(.validationRequired, label: "a batch record without an id") {
          _ = try context.execute(BatchInsertRequest(TypedDog.self, \.name, \.note, from: ["x"]) { ($0, $0) })
        }
        try check(error.message.contains("created") || error.message.contains("serial"), error.message)
      },
      CaseDefinition(
        "typed/values-of-a-type",
        "A fetch gives values of a type of the program, which may leave the context.",
        rules: ["V-1"]
      ) { stage in
        let container = try stage.container(TypedFireball.model)
        try container.importRecords([sighting(1, energy: 5, place: "sea"), sighting(2)])
        struct Sighting: Codable, Hashable, Sendable {
          var time: Date
          var energy: Double?
          var isFavorite: Bool
        }
        let context = container.newContext()
        let request = FetchRequest(TypedFireball.self, sort: [SortDescriptor(\.time, order: .reverse)])
        try checkEqual(
          try context.fetch(request, as: Sighting.self),
          [2.0, 1].map {
            Sighting(
              time: Date(timeIntervalSinceReferenceDate: $0), energy: $0 == 1 ? 5 : nil, isFavorite: false)
          }, "sightings")
        struct Nameless: Decodable { var name: String }
        do {
          _ = try context.fetch(request, as: Nameless.self)
          try check(false, "a property that the entity lacks was decoded")
        } catch let error as DecodingError {
          try check("\(error)".contains("name"), "the error names the property: \(error)")
        }
      },
      CaseDefinition(
        "typed/batch-insert-forms", "Each typed form of a batch insert keeps what its records do not set.",
        rules: ["U-3", "U-4", "U-8", "D10"]
      ) { stage in
        let container = try stage.container(TypedFireball.model)
        let day = [1.0, 2].map { TypedFireball.Sighting(time: $0, energy: $0) }
        let context = container.newContext(author: "import")
        func fill(_ fireball: TypedFireball, _ sighting: TypedFireball.Sighting) {
          fireball.time = Date(timeIntervalSinceReferenceDate: sighting.time)
          fireball.energy = sighting.energy
        }
        let first = try context.execute(BatchInsertRequest(TypedFireball.self, from: day, fill: fill))
        try checkEqual(first.inserted.map(\.number), [1, 2], "inserted")
        let user = container.newContext(author: "user")
        let stored = try user.fetch(FetchRequest(TypedFireball.self))
        try stored.at(0).isFavorite = true
        try stored.at(0).place = "sea"
        try user.save()
        var rest = [TypedFireball.Sighting(time: 1, energy: 7)][...]
        let byClosure = try context.execute(
          BatchInsertRequest(TypedFireball.self) { (fireball: TypedFireball) in
            guard let next = rest.popFirst() else { return true }
            fill(fireball, next)
            return false
          })
        try checkEqual(byClosure.updated.map(\.number), [1], "updated by the closure")
        let byColumn = try context.execute(
          BatchInsertRequest(
            TypedFireball.self, \.time, \.energy, from: [TypedFireball.Sighting(time: 1, energy: nil)]
          ) { (Date(timeIntervalSinceReferenceDate: $0.time), $0.energy) })
        try checkEqual(byColumn.updated.map(\.number), [1], "updated by column")
        try checkEqual(
          try container.values("Fireball", "energy", "place", "isFavorite"),
          [[.null, .string("sea"), .bool(true)], [.double(2), .null, .bool(false)]], "values")
        try checkThrows(.batchRelationship, label: "a link in a record") {
          _ = try context.execute(
            BatchInsertRequest(TypedFireball.self, from: [TypedFireball.Sighting(time: 9)]) {
              fireball, sighting in
              fill(fireball, sighting)
              fireball.groups.removeAll()
              fireball.groups.insert(TypedGroup(context: context))
            })
        }
        context.rollback()
        try checkEqual(try container.numbers(), [1, 2], "objects")
      },
      CaseDefinition(
        "typed/predicates", "Predicates select as conditions do, on fetches, updates and deletes.",
        rules: ["V-5", "R-4"]
      ) { stage in
        let container = try stage.container(TypedFireball.model)
        try container.importRecords(
          (1...6).map { sighting(Double($0), energy: $0 % 3 == 0 ? nil : Double($0)) })
        let context = container.newContext(author: "user")
        func numbers(_ predicate: Predicate<TypedFireball>) throws -> [Number] {
          let request = FetchRequest(TypedFireball.self, where: predicate)
          try checkEqual(try context.count(for: request), try context.fetch(request).count, "count")
          return try context.fetch(request).map(\.objectID.number)
        }
        try checkEqual(try numbers(#Predicate { $0.energy == nil }), [3, 6], "no energy")
        try checkEqual(try numbers(#Predicate { $0.energy != 4.0 }), [1, 2, 3, 5, 6], "another energy")
        try checkEqual(try numbers(#Predicate { !$0.isFavorite && $0.energy == 5.0 }), [5], "two conditions")
        let update = BatchUpdateRequest(TypedFireball.self, where: #Predicate { $0.energy == nil })
          .set(\.isFavorite, to: true).set(\.place, to: "sea")
        try checkEqual(try context.execute(update).updated.map(\.number), [3, 6], "updated")
        let delete = BatchDeleteRequest(TypedFireball.self, where: #Predicate { $0.isFavorite })
        try checkEqual(try context.execute(delete).deleted.map(\.number), [3, 6], "deleted")
        try checkEqual(try container.numbers(), [1, 2, 4, 5], "objects left")
      },
    ]
  }
}

import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// `#Predicate` and `SortDescriptor`: stores select and order as Foundation does over the same objects.
  static var predicateCases: [CaseDefinition] {
    [
      CaseDefinition(
        "typed/every-expression",
        "Predicates of every kind of expression that has a meaning in a store select what Foundation selects.",
        rules: ["V-2", "V-4", "V-5"]
      ) { stage in
        let container = try stage.container(Reading.model)
        try Reading.fill(container, seed: stage.seed)
        let context = container.newContext()
        for (kind, predicate) in ReadingPredicates.all {
          try compare(kind, predicate, in: context)
        }
        for (kind, predicate) in ReadingPredicates.ofStations {
          try compare(kind, predicate, in: context)
        }
      },
      CaseDefinition(
        "typed/sort-descriptors", "Sort descriptors order as Foundation does, over to-one key paths too.",
        rules: ["V-4", "R6"]
      ) { stage in
        let container = try stage.container(Reading.model)
        try Reading.fill(container, seed: stage.seed)
        let context = container.newContext()
        let all = try context.fetch(FetchRequest(Reading.self))
        for descriptors in ReadingPredicates.descriptors {
          let fetched = try context.fetch(FetchRequest(Reading.self, sort: descriptors))
          // Foundation's sort keeps equal objects in the order they have; rule V-4 turns it with the last term.
          let reversed = descriptors.last?.order == .reverse
          let expected = (reversed ? all.reversed() : all).sorted(using: descriptors)
          try checkEqual(
            fetched.map(\.objectID.number), expected.map(\.objectID.number), "the order by \(descriptors)")
        }
      },
    ]
  }

  /// Compares what a store selects with what Foundation says of each object.
  private static func compare<Object: ManagedObject>(
    _ kind: String, _ predicate: Predicate<Object>, in context: ManagedObjectContext
  ) throws {
    var expected: [Number] = []
    for object in try context.fetch(FetchRequest(Object.self)) where try predicate.evaluate(object) {
      expected.append(object.objectID.number)
    }
    let request = FetchRequest(Object.self, where: predicate)
    try checkEqual(
      try context.fetch(request).map(\.objectID.number), expected, "a predicate of kind \(kind)")
    try checkEqual(try context.count(for: request), expected.count, "the count with \(kind)")
  }
}

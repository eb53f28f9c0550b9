import Bolide
import BolideStorage

extension Conformance {
  /// Requests over many rows at once.
  static var largeCases: [CaseDefinition] {
    [
      CaseDefinition(
        "batch/delete-while-walking",
        "What a request deletes while it walks skips nothing and takes no neighbor.",
        rules: ["R-2", "H-4", "L12"]
      ) { stage in
        let container = try stage.container(RuleModel.watch)
        let context = container.newContext(author: "user")
        func refill() throws {
          try container.importRecords((1...1_000).map { sighting(Double($0), energy: Double($0 % 2)) })
        }
        try refill()
        try container.makeGroup("A", of: (1...300).map(Double.init))
        _ = try context.execute(BatchDeleteRequest(entity: "Group"))
        try checkEqual(try container.numbers().count, 1_000, "sightings after their group went")
        try checkEqual(try container.groups(of: 150), [], "groups of a member")
        let odd = BatchDeleteRequest(entity: "Fireball", where: .equals("energy", .double(1)))
        try checkEqual(try context.execute(odd).count, 500, "every second row, deleted")
        try checkEqual(try container.numbers(), (1...500).map { Number($0 * 2) }, "its neighbors")
        try checkEqual(try context.execute(BatchDeleteRequest(entity: "Fireball")).count, 500, "the rest")
        try checkEqual(try container.numbers(), [], "what is left")
        for time in 1...60 { try container.importRecords([sighting(Double(time))]) }
        let head = try container.currentToken().number
        let dropped = try container.purgeHistory(before: .number(head - 29))
        try checkEqual(UInt64(dropped), head - 30, "transactions dropped")
        let left = try container.history(PersistentHistoryRequest(resultType: .transactions)).transactions
        try checkEqual(left.map(\.number), Array(head - 29...head), "transactions left")
      }
    ]
  }
}

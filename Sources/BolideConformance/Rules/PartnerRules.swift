import Bolide
import BolideStorage

extension Conformance {
  /// One-to-ones that several contexts edit, and those that need a partner.
  static var partnerCases: [CaseDefinition] {
    [
      CaseDefinition(
        "relationships/one-to-one-between-contexts",
        "A partner that another context gave away meanwhile is not taken unseen: the policy decides.",
        rules: ["R-1", "U-10", "H-2"]
      ) { stage in
        for isNew in [true, false] {
          for policy in MergePolicy.allCases {
            let label = "\(policy), \(isNew ? "a new" : "a stored") object"
            let container = try stage.container(pairs(needsRight: false, needsLeft: false))
            let first = container.newContext(author: "first")
            let lefts = try (0..<2).map { _ in try first.insert("Left") }
            let rights = try (0..<3).map { _ in try first.insert("Right") }
            for (left, right) in zip(lefts, rights) { try left.setObject(right, for: "right") }
            try first.save()
            // What the first context knows: no one has the third.
            try check(try rights[2].object("left") == nil, "\(label): the partner to begin with")
            let second = container.newContext(author: "second")
            try second.existingObject(with: lefts[1].objectID).setObject(
              try second.existingObject(with: rights[2].objectID), for: "right")
            try second.save()
            let wanting = isNew ? try first.insert("Left") : lefts[0]
            try wanting.setObject(rights[2], for: "right")
            let mine: Number = isNew ? 3 : 1
            let expected: [[Number?]]
            switch policy {
            case .error:
              let before = try container.dumpLines()
              let error = try checkThrows(.conflictVersion, label: label) { try first.save() }
              try checkEqual(
                error.details, ["Right#3.left  mine \(wanting.objectID)  stored Left#2"],
                "\(label): conflicts")
              try checkEqual(try container.dumpLines(), before, "\(label): the store")
              continue
            case .objectTrump, .overwrite:
              expected = isNew ? [[1, nil, 3], [1, nil, 3]] : [[3, nil], [nil, nil, 1]]
            case .storeTrump, .rollback:
              expected = isNew ? [[1, 3, nil], [1, nil, 2]] : [[1, 3], [1, nil, 2]]
            }
            try first.save(policy: policy)
            // What the other context saved is not merged by itself.
            first.refreshAllObjects()
            for (context, whose) in [(container.newContext(), "stored"), (first, "shown")] {
              try checkEqual(
                [try context.partners("Left", "right"), try context.partners("Right", "left")], expected,
                "\(label): what is \(whose)")
            }
            try checkEqual(try container.check(), [], "\(label): problems of the store")
            let last = try container.story(after: .number(2)).last
            switch (policy, isNew) {
            case (.objectTrump, false), (.overwrite, false):
              try checkEqual(
                last,
                "3 first: update Left#1 right, update Left#2 right, update Right#1 left, update Right#3 left",
                "\(label): history")
            case (.objectTrump, true), (.overwrite, true):
              try checkEqual(
                last, "3 first: update Left#2 right, insert Left#\(mine), update Right#3 left",
                "\(label): history")
            case (_, true): try checkEqual(last, "3 first: insert Left#\(mine)", "\(label): history")
            case (_, false): try checkEqual(last, nil, "\(label): history")
            }
          }
        }
      },
      CaseDefinition(
        "relationships/partners-are-needed",
        "A one-to-one that is not optional has a partner, on whichever side it is kept, whoever writes.",
        rules: ["R-1", "V-9", "R-2"]
      ) { stage in
        for needsRight in [true, false] {
          let label = needsRight ? "lefts need rights" : "rights need lefts"
          let (needing, other, key) = needsRight ? ("Left", "Right", "right") : ("Right", "Left", "left")
          let container = try stage.container(pairs(needsRight: needsRight, needsLeft: !needsRight))
          let context = container.newContext(author: "user")
          let object = try context.insert(needing)
          let error = try checkThrows(.validationRequired, label: "\(label): one alone") {
            try context.save()
          }
          let problems = try checkPresent(error.payload as? [ValidationProblem], "the error's payload")
          try checkEqual(
            problems.map { "\($0.object).\($0.property ?? "-") \($0.rule.rawValue)" },
            ["\(object.objectID).\(key) required"], "\(label): problems")
          try checkThrows(.validationRequired, label: "\(label): one alone in a batch") {
            try container.importRecords(needing, [[:]])
          }
          let partners = try (0..<2).map { _ in try context.insert(other) }
          try object.setObject(partners[0], for: key)
          try context.save()
          let before = try container.dumpLines()
          func refused(_ what: String, _ edit: () throws -> Void) throws {
            try edit()
            try checkThrows(.validationRequired, label: "\(label): \(what)") { try context.save() }
            context.rollback()
          }
          try refused("without a partner") { try object.setObject(nil, for: key) }
          try refused("without its partner's row") { context.delete(partners[0]) }
          try refused("whose partner takes another") {
            try partners[0].setObject(try context.insert(needing), for: needsRight ? "left" : "right")
          }
          try checkThrows(.validationRequired, label: "\(label): a batch delete") {
            _ = try context.execute(BatchDeleteRequest(ids: [partners[0].objectID]))
          }
          try checkEqual(try container.dumpLines(), before, "\(label): the store")
          // It may change hands in one save.
          try object.setObject(partners[1], for: key)
          context.delete(partners[0])
          try context.save()
          try checkEqual(
            try container.newContext().partners(needing, key), [2], "\(label): the partner at the end")
          try checkEqual(try container.check(), [], "\(label): problems of the store")
        }
      },
      CaseDefinition(
        "opening/check-counts-partners", "The store's own check counts the partners in one-to-ones.",
        rules: ["R-1", "V-9"]
      ) { stage in
        let container = try stage.container(pairs(needsRight: false, needsLeft: true))
        let context = container.newContext(author: "user")
        for _ in 0..<2 {
          try context.insert("Left").setObject(try context.insert("Right"), for: "right")
        }
        try context.save()
        // What no save writes: both lefts name the first right.
        try container.setReference("right", ofLeft: 2, to: 1)
        try checkEqual(
          try container.check(),
          ["Right#1.left is one object and is set by #1, #2", "Right#2.left has no value"], "problems")
        try container.setReference("right", ofLeft: 2, to: 2)
        try checkEqual(try container.check(), [], "problems once it is mended")
      },
    ]
  }

  private static func pairs(needsRight: Bool, needsLeft: Bool) -> Schema {
    Schema(
      name: "Partners",
      entities: [
        EntityDescription(
          name: "Left", attributes: [],
          relationships: [
            RelationshipDescription(
              name: "right", destination: "Right", inverse: "left", isOptional: !needsRight)
          ]),
        EntityDescription(
          name: "Right", attributes: [],
          relationships: [
            RelationshipDescription(
              name: "left", destination: "Left", inverse: "right", isOptional: !needsLeft)
          ]),
      ])
  }
}

extension ManagedObjectContext {
  /// The partners of an entity's objects.
  fileprivate func partners(_ entity: String, _ key: String) throws -> [Number?] {
    try fetch(FetchRequest<ManagedObject>(entity: entity)).map { try $0.object(key)?.objectID.number }
  }
}

extension PersistentContainer {
  /// Writes a reference past all rules.
  fileprivate func setReference(_ key: String, ofLeft number: Number, to target: Number) throws {
    let entity = try map.entity("Left")
    let column = try checkPresent(try entity.property(key).column, "the column of \(key)")
    _ = try coordinator.write(author: "nobody", contextName: nil, isReplayable: false) { session in
      var rows = RowBatch(entity.format)
      try session.transaction.rows(
        [number], of: entity.table, columns: .all(entity.format.columnCount), into: &rows)
      var image = RowBatch(entity.format)
      try rows.withRow(at: 0) { row in
        var builder = RowBuilder(entity.format)
        builder.load(row)
        builder.set(column, .reference(target))
        builder.append(to: &image, number: number)
        try image.withRow(at: 0) { try session.logUpdate(number, entity: entity, current: row, new: $0) }
      }
      var taken: [Taken] = []
      try session.transaction.update(image, of: entity.table, columns: ColumnSet([column]), taken: &taken)
    }
  }
}

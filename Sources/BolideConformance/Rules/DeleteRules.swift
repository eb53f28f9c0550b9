import Bolide
import BolideStorage
import Foundation

extension Conformance {
  /// Cascade, deny, and derived values other than counts.
  static var deleteRuleCases: [CaseDefinition] {
    [
      CaseDefinition(
        "relationships/cascade", "A cascade takes the members along, theirs too, in saves and batches.",
        rules: ["R-2", "H-2"]
      ) { stage in
        for isBatch in [false, true] {
          let container = try stage.container(deleteModel(.cascade))
          try fillLedger(container)
          let context = container.newContext(author: "user")
          let account = try context.fetch(FetchRequest<ManagedObject>(entity: "Account")).at(0)
          if isBatch {
            let result = try context.execute(BatchDeleteRequest(ids: [account.objectID]))
            try checkEqual(
              result.deleted.map(\.description), ["Account#1", "Entry#1", "Entry#2"], "deleted by a batch")
          } else {
            context.delete(account)
            try checkEqual(try context.save().deleted, 3, "deleted by a save")
          }
          try checkEqual(try container.numbers("Entry"), [3], "entries left")
          try checkEqual(
            try container.story(after: .number(1)),
            ["2 user: delete Account#1, delete Entry#1, delete Entry#2"], "history")
        }
      },
      CaseDefinition(
        "relationships/deny", "A denied delete is refused before anything is written, in saves and batches.",
        rules: ["R-2"]
      ) { stage in
        let container = try stage.container(deleteModel(.deny))
        try fillLedger(container)
        let before = try container.dumpLines()
        let context = container.newContext(author: "user")
        try checkThrows(.validationDenied, label: "a batch delete") {
          _ = try context.execute(BatchDeleteRequest(entity: "Account"))
        }
        context.delete(try context.fetch(FetchRequest<ManagedObject>(entity: "Account")).at(0))
        try checkThrows(.validationDenied, label: "a save") { try context.save() }
        try checkEqual(try container.dumpLines(), before, "the store")
        for entry in try context.fetch(FetchRequest<ManagedObject>(entity: "Entry")) { context.delete(entry) }
        try checkEqual(try context.save().deleted, 4, "deleted once the members go, too")
      },
      CaseDefinition(
        "relationships/derived-values", "Sums, values of owners and text forms are true by whatever path.",
        rules: ["R-3"]
      ) { stage in
        let container = try stage.container(deleteModel(.nullify))
        try fillLedger(container)
        func accounts() throws -> [[Value]] { try container.values("Account", "total", "lowered") }
        func owners() throws -> [Value] { try container.values("Entry", "owner").map { $0[0] } }
        try checkEqual(
          try accounts(), [[.double(3), .string("café")], [.double(4), .string("b")]], "after inserting")
        try checkEqual(try owners(), ["CAFÉ", "CAFÉ", "B"].map(Value.string), "owners after inserting")
        let context = container.newContext(author: "user")
        _ = try context.execute(
          BatchUpdateRequest(
            entity: "Entry", values: ["amount": .double(10)], where: .equals("amount", .double(1))))
        try checkEqual(try accounts().map { $0[0] }, [.double(12), .double(4)], "after a batch update")
        _ = try context.execute(
          BatchUpdateRequest(
            entity: "Account", values: ["name": .string("Ä")], where: .equals("name", .string("B"))))
        try checkEqual(try accounts().map { $0[1] }, [.string("café"), .string("ä")], "after a new name")
        try checkEqual(try owners(), ["CAFÉ", "CAFÉ", "Ä"].map(Value.string), "owners after a new name")
        let entries = try context.fetch(FetchRequest<ManagedObject>(entity: "Entry"))
        let all = try context.fetch(FetchRequest<ManagedObject>(entity: "Account"))
        try entries.at(0).setObject(try all.at(1), for: "account")
        context.delete(try entries.at(1))
        try context.save()
        try checkEqual(try accounts().map { $0[0] }, [.double(0), .double(14)], "after moving and deleting")
        try checkEqual(try owners(), ["Ä", "Ä"].map(Value.string), "owners after moving")
        _ = try context.execute(BatchDeleteRequest(ids: [try all.at(1).objectID]))
        try checkEqual(try owners(), [.null, .null], "owners after their account went")
      },
    ]
  }

  /// Accounts and their entries, with a delete rule from account to entries.
  private static func deleteModel(_ rule: DeleteRule) -> Schema {
    Schema(
      name: "Ledger",
      entities: [
        EntityDescription(
          name: "Account",
          attributes: [
            AttributeDescription(name: "name", type: .string, isOptional: false, defaultValue: .string("")),
            AttributeDescription(
              name: "total", type: .double, derivation: .sum(relationship: "entries", attribute: "amount")),
            AttributeDescription(name: "lowered", type: .string, derivation: .lowercase(attribute: "name")),
          ],
          relationships: [
            RelationshipDescription(
              name: "entries", destination: "Entry", inverse: "account", isToMany: true, deleteRule: rule)
          ]),
        EntityDescription(
          name: "Entry",
          attributes: [
            AttributeDescription(name: "amount", type: .double),
            AttributeDescription(
              name: "owner", type: .string, derivation: .value(path: ["account", "name"])),
          ],
          relationships: [
            RelationshipDescription(name: "account", destination: "Account", inverse: "entries")
          ]),
      ])
  }

  /// Two accounts: the first with entries of 1 and 2, the second with one of 4.
  private static func fillLedger(_ container: PersistentContainer) throws {
    let context = container.newContext(author: "user")
    let accounts = try ["CAFÉ", "B"].map { name in
      let account = try context.insert("Account", "name", .string(name))
      return account
    }
    for (amount, owner) in [(1.0, 0), (2, 0), (4, 1)] {
      let entry = try context.insert("Entry", "amount", .double(amount))
      try entry.setObject(accounts[owner], for: "account")
    }
    try context.save()
  }
}

import Bolide
import BolideMemory
import BolideStorage
import Foundation
import Testing

/// Rule R-3: derived attributes are true at every commit, by whatever path a change came.
@Suite struct DerivedTests {
  private static func schema() throws -> Schema {
    func derived(_ name: String, _ type: ValueType, _ expression: String) throws -> AttributeDescription {
      AttributeDescription(name: name, type: type, derivation: try Derivation(parsing: expression))
    }
    return Schema(entities: [
      EntityDescription(
        name: "Customer",
        attributes: [
          AttributeDescription(name: "name", type: .string),
          try derived("orderCount", .int64, "orders.@count"),
          try derived("total", .double, "orders.amount.@sum"),
          try derived("sortName", .string, "canonical:(name)"),
          try derived("shout", .string, "uppercase:(name)"),
          try derived("changed", .date, "now()"),
        ],
        relationships: [
          RelationshipDescription(
            name: "orders", destination: "Order", inverse: "customer", isToMany: true, deleteRule: .cascade)
        ]),
      EntityDescription(
        name: "Order",
        attributes: [
          AttributeDescription(name: "key", type: .int64),
          AttributeDescription(name: "amount", type: .double),
          try derived("customerName", .string, "customer.name"),
        ],
        relationships: [
          RelationshipDescription(name: "customer", destination: "Customer", inverse: "orders")
        ],
        uniquenessConstraints: [["key"]]),
    ])
  }

  private let clock = TestClock()

  private func container() throws -> PersistentContainer {
    try PersistentContainer(
      Self.schema(), at: StoreLocation(MemoryBackend(), Location(path: "derived")),
      options: ContainerOptions(environment: .fixed(clock: clock)))
  }

  private func customer(_ name: String, in context: ManagedObjectContext) throws -> ManagedObject {
    let customer = try context.insert("Customer")
    try customer.setValue(.string(name), for: "name")
    return customer
  }

  private func order(
    _ key: Int64, _ amount: Double, of customer: ManagedObject?, in context: ManagedObjectContext
  ) throws
    -> ManagedObject
  {
    let order = try context.insert("Order")
    try order.setValue(.int(key), for: "key")
    try order.setValue(.double(amount), for: "amount")
    try order.setObject(customer, for: "customer")
    return order
  }

  @Test func `saves keep every kind true`() throws {
    let container = try container()
    let context = container.newContext()
    let ann = try customer("Ánn", in: context)
    let first = try order(1, 0.1, of: ann, in: context)
    _ = try order(2, 0.2, of: ann, in: context)
    clock.now += 10
    try context.save()
    #expect(try ann.value("orderCount") == .int(2))
    #expect(try ann.value("total") == .double(0.30000000000000004))
    #expect(try ann.value("sortName") == .string("ann"))
    #expect(try ann.value("shout") == .string("ÁNN"))
    #expect(try ann.value("changed") == .date(clock.now))
    #expect(try first.value("customerName") == .string("Ánn"))

    try ann.setValue(.string("Bo"), for: "name")
    clock.now += 10
    let saved = try context.save()
    #expect(saved.updated == 3)
    #expect(try first.value("customerName") == .string("Bo"))
    #expect(try ann.value("changed") == .date(clock.now))

    try first.setObject(nil, for: "customer")
    try context.save()
    #expect(try first.value("customerName") == .null)
    #expect(try ann.value("total") == .double(0.2))
    #expect(try container.check().isEmpty)
  }

  @Test func `batch requests and cascades do, too`() throws {
    let container = try container()
    let context = container.newContext()
    let ann = try customer("Ann", in: context)
    for key in 1...4 { _ = try order(Int64(key), 1, of: ann, in: context) }
    try context.save()
    let records: [[String: Value]] = [
      ["key": .int(1), "amount": .double(5)], ["key": .int(9), "amount": .double(7)],
    ]
    let inserted = try context.execute(BatchInsertRequest(entity: "Order", records: records))
    #expect(inserted.inserted.count == 1 && inserted.updated.count == 1)
    func total() throws -> Value {
      try container.newContext().existingObject(with: ann.objectID).value("total")
    }
    #expect(try total() == .double(8))
    try context.execute(BatchUpdateRequest(entity: "Order", values: ["amount": .double(2)]))
    #expect(try total() == .double(8))
    try context.execute(BatchUpdateRequest(entity: "Customer", values: ["name": .string("Cy")]))
    let fresh = try container.newContext().fetch(FetchRequest<ManagedObject>(entity: "Order"))
    #expect(
      try fresh.map { try $0.value("customerName") } == [
        .string("Cy"), .string("Cy"), .string("Cy"), .string("Cy"), .null,
      ])
    let history = try container.history(PersistentHistoryRequest(after: .number(3)))
    #expect(
      history.changes.first { $0.objectID.entityName == "Order" }?.updatedProperties == ["customerName"])
    try context.execute(
      BatchDeleteRequest(entity: "Order", where: .compare(.path(["key"]), .less, .literal(.int(3)))))
    #expect(try total() == .double(4))
    #expect(try container.check().isEmpty)
    try context.execute(BatchDeleteRequest(entity: "Customer"))
    #expect(try container.counts().map(\.count) == [0, 1])
    #expect(try container.check().isEmpty)
  }

  @Test(arguments: [1, 2] as [UInt64])
  func `random edits leave nothing stale`(seed: UInt64) throws {
    let container = try container()
    let source = SeededSource(seed: seed)
    let context = container.newContext()
    var key: Int64 = 0
    for round in 0..<25 {
      let customers = try context.fetch(FetchRequest<ManagedObject>(entity: "Customer"))
      let orders = try context.fetch(FetchRequest<ManagedObject>(entity: "Order"))
      func pick(_ all: [ManagedObject]) -> ManagedObject? {
        let live = all.filter { !$0.isDeleted }
        return live.isEmpty ? nil : live[Int(source.next() % UInt64(live.count))]
      }
      for _ in 0..<4 {
        switch source.next() % 6 {
        case 0: _ = try customer("C\(source.next() % 9)", in: context)
        case 1, 2:
          key += 1
          _ = try order(key, Double(source.next() % 1000) / 7, of: pick(customers), in: context)
        case 3: if let order = pick(orders) { try order.setObject(pick(customers), for: "customer") }
        case 4: if let order = pick(orders) { try order.setValue(.double(Double(round) / 3), for: "amount") }
        default: if let object = pick(source.next() % 4 == 0 ? customers : orders) { context.delete(object) }
        }
      }
      try context.save()
      #expect(try container.check() == [], "seed \(seed), round \(round)")
    }
  }
}

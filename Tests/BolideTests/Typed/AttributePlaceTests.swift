import Bolide
import BolideMemory
import BolideStorage
import Foundation
import Testing

private class Body: ManagedObject {
  @Attribute var name = "unnamed"
  @Attribute var note: String?
  @Attribute var mass = 1.5
  @Attribute var size: Double?
  @Attribute var heat: Float = 2.5
  @Attribute var small: Int16 = -1
  @Attribute var middle: Int32 = -2
  @Attribute var large: Int64 = -3
  @Attribute var count: Int?
  @Attribute var isBright = true
  @Attribute var isNear: Bool?
  @Attribute var found = Date(timeIntervalSinceReferenceDate: 12.5)
  @Attribute var lost: Date?
  @Attribute var tag: UUID?
  @Attribute var price: Decimal?
  @Attribute var blob = Data([1, 2])
  @Attribute var home: URL?
}

private final class Planet: Body {
  @Attribute var moons: Int64 = 0
  @Attribute var ring: String?
}

/// What typed getters read of a row in place is what its values are.
@Suite struct AttributePlaceTests {
  private let container: PersistentContainer

  init() throws {
    container = try PersistentContainer(Schema(Body.self, Planet.self), at: MemoryBackend.freshLocation())
  }

  private func fill(_ body: Body) {
    body.name = "caf\u{E9} \u{1F31F}"
    body.note = ""
    body.mass = -0.5
    body.size = .infinity
    body.heat = 0.25
    body.small = .min
    body.middle = .max
    body.large = .min
    body.count = .max
    body.isBright = false
    body.isNear = true
    body.found = Date(timeIntervalSinceReferenceDate: -7.25)
    body.lost = Date(timeIntervalSinceReferenceDate: 8)
    body.tag = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    body.price = Decimal(string: "12.50")
    body.blob = Data([9, 0, 9])
    body.home = URL(string: "https://example.org/a")
  }

  private func lines(_ body: Body) -> [String] {
    [
      "\(body.name)|\(body.note ?? "nil")", "\(body.mass) \(String(describing: body.size)) \(body.heat)",
      "\(body.small) \(body.middle) \(body.large) \(body.count.map(String.init) ?? "nil")",
      "\(body.isBright) \(String(describing: body.isNear))",
      "\(body.found.timeIntervalSinceReferenceDate)",
      "\(body.lost?.timeIntervalSinceReferenceDate.description ?? "nil")",
      "\(body.tag?.uuidString ?? "nil") \(body.price.map { "\($0)" } ?? "nil") \([UInt8](body.blob))",
      "\(body.home?.absoluteString ?? "nil")",
    ]
  }

  private static let filled = [
    "caf\u{E9} \u{1F31F}|", "-0.5 Optional(inf) 0.25",
    "-32768 2147483647 -9223372036854775808 9223372036854775807", "false Optional(true)", "-7.25", "8.0",
    "01020304-0506-0708-090A-0B0C0D0E0F10 12.5 [9, 0, 9]", "https://example.org/a",
  ]
  private static let defaults = [
    "unnamed|nil", "1.5 nil 2.5", "-1 -2 -3 nil", "true nil", "12.5", "nil", "nil nil [1, 2]", "nil",
  ]

  @Test(arguments: [true, false])
  func `values are the same unsaved, saved, fetched, edited and as faults`(_ isPlanet: Bool) throws {
    let context = container.newContext()
    func make() -> Body { isPlanet ? Planet(context: context) : Body(context: context) }
    let (one, other) = (make(), make())
    #expect(lines(one) == Self.defaults)
    fill(one)
    #expect(lines(one) == Self.filled)
    try context.save()
    #expect(lines(one) == Self.filled && lines(other) == Self.defaults)
    let fresh = container.newContext()
    let fetched = try fresh.fetch(FetchRequest(Body.self))
    #expect(fetched.map(lines) == [Self.filled, Self.defaults])
    let fault = container.newContext().object(with: one.objectID)
    #expect(fault.isFault && fault.context == nil)
    fetched[0].note = nil
    fetched[0].small = 5
    #expect(fetched[0].note == nil && fetched[0].small == 5 && fetched[0].name == one.name)
    fetched[0].note = ""
    fetched[0].small = .min
    #expect(lines(fetched[0]) == Self.filled && !fetched[0].hasChanges)
    fill(fetched[1])
    try fresh.save()
    let last = container.newContext()
    let faults = try [one, other].map { try #require(last.object(with: $0.objectID) as? Body) }
    #expect(faults.allSatisfy { $0.isFault })
    #expect(faults.map(lines) == [Self.filled, Self.filled])
    #expect(faults.allSatisfy { !$0.isFault })
  }

  @Test func `a subclass reads its own columns and those of its parent`() throws {
    let context = container.newContext()
    let planet = Planet(context: context)
    planet.moons = 7
    planet.ring = "thin"
    planet.name = "Saturn"
    try context.save()
    let read = try #require(try container.newContext().fetch(FetchRequest(Planet.self)).first)
    #expect(read.context == nil)
    #expect(read.moons == 7 && read.ring == "thin" && read.name == "Saturn" && read.mass == 1.5)
  }

  @Test func `an object that is gone gives its last values, a fault its defaults`() throws {
    let context = container.newContext()
    let body = Body(context: context)
    fill(body)
    try context.save()
    let (reading, faulting) = (container.newContext(), container.newContext())
    let read = try #require(try reading.fetch(FetchRequest(Body.self)).first)
    let fault = try #require(faulting.object(with: body.objectID) as? Body)
    context.delete(body)
    try context.save()
    #expect(lines(read) == Self.filled)
    #expect(lines(fault) == Self.defaults && fault.isInaccessible)
  }
}

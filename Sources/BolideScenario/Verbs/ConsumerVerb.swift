import Bolide
import BolideStorage

/// `consumer`: registers a reader of history whose position the store keeps.
struct ConsumerVerb: Verb {
  static let usages = [
    VerbUsage(
      "consumer", .store, "NAME max-age=DURATION max-count=N",
      "Registers a consumer of history, or sets what it may hold back.", prints: "`consumer NAME  position N`"
    )
  ]

  private let name: Name?
  private var budget: HistoryConsumer.Budget?

  init(_ step: inout StepReader) {
    name = step.arguments.takeText("the consumer's name")
    if let age = step.arguments.takeOptionValue("max-age") {
      if case .duration(let duration) = age.kind {
        budget = HistoryConsumer.Budget(maximumAge: duration.seconds)
      } else {
        step.arguments.report("`max-age=` takes a duration such as +1h", at: age.position)
      }
    }
    if let count = step.arguments.takeOptionValue("max-count") {
      if case .number(let text) = count.kind, let number = UInt64(text) {
        budget = HistoryConsumer.Budget(maximumAge: budget?.maximumAge, maximumCount: number)
      } else {
        step.arguments.report("`max-count=` takes a number of transactions", at: count.position)
      }
    }
  }

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    guard let name else { return [] }
    let consumer = try session.mainContainer().registerConsumer(name.text, budget: budget)
    return ["consumer \(consumer.name)  position \(consumer.position.number)"]
  }
}

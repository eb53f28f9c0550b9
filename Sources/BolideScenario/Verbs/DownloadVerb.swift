import Bolide
import BolideFeeds
import BolideStorage

/// `download`: imports a document of a feed in one transaction.
struct DownloadVerb: Verb {
  static let usages = [
    VerbUsage(
      "download", .context, "FEED SOURCE entity=E absent=keep|default policy=P",
      "Imports a document of a feed (\(Feed.allCases.map(\.rawValue).joined(separator: ", "))).",
      prints: "`skipped record N  field: reason`…, `inserted N  updated N  unchanged N  skipped N`, "
        + "`transaction N  author A` or `no transaction`")
  ]

  private let feed: Feed?
  private let source: String
  private let entity: String?
  private let absent: AbsentRule
  private let policy: MergePolicy?

  init(_ step: inout StepReader) {
    let name = step.arguments.takeText("a feed")
    feed = name.flatMap { Feed(rawValue: $0.text) }
    if let name, feed == nil {
      let names = Feed.allCases.map(\.rawValue).joined(separator: ", ")
      step.arguments.report("there is no feed `\(name.text)`; there are \(names)", at: name.position)
    }
    source = step.arguments.takeText("a document")?.text ?? ""
    entity = step.takeOptionEntity()
    absent = step.arguments.takeOptionChoice("absent", ["keep": .keep, "default": .default]) ?? .keep
    policy = step.arguments.takePolicy().map(MergePolicy.init)
    if let reconcile = step.arguments.takeOption("reconcile") {
      step.report(.unsupportedVerb, "reconciling with a feed cannot be done yet", at: reconcile.position)
    }
  }

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    let context = try session.context(step.subject.text)
    guard let feed else { return [] }
    let document = try session.document(source)
    let request = FeedImport(feed, from: document, into: entity, absent: absent)
    let result = try context.with(policy) { try request.run(in: $0) }
    var lines = result.skipped.map { "skipped \($0)" }
    if result.skippedCount > result.skipped.count {
      lines.append("skipped \(result.skippedCount - result.skipped.count) more")
    }
    lines.append(
      "inserted \(result.inserted.count)  updated \(result.updated.count)  "
        + "unchanged \(result.unchanged.count)  skipped \(result.skippedCount)")
    lines.append(TranscriptText.transaction(result.transaction, author: context.context.transactionAuthor))
    return lines
  }
}

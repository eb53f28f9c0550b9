import BolideStorage

/// `disk`: fills the disk of the store, or makes room.
struct DiskVerb: Verb {
  static let name = "disk"
  static let usages = [
    VerbUsage(
      name, .store, "limit=N|none",
      "Lets the disk take N bytes more, or any number: a write beyond that fails as on a full disk.",
      prints: "`ok`")
  ]

  private let limit: Int?

  init(_ step: inout StepReader) {
    let value = step.arguments.takeOptionValue("limit")
    switch value?.kind {
    case .number(let text)? where (Int(text) ?? -1) >= 0: limit = Int(text)
    case .word("none")?: limit = nil
    default:
      limit = nil
      step.arguments.report(
        "`disk` needs `limit=`, a whole number of bytes or `none`", at: value?.position ?? step.step.position)
    }
  }

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    try session.disk().set(limit)
    return ["ok"]
  }
}

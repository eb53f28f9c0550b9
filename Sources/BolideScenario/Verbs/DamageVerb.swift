import Bolide
import BolideStorage
import Foundation

/// `damage`: spoils a token file, or the file of the store, the way a crash, a bug or a disk would.
struct DamageVerb: Verb {
  static let usages = [
    VerbUsage(
      "damage", .store,
      "token|file how=half|random|other|empty|flip|missing, of a file also "
        + "header|pages|foreign-log|mended",
      "Spoils the token file that was saved last, or closes the store and spoils its file; `mended` undoes that.",
      prints: "`ok`")
  ]

  /// What is spoiled.
  private enum Target: Sendable {
    case token(Damage)
    case file(FileDamage)
  }

  /// What can be done to the store's file.
  private enum FileDamage: Sendable {
    case spoiled(Damage)
    case foreignLog, mended
  }

  private let target: Target?

  init(_ step: inout StepReader) {
    let what = step.arguments.takeText("`token` or `file`")
    switch what?.text {
    case "token":
      target = step.arguments.takeOptionChoice("how", Self.ofTokens).map(Target.token)
    case "file":
      target = step.arguments.takeOptionChoice("how", Self.ofFiles).map(Target.file)
    default:
      target = nil
      if let what {
        step.arguments.report("what can be damaged is `token` or `file`", at: what.position)
        _ = step.arguments.takeOption("how")
      }
      return
    }
    if target == nil, step.problems.isEmpty {
      step.arguments.report("`damage` needs `how=half|random|other|empty|flip|missing`")
    }
  }

  private static let ofTokens: KeyValuePairs<String, Damage> = [
    "half": .half, "random": .random, "other": .other, "empty": .empty, "flip": .flip, "missing": .missing,
  ]

  private static let ofFiles: KeyValuePairs<String, FileDamage> = [
    "half": .spoiled(.half), "random": .spoiled(.random), "other": .spoiled(.other),
    "empty": .spoiled(.empty),
    "flip": .spoiled(.flip), "missing": .spoiled(.missing), "header": .spoiled(.header),
    "pages": .spoiled(.pages), "foreign-log": .foreignLog, "mended": .mended,
  ]

  func run(_ step: Step, in session: StoreSession) throws -> [String] {
    switch target {
    case .token(let damage):
      guard let url = session.lastTokenFile, FileManager.default.fileExists(atPath: url.path) else {
        throw BolideError(.scenarioNoFile, "there is no token file")
      }
      try damage.apply(to: url)
    case .file(.spoiled(let damage)): try session.damage { try $0.spoil(damage) }
    case .file(.foreignLog): try session.damage { try $0.lay(session.sidecarsOfAnotherStore()) }
    case .file(.mended): try session.damage { try $0.mend() }
    case nil: break
    }
    return ["ok"]
  }
}

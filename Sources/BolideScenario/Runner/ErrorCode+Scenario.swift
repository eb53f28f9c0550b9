import BolideStorage

/// The codes of mistakes that show only while a scenario runs.
extension ErrorCode {
  package static let referenceUnsaved = ErrorCode(
    "reference.unsaved", meaning: "A capture names an object that another context has not saved yet.",
    remedy: "save it first")
  package static let referenceNone = ErrorCode(
    "reference.none", meaning: "A reference matches no object.",
    remedy: "fetch to see what is there")
  package static let referenceSeveral = ErrorCode(
    "reference.several", meaning: "A reference that must match one object matches several.",
    remedy: "narrow the predicate")
  package static let referenceKind = ErrorCode(
    "reference.kind", meaning: "A capture is not of the kind that is needed here.",
    remedy: "capture an object, a token or a generation, as the verb needs")
  package static let referenceKey = ErrorCode(
    "reference.key", meaning: "A key does not fit the entity's first uniqueness constraint.",
    remedy: "give one value for each of its attributes")
  package static let processRunning = ErrorCode(
    "process.running", meaning: "The process runs already.", remedy: "end it first with exit or kill")
  package static let processNotRunning = ErrorCode(
    "process.not-running", meaning: "The process, or the store in it, is not open.",
    remedy: "start the process, or reopen the store")
  package static let scenarioNoFile = ErrorCode(
    "scenario.no-file", meaning: "A step needs a file that an earlier step writes.",
    remedy: "write the file first")
  package static let recordSyntax = ErrorCode(
    "scenario.records", meaning: "A file is no JSON array of objects.",
    remedy: "give an array of objects from attribute names to values")

  package static let scenarioUnreadable = ErrorCode(
    "scenario.unreadable", meaning: "A file is no scenario that can run.",
    remedy: "correct what the details name; `bolide scenario check` shows the same")
  package static let scenarioFailed = ErrorCode(
    "scenario.failed", meaning: "A step of a scenario printed something else than the file expects.",
    remedy: "run the file with `bolide replay` and correct it")
  package static let fileOutside = ErrorCode(
    "file.outside", meaning: "A file name leads out of the folders where scenarios find files.",
    remedy: "use a relative name without `..`, of a file beside the scenario or under Fixtures")
  package static let fileMissing = ErrorCode(
    "file.missing", meaning: "There is no file or folder of that name.", remedy: "check the name")
  package static let fileUnreadable = ErrorCode(
    "file.unreadable", meaning: "A file cannot be read.", remedy: "check its permissions")

  /// Every code of this file.
  package static let scenarioCodes: [ErrorCode] = [
    referenceUnsaved, referenceNone, referenceSeveral, referenceKind, referenceKey, processRunning,
    processNotRunning, scenarioNoFile, recordSyntax, scenarioUnreadable, scenarioFailed, fileOutside,
    fileMissing, fileUnreadable,
  ]
}

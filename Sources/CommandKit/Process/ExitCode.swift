/// How a run of a program ended, as the status its parent process sees.
package enum ExitCode: Int32, Sendable, CaseIterable {
  case success = 0
  case expectationFailed = 1
  case unreadableInput = 2
  case storeFailed = 3
  case usage = 64
  case bug = 70
  case interrupted = 130

  /// What the status says, in the words of the help text.
  package var meaning: String {
    switch self {
    case .success: "everything went as expected"
    case .expectationFailed: "an expectation failed, or nothing ran"
    case .unreadableInput: "a scenario, predicate, model or feed does not parse"
    case .storeFailed: "a file is missing, or a store reported an error"
    case .usage: "the command line is wrong"
    case .bug: "a fault of the program itself"
    case .interrupted: "interrupted (Ctrl-C)"
    }
  }
}

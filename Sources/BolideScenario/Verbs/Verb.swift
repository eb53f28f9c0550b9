/// A step whose arguments were read and checked.
package protocol Verb: Sendable {
  /// The verbs of the family, as `bolide scenario verbs` lists them.
  static var usages: [VerbUsage] { get }
  /// Reads the arguments of a step; what is wrong with them is reported to the reader.
  init(_ step: inout StepReader)
  /// Performs the step on one store and gives back its canonical text, at least one line.
  ///
  /// - Throws: Errors, which are results too: they are printed.
  func run(_ step: Step, in session: StoreSession) throws -> [String]
}

/// What a verb is called, who performs it, what it takes and what it prints.
package struct VerbUsage: Hashable, Sendable {
  /// Who performs a verb.
  package enum Subject: String, Hashable, Sendable {
    case context, store, process
  }

  /// What a verb leaves behind under a name.
  package enum Capture: String, Hashable, Sendable {
    case objects, token, generation, list
  }

  package var name: String
  package var subject: Subject
  /// The arguments, in the notation of the language's page.
  package var form: String
  /// One sentence.
  package var summary: String
  /// The lines it prints.
  package var prints: String
  package var capture: Capture?
  package var takesPredicate = false
  package var takesRows = false

  package init(
    _ name: String, _ subject: Subject, _ form: String, _ summary: String, prints: String,
    capture: Capture? = nil, takesPredicate: Bool = false, takesRows: Bool = false
  ) {
    self.name = name
    self.subject = subject
    self.form = form
    self.summary = summary
    self.prints = prints
    self.capture = capture
    self.takesPredicate = takesPredicate
    self.takesRows = takesRows
  }

  /// The verb with its arguments, as it is typed.
  package var line: String {
    var text = (capture == nil ? "" : "[$NAME = ]") + name
    if !form.isEmpty { text += " " + form }
    if takesPredicate { text += " [where PREDICATE]" }
    if takesRows { text += ", or a row of options a record" }
    return text
  }
}

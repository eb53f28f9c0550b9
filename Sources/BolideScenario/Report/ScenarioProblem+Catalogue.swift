import BolideStorage

/// The problems of scenario files as entries of the error catalogue.
extension ErrorCode {
  /// The codes that `bolide scenario check` reports, each with what it means and what to do.
  package static let scenarioFileCodes: [ErrorCode] = ScenarioProblem.Code.allCases.map { code in
    ErrorCode(code.rawValue, meaning: code.entry.meaning, remedy: code.entry.remedy)
  }
}

extension ScenarioProblem.Code {
  /// What the catalogue says of the code.
  fileprivate var entry: (meaning: String, remedy: String) {
    switch self {
    case .encoding:
      ("The file is not plain UTF-8.", "save it as UTF-8 without a byte order mark")
    case .tab:
      ("A line holds a tab.", "use blanks, or `\\t` inside a string")
    case .carriageReturn:
      ("A line ends with CR and LF.", "save the file with LF alone")
    case .controlCharacter:
      ("A line holds a control character.", "write it as `\\u` and four digits inside a string")
    case .trailingBlank:
      ("A line ends with blanks.", "remove them, or run `bolide scenario fmt`")
    case .lineLength:
      ("A line is longer than a scenario's may be.", "put long data into a payload or a file under Fixtures")
    case .stepCount:
      ("A file has more steps than a scenario may have.", "divide it")
    case .payloadSize:
      ("A payload is larger than a scenario's may be.", "put it into a file under Fixtures")
    case .fileSize:
      ("A file is larger than a scenario may be.", "divide it, or move its payloads to files under Fixtures")
    case .comment:
      ("A comment has no blank after `#`.", "write `# text`")
    case .unknownLine:
      ("A line is neither a directive nor a step nor a comment.", "look at the line's first word")
    case .lateDirective:
      ("A directive stands below the first step.", "move it to the header")
    case .emptyDirective:
      ("A directive has no argument.", "give it one")
    case .orphanRow:
      ("An indented row has no step above it.", "put it directly under its step")
    case .rowShape:
      (
        "A row is not two blanks and options, or does not belong to its verb.",
        "write `name=value` for each attribute"
      )
    case .orphanBlock:
      ("Expected text has no step above it.", "put `----` directly under a step")
    case .emptyBlock:
      ("There is no expected text under `----`.", "run `bolide scenario update`, and read what it wrote")
    case .payloadInBlock:
      ("A payload begins in the middle of expected text.", "put a blank line above it")
    case .payloadName:
      ("A payload has a name that no file may have.", "use a relative name without `..`")
    case .duplicatePayload:
      ("Two payloads have one name.", "rename one")
    case .spacing:
      ("Two tokens have more than one blank between them.", "leave one, or run `bolide scenario fmt`")
    case .condition:
      ("A condition is not `[capability]` or `[!capability]` and a blank.", "correct it")
    case .capture:
      ("A capture is not `$name = verb`, or the verb leaves nothing behind.", "correct it")
    case .verb:
      ("A verb is missing.", "`bolide scenario verbs` lists them")
    case .predicate:
      ("A predicate is missing, wrong or out of place.", "correct the text at the column")
    case .reference:
      (
        "A reference to an object is not complete.",
        "write `$a`, `Entity#3`, `Entity[key]` or `Entity{predicate}`"
      )
    case .string:
      ("A string is not as JSON has it.", "close it, and use JSON's escapes")
    case .expression:
      ("An expression is empty or has no closing backtick.", "correct it")
    case .date:
      ("A date is not a day and time in UTC that exist.", "write 2020-10-23T22:19:00Z")
    case .uuid:
      ("A uuid has capital letters.", "write it in lower case")
    case .duration:
      ("A duration has no known unit or is too long.", "use ms, s, m, h or d")
    case .binary:
      ("Binary data are not `0x` and pairs of hexadecimal digits.", "correct the digits")
    case .number:
      ("A token that starts like a number is none.", "quote names that start with a digit")
    case .value:
      ("A value is missing or has a character it may not have.", "quote what is not a plain word")
    case .directiveArguments:
      ("A directive's arguments do not fit.", "look at the message")
    case .duplicateName:
      ("Something is declared twice.", "keep one of the two")
    case .unknownName:
      ("A context, process or capture is not declared above.", "declare or capture it first")
    case .unknownVerb:
      ("There is no such verb.", "`bolide scenario verbs` lists them")
    case .unsupportedVerb:
      ("The language has this, and no store can do it yet.", "leave the step out until it can")
    case .verbArguments:
      (
        "A verb's arguments do not fit, or it is said to the wrong subject.",
        "`bolide scenario verbs` shows each verb's form"
      )
    case .unknownCapability:
      ("There is no such capability.", "use one of those in the message")
    case .unknownModel:
      ("The model is missing, unknown or cannot be read.", "name a sample, or a model file that is there")
    case .unknownEntity:
      ("The model has no such entity.", "use one of the model's")
    case .unknownProperty:
      ("The entity has no such property.", "use one of the entity's")
    case .valueType:
      ("A value is of another kind than its attribute.", "give a value of the attribute's type")
    case .unprintable:
      ("A step printed a line that no block can hold.", "report it: verbs print visible lines")
    case .noSteps:
      ("A scenario has no steps, so nothing would run.", "add a step")
    }
  }
}

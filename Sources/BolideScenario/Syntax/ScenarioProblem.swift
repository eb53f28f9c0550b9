/// One thing that is wrong with a scenario file, with its place.
package struct ScenarioProblem: Error, Hashable, Sendable {
  package var code: Code
  package var message: String
  package var position: SourcePosition

  package init(_ code: Code, _ message: String, at position: SourcePosition) {
    self.code = code
    self.message = message
    self.position = position
  }
}

extension ScenarioProblem {
  /// The stable names of all problems; tests prove that each of them can happen.
  package enum Code: String, CaseIterable, Hashable, Sendable {
    // Bytes and lines
    case encoding = "scenario.encoding"
    case tab = "scenario.tab"
    case carriageReturn = "scenario.carriage-return"
    case controlCharacter = "scenario.control-character"
    case trailingBlank = "scenario.trailing-blank"
    case lineLength = "scenario.line-length"
    case stepCount = "scenario.step-count"
    case payloadSize = "scenario.payload-size"
    case fileSize = "scenario.file-size"

    // The order and the shape of lines
    case comment = "scenario.comment"
    case unknownLine = "scenario.unknown-line"
    case lateDirective = "scenario.late-directive"
    case emptyDirective = "scenario.empty-directive"
    case orphanRow = "scenario.orphan-row"
    case rowShape = "scenario.row"
    case orphanBlock = "scenario.orphan-block"
    case emptyBlock = "scenario.empty-block"
    case payloadInBlock = "scenario.payload-in-block"
    case payloadName = "scenario.payload-name"
    case duplicatePayload = "scenario.duplicate-payload"

    // Inside a line
    case spacing = "scenario.spacing"
    case condition = "scenario.condition"
    case capture = "scenario.capture"
    case verb = "scenario.verb"
    case predicate = "scenario.predicate"
    case reference = "scenario.reference"
    case string = "scenario.string"
    case expression = "scenario.expression"
    case date = "scenario.date"
    case uuid = "scenario.uuid"
    case duration = "scenario.duration"
    case binary = "scenario.binary"
    case number = "scenario.number"
    case value = "scenario.value"

    // Meaning that needs no store
    case directiveArguments = "scenario.directive-arguments"
    case duplicateName = "scenario.duplicate-name"
    case unknownName = "scenario.unknown-name"
    case unknownVerb = "scenario.unknown-verb"
    case unsupportedVerb = "scenario.unsupported-verb"
    case verbArguments = "scenario.verb-arguments"
    case unknownCapability = "scenario.unknown-capability"
    case unknownModel = "scenario.unknown-model"
    case unknownEntity = "scenario.unknown-entity"
    case unknownProperty = "scenario.unknown-property"
    case valueType = "scenario.value-type"
    case unprintable = "scenario.unprintable"
    case noSteps = "scenario.no-steps"
  }
}

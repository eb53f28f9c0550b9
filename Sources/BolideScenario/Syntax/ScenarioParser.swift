/// Reads a scenario file and collects everything that is wrong with it.
package struct ScenarioParser {
  /// What a file holds, as far as it could be read, and all its problems in the order of the file.
  package struct Outcome: Hashable, Sendable {
    package var scenario: Scenario
    package var problems: [ScenarioProblem]
  }

  /// Reads the bytes of a file; never fails, but reports.
  package static func parse(
    _ bytes: [UInt8], path: String, limits: ScenarioLimits = .standard
  ) -> Outcome {
    var parser = ScenarioParser(path: path, limits: limits)
    parser.read(bytes)
    return Outcome(
      scenario: parser.scenario, problems: parser.problems.sorted { $0.position < $1.position })
  }

  private enum Part { case header, steps, payloads }

  /// What the line above allows below it.
  private enum Opening { case nothing, comment, step, unreadable, block }

  private let limits: ScenarioLimits
  private var scenario: Scenario
  private var problems: [ScenarioProblem] = []
  private var part = Part.header
  private var opening = Opening.nothing
  private var isPayloadTooLarge = false

  private init(path: String, limits: ScenarioLimits) {
    scenario = Scenario(path: path)
    self.limits = limits
  }

  private mutating func read(_ bytes: [UInt8]) {
    guard bytes.count <= limits.fileBytes else {
      report(
        .fileSize, "the file is larger than \(limits.fileBytes) bytes, the most that a scenario may have", 1,
        1)
      return
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      report(.encoding, "the file starts with a byte order mark; save it as plain UTF-8", 1, 1)
      return
    }
    if let place = TextLines.firstInvalid(bytes) {
      report(.encoding, "this is not UTF-8; save the file as UTF-8", place.line, place.column)
      return
    }
    for (offset, range) in TextLines.ranges(of: bytes).enumerated() {
      if part == .payloads {
        readPayloadLine(bytes, range, number: offset + 1)
      } else {
        readLine(bytes[range], number: offset + 1)
      }
    }
    endBlock()
  }

  // MARK: Lines

  private mutating func readLine(_ bytes: ArraySlice<UInt8>, number: Int) {
    guard bytes.count <= limits.lineBytes else {
      report(
        .lineLength, "the line has \(bytes.count) bytes; at most \(limits.lineBytes) are allowed",
        number, 1)
      opening = opening == .block ? .block : .unreadable
      return
    }
    let line = cleaned(String(decoding: bytes, as: UTF8.self), number: number)
    if line.isEmpty {
      endBlock()
      opening = .nothing
      return
    }
    if opening == .block {
      readBlockLine(line, number: number)
    } else if line == "----" {
      openBlock(number: number)
    } else if let name = PayloadHeader.name(in: line) {
      openPayload(name, number: number)
    } else if line.hasPrefix("#") {
      readComment(line, number: number)
    } else if line.hasPrefix(" ") {
      readRow(line, number: number)
    } else {
      readStepOrDirective(line, number: number)
    }
  }

  /// Reports what no line may hold and gives back what is left to read, columns unchanged.
  private mutating func cleaned(_ line: String, number: Int) -> String {
    var scalars = Array(line.unicodeScalars)
    if scalars.last == "\r" {
      report(.carriageReturn, "lines end with LF alone, without CR", number, scalars.count)
      scalars.removeLast()
    }
    if let last = scalars.last, last == " " || last == "\t" {
      let kept = (scalars.lastIndex { $0 != " " && $0 != "\t" }).map { $0 + 1 } ?? 0
      report(.trailingBlank, "blanks at the end of the line", number, kept + 1)
      scalars.removeSubrange(kept...)
    }
    if let place = scalars.firstIndex(of: "\t") {
      report(.tab, "a tab; use blanks, or \\t inside a string", number, place + 1)
    }
    let control = scalars.firstIndex { $0 != "\t" && ($0.value < 0x20 || $0.value == 0x7F) }
    if let control {
      report(
        .controlCharacter, "a control character; inside a string write \\u and its four digits", number,
        control + 1)
    }
    let printable = scalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }
    return String(String.UnicodeScalarView(printable))
  }

  private mutating func readComment(_ line: String, number: Int) {
    let text = line.dropFirst()
    if let first = text.first, first != " " {
      report(.comment, "a blank is missing after `#`", number, 2)
    }
    let content = String(text.first == " " ? text.dropFirst() : text)
    if opening == .comment, let last = scenario.phases.indices.last {
      scenario.phases[last].lines.append(content)
    } else {
      let position = SourcePosition(line: number, column: 1)
      scenario.phases.append(Phase(position: position, lines: [content]))
    }
    opening = .comment
  }

  private mutating func readRow(_ line: String, number: Int) {
    if opening == .unreadable { return }
    guard opening == .step, let last = scenario.steps.indices.last else {
      report(.orphanRow, "an indented row belongs under a step; there is none above", number, 1)
      return
    }
    guard line.hasPrefix("  "), !line.hasPrefix("   ") else {
      report(.rowShape, "a row is indented by exactly two blanks", number, 1)
      return
    }
    var scanner = LineScanner(line, line: number)
    scenario.steps[last].rows.append(scanner.takeRow(problems: &problems))
  }

  private mutating func readStepOrDirective(_ line: String, number: Int) {
    var scanner = LineScanner(line, line: number)
    if let word = Directive.Word.opening(line) {
      opening = .nothing
      var found: [ScenarioProblem] = []
      let directive = scanner.takeDirective(word, problems: &found)
      problems += found
      if part == .header {
        scenario.directives.append(directive)
      } else {
        report(.lateDirective, "`\(word.rawValue)` belongs above the first step", number, 1)
      }
      return
    }
    opening = .unreadable
    let known = problems.count
    if let step = scanner.takeStep(source: line, problems: &problems) {
      append(step)
    } else if problems.count == known {
      let words = Directive.Word.allCases.map(\.rawValue).joined(separator: ", ")
      report(
        .unknownLine, "neither a step (`name> verb`), a comment (`# text`) nor a directive (\(words))",
        number, 1)
    }
  }

  private mutating func append(_ step: Step) {
    part = .steps
    opening = .step
    if scenario.steps.count == limits.steps {
      let message = "more than \(limits.steps) steps; divide the scenario"
      if !problems.contains(where: { $0.code == .stepCount }) {
        problems.append(ScenarioProblem(.stepCount, message, at: step.position))
      }
      return
    }
    var step = step
    step.phase = scenario.phases.indices.last
    scenario.steps.append(step)
  }

  // MARK: Blocks

  private mutating func openBlock(number: Int) {
    guard opening == .step, let last = scenario.steps.indices.last else {
      // Under a line that could not be read one problem is enough.
      if opening != .unreadable {
        report(.orphanBlock, "`----` belongs directly under a step", number, 1)
      }
      // Its lines are expected text all the same, not steps.
      opening = .block
      return
    }
    let position = SourcePosition(line: number, column: 1)
    scenario.steps[last].block = Block(position: position, lines: [])
    opening = .block
  }

  private mutating func readBlockLine(_ line: String, number: Int) {
    if PayloadHeader.name(in: line) != nil {
      report(.payloadInBlock, "a blank line is missing above the payload", number, 1)
      return
    }
    guard let last = scenario.steps.indices.last, let block = scenario.steps[last].block,
      block.position.line + block.lines.count + 1 == number
    else { return }
    scenario.steps[last].block?.lines.append(line)
  }

  private mutating func endBlock() {
    guard opening == .block, let block = scenario.steps.last?.block, block.lines.isEmpty else { return }
    if problems.contains(where: { $0.code == .emptyBlock && $0.position == block.position }) { return }
    problems.append(
      ScenarioProblem(
        .emptyBlock, "no expected text under `----`; `bolide scenario update` fills it",
        at: block.position))
  }

  // MARK: Payloads

  private mutating func openPayload(_ name: String, number: Int) {
    part = .payloads
    opening = .nothing
    isPayloadTooLarge = false
    if let reason = PayloadHeader.problem(with: name) {
      report(.payloadName, reason, number, 4)
    } else if scenario.payload(named: name) != nil {
      report(.duplicatePayload, "there is a payload `\(name)` already", number, 4)
    }
    scenario.payloads.append(
      Payload(
        position: SourcePosition(line: number, column: 1),
        name: Name(text: name, position: SourcePosition(line: number, column: 4)), bytes: []))
  }

  private mutating func readPayloadLine(_ bytes: [UInt8], _ range: Range<Int>, number: Int) {
    if PayloadHeader.mayBe(bytes[range]),
      let name = PayloadHeader.name(in: String(decoding: bytes[range], as: UTF8.self))
    {
      openPayload(name, number: number)
      return
    }
    guard let last = scenario.payloads.indices.last, !isPayloadTooLarge else { return }
    // The line feed belongs to the payload, unless the file ends without one.
    let end = min(range.upperBound + 1, bytes.count)
    guard scenario.payloads[last].bytes.count + (end - range.lowerBound) <= limits.payloadBytes else {
      isPayloadTooLarge = true
      let name = scenario.payloads[last].name.text
      report(
        .payloadSize,
        "payload `\(name)` is larger than \(limits.payloadBytes) bytes; put it under Fixtures", number, 1)
      return
    }
    scenario.payloads[last].bytes.append(contentsOf: bytes[range.lowerBound..<end])
  }

  private mutating func report(
    _ code: ScenarioProblem.Code, _ message: String, _ line: Int, _ column: Int
  ) {
    problems.append(ScenarioProblem(code, message, at: SourcePosition(line: line, column: column)))
  }
}

extension Directive.Word {
  /// The directive that the line opens with: its word, then a blank or the end.
  static func opening(_ line: String) -> Self? {
    allCases.first { line == $0.rawValue || line.hasPrefix($0.rawValue + " ") }
  }
}

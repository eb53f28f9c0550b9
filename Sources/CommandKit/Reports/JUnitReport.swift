/// A run in the XML that build servers read: a suite a group, a test case an entry.
///
/// The format has no standard; what is written is what the Ant task `junitreport` established: `testsuites`, `testsuite`,
/// `testcase` with `failure` or `skipped`, and times in seconds.
package enum JUnitReport {
  /// The document, ending with a line end.
  package static func text(of record: RunRecord) -> String {
    var lines = [#"<?xml version="1.0" encoding="UTF-8"?>"#]
    lines.append("<testsuites \(attributes(record.title, record.entries))>")
    for group in record.groups {
      lines.append("  <testsuite \(attributes(group.name, group.entries))>")
      for entry in group.entries { append(entry, to: &lines) }
      lines.append("  </testsuite>")
    }
    lines.append("</testsuites>")
    return lines.joined(separator: "\n") + "\n"
  }

  private static func attributes(_ name: String, _ entries: [RunRecord.Entry]) -> String {
    let counts =
      #"tests="\#(entries.count)" failures="\#(entries.failed)" errors="0" skipped="\#(entries.skipped)""#
    return #"name="\#(MarkupText(name))" \#(counts) time="\#(seconds(entries.seconds))""#
  }

  private static func append(_ entry: RunRecord.Entry, to lines: inout [String]) {
    let head =
      #"    <testcase classname="\#(MarkupText(entry.group))" name="\#(MarkupText(entry.name))""#
      + #" time="\#(seconds(entry.seconds))""#
    var content: [String] = []
    switch entry.outcome {
    case .passed: break
    case .skipped(let reason): content.append(#"      <skipped message="\#(MarkupText(reason))"/>"#)
    case .failed(let message, let shown):
      let text = shown.map { MarkupText($0.prefix + $0.text).description }.joined(separator: "\n")
      content.append(#"      <failure message="\#(MarkupText(message))">\#(text)</failure>"#)
    }
    if !entry.omissions.isEmpty {
      let text = entry.omissions.map { MarkupText($0).description }.joined(separator: "\n")
      content.append("      <system-out>\(text)</system-out>")
    }
    guard !content.isEmpty else { return lines.append(head + "/>") }
    lines += [head + ">"] + content + ["    </testcase>"]
  }

  /// Three digits after the point, whatever the locale.
  static func seconds(_ value: Double) -> String {
    let milliseconds = Int((value * 1000).rounded())
    let fraction = String(milliseconds % 1000)
    return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
  }
}

extension RunRecord.Line {
  /// What stands before the line where there is no color.
  var prefix: String {
    switch kind {
    case .plain: "  "
    case .expected: "- "
    case .actual: "+ "
    }
  }
}

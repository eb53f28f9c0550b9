/// A run as one page that needs no other file, no script and no network.
package enum HTMLReport {
  /// The document, ending with a line end.
  package static func text(of record: RunRecord) -> String {
    let entries = record.entries
    let state = entries.failed > 0 || entries.passed == 0 ? "failed" : "passed"
    var lines = [
      "<!DOCTYPE html>", #"<html lang="en">"#, "<head>", #"<meta charset="utf-8">"#,
      #"<meta name="viewport" content="width=device-width, initial-scale=1">"#,
      "<title>\(MarkupText(record.title)): \(summary(entries))</title>", "<style>\(style)</style>", "</head>",
      "<body>", "<header>", "<h1>\(MarkupText(record.title))</h1>",
      #"<p class="\#(state)"><strong>\#(summary(entries))</strong> in \#(JUnitReport.seconds(entries.seconds)) s</p>"#,
      bar(entries), "</header>",
    ]
    let broken = entries.filter { if case .failed = $0.outcome { true } else { false } }
    if !broken.isEmpty {
      lines.append("<section>\n<h2>What failed</h2>")
      for entry in broken { append(entry, to: &lines) }
      lines.append("</section>")
    }
    for group in record.groups { append(group.name, group.entries, to: &lines) }
    lines += ["</body>", "</html>"]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func summary(_ entries: [RunRecord.Entry]) -> String {
    "\(entries.passed) passed, \(entries.failed) failed, \(entries.skipped) skipped"
  }

  /// The shares as a bar; who cannot see it has the counts above.
  private static func bar(_ entries: [RunRecord.Entry]) -> String {
    let parts = [("passed", entries.passed), ("failed", entries.failed), ("skipped", entries.skipped)]
    let spans = parts.filter { $0.1 > 0 }.map { #"<span class="\#($0.0)" style="flex:\#($0.1)"></span>"# }
    return #"<div class="bar" aria-hidden="true">\#(spans.joined())</div>"#
  }

  private static func append(_ failure: RunRecord.Entry, to lines: inout [String]) {
    guard case .failed(let message, let shown) = failure.outcome else { return }
    lines.append("<article>\n<h3>\(MarkupText(failure.name))</h3>")
    if !failure.detail.isEmpty { lines.append("<p>\(MarkupText(failure.detail))</p>") }
    lines.append(#"<p class="failed">\#(MarkupText(message))</p>"#)
    if !shown.isEmpty {
      let text = shown.map { line in
        #"<span class="\#(line.kind.rawValue)">\#(MarkupText(line.prefix + line.text))</span>"#
      }
      lines.append("<pre>\(text.joined(separator: "\n"))</pre>")
    }
    lines.append("</article>")
  }

  private static func append(_ group: String, _ entries: [RunRecord.Entry], to lines: inout [String]) {
    let isOpen = entries.passed < entries.count
    lines.append("<details\(isOpen ? " open" : "")>")
    lines.append("<summary><h2>\(MarkupText(group))</h2> <span>\(summary(entries))</span></summary>")
    lines.append("<table>\n<tbody>")
    for entry in entries {
      let (word, reason): (String, String) =
        switch entry.outcome {
        case .passed: ("passed", "")
        case .skipped(let reason): ("skipped", reason)
        case .failed(let message, _): ("failed", message)
        }
      let notes = ([entry.detail, reason].filter { !$0.isEmpty } + entry.omissions).map {
        "\(MarkupText($0))"
      }
      lines.append(
        #"<tr><td class="\#(word)">\#(word)</td><td>\#(MarkupText(entry.name))"#
          + #"<small>\#(notes.joined(separator: "<br>"))</small></td>"#
          + #"<td class="time">\#(JUnitReport.seconds(entry.seconds)) s</td></tr>"#)
    }
    lines.append("</tbody>\n</table>\n</details>")
  }

  private static let style = """

    :root { color-scheme: light dark; --text: #1d2329; --quiet: #5b6670; --page: #fbfbfa; --line: #dfe2e4;
      --passed: #1a7f45; --failed: #b3261e; --skipped: #8a6100; }
    @media (prefers-color-scheme: dark) { :root { --text: #e4e7ea; --quiet: #9aa5af; --page: #15181b; --line: #30363b;
      --passed: #58c285; --failed: #ff8a80; --skipped: #e0b040; } }
    body { font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page); max-width: 60rem;
      margin: 2rem auto; padding: 0 1rem; }
    h1 { font-size: 1.6rem; margin: 0; } h2 { font-size: 1.1rem; display: inline; } h3 { font-size: 1rem; margin: 0; }
    .passed { color: var(--passed); } .failed { color: var(--failed); } .skipped { color: var(--skipped); }
    .bar { display: flex; gap: 2px; height: .5rem; margin: 0 0 2rem; }
    .bar span { background: currentColor; min-width: 3px; border-radius: 2px; }
    article { border-left: 3px solid var(--failed); padding-left: 1rem; margin: 1rem 0 2rem; }
    article p { margin: .25rem 0; }
    pre { overflow-x: auto; font: 13px/1.5 ui-monospace, monospace; border: 1px solid var(--line); padding: .75rem; }
    .expected { color: var(--failed); } .actual { color: var(--passed); }
    details { border-top: 1px solid var(--line); padding: .75rem 0; }
    summary { cursor: pointer; } summary span { color: var(--quiet); margin-left: .5rem; }
    table { border-collapse: collapse; width: 100%; margin-top: .5rem; }
    td { padding: .25rem .75rem .25rem 0; vertical-align: top; overflow-wrap: anywhere; }
    td:first-child { width: 4.5rem; } .time { text-align: right; color: var(--quiet); white-space: nowrap; }
    small { display: block; color: var(--quiet); }

    """
}

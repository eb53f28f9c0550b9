import Foundation

/// Growth as one picture: a panel a job, cost against size, both in powers of ten.
///
/// The picture needs nothing else and follows the light or dark scheme of who looks at it.
struct GrowthPlot {
  /// A line of a panel.
  struct Line {
    var store: StoreKind
    var isOurs: Bool
    /// Rows, and seconds for one of what is counted.
    var points: [(rows: Int, seconds: Double)]
  }

  /// A panel.
  struct Panel {
    var job: Job
    var lines: [Line]
  }

  let panels: [Panel]

  init(_ growth: [Growth]) {
    var panels: [Panel] = []
    for one in growth {
      var lines = [
        Line(
          store: one.store, isOurs: true,
          points: one.results.map { (rows: $0.rows, seconds: $0.busySecondsEach) }
        )
      ]
      let theirs = one.results.compactMap { result in
        result.otherBusySecondsEach.map { (rows: result.rows, seconds: $0) }
      }
      if !theirs.isEmpty { lines.append(Line(store: one.store, isOurs: false, points: theirs)) }
      if let place = panels.firstIndex(where: { $0.job == one.job }) {
        panels[place].lines += lines
      } else {
        panels.append(Panel(job: one.job, lines: lines))
      }
    }
    self.panels = panels
  }

  // MARK: The picture

  private static let columns = 2
  private static let panelWidth = 460.0
  private static let panelHeight = 340.0
  private static let legendHeight = 64.0
  /// The room around the lines of a panel.
  private static let left = 74.0
  private static let right = 18.0
  private static let top = 52.0
  private static let bottom = 54.0

  /// The picture as a text.
  var svg: String {
    let columns = min(Self.columns, max(1, panels.count))
    let rows = (panels.count + columns - 1) / columns
    let width = Double(columns) * Self.panelWidth
    let height = Self.legendHeight + Double(rows) * Self.panelHeight
    var text = """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Self.number(width)) \(Self.number(height))" \
      width="\(Self.number(width))" height="\(Self.number(height))" role="img" aria-label="Cost against size">
      \(Self.style)
      <rect class="paper" width="100%" height="100%"/>

      """
    text += legend
    for (index, panel) in panels.enumerated() {
      let x = Double(index % columns) * Self.panelWidth
      let y = Self.legendHeight + Double(index / columns) * Self.panelHeight
      text += "<g transform=\"translate(\(Self.number(x)) \(Self.number(y)))\">\n"
      text += Self.draw(panel)
      text += "</g>\n"
    }
    return text + "</svg>\n"
  }

  private static let style = """
    <style>
      .paper { fill: #ffffff }
      text { font: 12px system-ui, sans-serif; fill: #333333 }
      .title { font-weight: 600; font-size: 13px }
      .grid { stroke: #dddddd; stroke-width: 1 }
      .frame { stroke: #888888; stroke-width: 1; fill: none }
      .line { fill: none; stroke-width: 2 }
      .other { stroke-dasharray: 6 4; stroke-width: 1.5 }
      .memory { stroke: #1a6fd4; fill: #1a6fd4 }
      .sqlite { stroke: #c2570c; fill: #c2570c }
      .lmdb { stroke: #2b8a3e; fill: #2b8a3e }
      path.line { fill: none }
      @media (prefers-color-scheme: dark) {
        .paper { fill: #16181c }
        text { fill: #d8dade }
        .grid { stroke: #33373d }
        .frame { stroke: #7d838c }
        .memory { stroke: #6cb2ff; fill: #6cb2ff }
        .sqlite { stroke: #ffa15c; fill: #ffa15c }
        .lmdb { stroke: #74d68b; fill: #74d68b }
        path.line { fill: none }
      }
    </style>
    """

  private var legend: String {
    let lines = panels.flatMap(\.lines)
    var text = ""
    var x = Self.left
    for store in StoreKind.allCases where lines.contains(where: { $0.store == store }) {
      text += "<path class=\"line \(store.rawValue)\" d=\"M\(Self.number(x)) 22h30\"/>"
      text += Self.label(store.rawValue, x + 36, 26)
      x += 60 + 7.5 * Double(store.rawValue.count)
    }
    let names = [(true, "Bolide"), (false, "the other side: C, or what the job names")]
    x = Self.left
    for (isOurs, name) in names where lines.contains(where: { $0.isOurs == isOurs }) {
      text += "<path class=\"line frame\(isOurs ? "" : " other")\" d=\"M\(Self.number(x)) 46h30\"/>"
      text += Self.label(name, x + 36, 50)
      x += 60 + 7.5 * Double(name.count)
    }
    return text + "\n"
  }

  private static func draw(_ panel: Panel) -> String {
    let points = panel.lines.flatMap(\.points).filter { $0.rows > 0 && $0.seconds > 0 }
    var text = label(panel.job.rawValue, left, 22, class: "title")
    text += label(panel.job.summary, left, 40)
    guard let scale = Scale(points) else { return text + label("no figures", left, 72) }
    let inner = (width: panelWidth - left - right, height: panelHeight - top - bottom)
    func x(_ rows: Double) -> Double { left + scale.horizontal(rows) * inner.width }
    func y(_ seconds: Double) -> Double { top + (1 - scale.vertical(seconds)) * inner.height }
    for rows in scale.rowTicks {
      text += "<path class=\"grid\" d=\"M\(number(x(rows))) \(number(top))v\(number(inner.height))\"/>"
      text += label(count(rows), x(rows), panelHeight - bottom + 18, anchor: "middle")
    }
    for seconds in scale.secondTicks {
      text += "<path class=\"grid\" d=\"M\(number(left)) \(number(y(seconds)))h\(number(inner.width))\"/>"
      text += label(Figure.duration(seconds), left - 8, y(seconds) + 4, anchor: "end")
    }
    text += "<rect class=\"frame\" x=\"\(number(left))\" y=\"\(number(top))\" "
    text += "width=\"\(number(inner.width))\" height=\"\(number(inner.height))\"/>\n"
    for line in panel.lines {
      let path = line.points.filter { $0.rows > 0 && $0.seconds > 0 }.map {
        "\(number(x(Double($0.rows)))) \(number(y($0.seconds)))"
      }
      let kind = "\(line.store.rawValue)\(line.isOurs ? "" : " other")"
      text += "<path class=\"line \(kind)\" d=\"M\(path.joined(separator: "L"))\"/>\n"
      if line.isOurs {
        for point in line.points {
          text += "<circle class=\"\(line.store.rawValue)\" "
          text += "cx=\"\(number(x(Double(point.rows))))\" cy=\"\(number(y(point.seconds)))\" r=\"3\"/>"
        }
        text += "\n"
      }
    }
    text += label("rows", left + inner.width / 2, panelHeight - 12, anchor: "middle")
    let middle = number(top + inner.height / 2)
    text +=
      "<text text-anchor=\"middle\" transform=\"translate(14 \(middle)) rotate(-90)\">processor time for one</text>\n"
    return text
  }

  private static func label(
    _ text: String, _ x: Double, _ y: Double, anchor: String = "start", class name: String? = nil
  ) -> String {
    let escaped = text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    let kind = name.map { " class=\"\($0)\"" } ?? ""
    return "<text\(kind) x=\"\(number(x))\" y=\"\(number(y))\" text-anchor=\"\(anchor)\">\(escaped)</text>"
  }

  private static func count(_ rows: Double) -> String {
    switch rows {
    case 1e6...: "\(Figure.short(rows / 1e6)) M"
    case 1e3...: "\(Figure.short(rows / 1e3)) k"
    default: Figure.short(rows)
    }
  }

  private static func number(_ value: Double) -> String { Figure.short((value * 10).rounded() / 10) }
}

/// The axes of a panel: which powers of ten they span.
private struct Scale {
  private let rows: ClosedRange<Double>
  private let seconds: ClosedRange<Double>

  init?(_ points: [(rows: Int, seconds: Double)]) {
    let sizes = points.map { log10(Double($0.rows)) }
    let costs = points.map { log10($0.seconds) }
    guard let fewest = sizes.min(), let most = sizes.max(), let least = costs.min(),
      let greatest = costs.max()
    else { return nil }
    rows = fewest...max(most, fewest + 0.1)
    seconds = least.rounded(.down)...max(greatest.rounded(.up), least.rounded(.down) + 1)
  }

  func horizontal(_ value: Double) -> Double { Self.place(log10(value), rows) }
  func vertical(_ value: Double) -> Double { Self.place(log10(value), seconds) }

  private static func place(_ value: Double, _ range: ClosedRange<Double>) -> Double {
    (value - range.lowerBound) / (range.upperBound - range.lowerBound)
  }

  var rowTicks: [Double] { Self.powers(rows) }
  var secondTicks: [Double] { Self.powers(seconds) }

  private static func powers(_ range: ClosedRange<Double>) -> [Double] {
    let first = Int((range.lowerBound - 1e-9).rounded(.up))
    let last = Int((range.upperBound + 1e-9).rounded(.down))
    return first <= last ? (first...last).map { pow(10, Double($0)) } : []
  }
}

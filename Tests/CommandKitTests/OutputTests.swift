import CommandKit
import Foundation
import Synchronization
import Testing

@Suite struct OutputTests {
  @Test(arguments: [
    (true, [:], true), (false, [:], false), (true, ["NO_COLOR": "1"], false), (true, ["NO_COLOR": ""], true),
    (true, ["TERM": "dumb"], false), (false, ["TERM": "xterm"], false),
  ])
  func `color needs a terminal and no objection`(isTerminal: Bool, environment: [String: String], color: Bool)
  {
    let traits = TerminalTraits(isTerminal: isTerminal, columns: nil, environment: environment)
    #expect(traits.usesColor == color)
    #expect(Style.red.apply("x", on: traits) == (color ? "\u{1b}[31mx\u{1b}[0m" : "x"))
  }

  @Test func `width comes from the terminal, then COLUMNS, then 80`() {
    #expect(TerminalTraits(isTerminal: true, columns: 120, environment: ["COLUMNS": "60"]).width == 120)
    #expect(TerminalTraits(isTerminal: false, columns: nil, environment: ["COLUMNS": "60"]).width == 60)
    #expect(TerminalTraits(isTerminal: false, columns: nil, environment: ["COLUMNS": "-4"]).width == 80)
    #expect(TerminalTraits(isTerminal: false, columns: nil, environment: [:]).width == 80)
  }

  @Test func `a descriptor that is no terminal shows no color`() throws {
    let pipe = Pipe()
    let traits = TerminalTraits(descriptor: pipe.fileHandleForWriting.fileDescriptor, environment: [:])
    #expect(traits == TerminalTraits(isTerminal: false, usesColor: false, width: 80))
  }

  @Test func `a channel writes all it was given, once`() throws {
    let pipe = Pipe()
    let channel = OutputChannel(
      "pipe", descriptor: pipe.fileHandleForWriting.fileDescriptor, isBuffered: true, environment: [:])
    channel.write("eins\n")
    channel.write("zwei ☄\n")
    try channel.finish()
    try channel.finish()
    try pipe.fileHandleForWriting.close()
    #expect(try pipe.fileHandleForReading.readToEnd() == Data("eins\nzwei ☄\n".utf8))
  }

  @Test func `a reader that went away closes the channel without an error`() throws {
    signal(SIGPIPE, SIG_IGN)
    let pipe = Pipe()
    let channel = OutputChannel(
      "pipe", descriptor: pipe.fileHandleForWriting.fileDescriptor, isBuffered: false, environment: [:])
    try pipe.fileHandleForReading.close()
    #expect(!channel.isClosed)
    channel.write("nobody reads this\n")
    #expect(channel.isClosed)
    channel.write("nor this\n")
    try channel.finish()
  }

  @Test func `a full device is an error that says so`() throws {
    guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
    let full = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
    let channel = OutputChannel(
      "standard output", descriptor: full.fileDescriptor, isBuffered: true, environment: [:])
    channel.write("x")
    let failure = #expect(throws: Failure.self) { try channel.finish() }
    #expect(failure?.exitCode == .storeFailed)
    #expect(failure?.diagnostics.first?.code == "output.write-failed")
  }

  @Test func `a diagnostic names place, code, details and remedy`() {
    let diagnostic = Diagnostic(
      .error, code: "scenario.unknown-verb", "\"fech\" is no verb",
      at: .init(path: "a/b.scenario", line: 7, column: 3), details: ["view> fech"], remedy: "write fetch")
    #expect(
      diagnostic.text(on: .plain) == """
        a/b.scenario:7:3: error scenario.unknown-verb: "fech" is no verb
          view> fech
          to fix: write fetch

        """)
    #expect(diagnostic.text(on: .screen).hasPrefix("\u{1b}[1ma/b.scenario:7:3: \u{1b}[0m\u{1b}[31merror"))
    #expect(
      diagnostic.json.text == """
        {"code":"scenario.unknown-verb","column":3,"details":["view> fech"],"line":7,\
        "message":"\\"fech\\" is no verb","path":"a/b.scenario","remedy":"write fetch","severity":"error"}
        """)
    #expect(Diagnostic(.warning, "plain").text(on: .plain) == "warning: plain\n")
    #expect(Diagnostic.Position(path: "p", column: 3).description == "p")
  }

  @Test func `text from a file cannot control the terminal`() {
    #expect(PrintableText("a\u{1b}[31mb\u{0}\r").description == "a\\u{1b}[31mb\\u{0}\\u{d}")
    #expect(PrintableText("é☄\n\t").description == "é☄\n\t")
  }

  @Test func `results and messages do not mix`() async {
    let console = Console.captured()
    console.print("result")
    console.report(Diagnostic(.note, "message"))
    #expect(console.output.captured == "result\n")
    #expect(console.errors.captured == "note: message\n")
  }
}

@Suite struct ProgressTests {
  @Test func `progress is for terminals only`() {
    let channel = OutputChannel(capturing: .plain)
    let line = ProgressLine(on: channel)
    line.show("half way")
    line.clear()
    #expect(channel.captured == "")
  }

  @Test func `progress replaces itself, is limited in rate, and is cleared once`() {
    let time = Mutex(ContinuousClock().now)
    let channel = OutputChannel(capturing: TerminalTraits(isTerminal: true, usesColor: false, width: 10))
    let line = ProgressLine(on: channel, now: { time.withLock { $0 } })
    line.show("one")
    line.show("too soon")
    time.withLock { $0 += .milliseconds(100) }
    line.show("longer than the line\nis")
    line.clear()
    line.clear()
    #expect(channel.captured == "\r\u{1b}[Kone\r\u{1b}[Klonger th\r\u{1b}[K")
    line.show("again at once")
    #expect(channel.captured.hasSuffix("again at "))
  }

  @Test func `other text takes the place of the progress line`() {
    let console = Console.captured(.screen)
    console.progress.show("busy")
    console.print("result")
    #expect(console.errors.captured == "\r\u{1b}[Kbusy\r\u{1b}[K")
  }
}

@Suite struct JSONTests {
  static let texts: [(JSONValue, String)] = [
    (nil, "null"), (true, "true"), (-7, "-7"), (.unsigned(.max), "18446744073709551615"),
    (0.1, "0.1"), (100.0, "100.0"), (1e300, "1e+300"), (.double(.leastNonzeroMagnitude), "5e-324"),
    (.double(.infinity), "\"inf\""),
    ("a\"b\\c\n\r\t\u{8}\u{c}\u{1}é☄", "\"a\\\"b\\\\c\\n\\r\\t\\b\\f\\u0001é☄\""),
    ([1, nil, "x"], "[1,null,\"x\"]"), ([:], "{}"), ([], "[]"),
    (["b": 1, "a": ["z": 2, "Z": 3]], "{\"a\":{\"Z\":3,\"z\":2},\"b\":1}"),
  ]

  @Test(arguments: texts)
  func `a value has one text`(value: JSONValue, text: String) {
    #expect(value.text == text)
  }

  @Test func `what is written reads back equal`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var bits = seed
    for _ in 0..<500 {
      bits = bits &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let double = Double(bitPattern: bits)
      guard double.isFinite else { continue }
      #expect(Double(JSONValue.double(double).text) == double, "seed \(seed)")
    }
    let string = String(String.UnicodeScalarView((0...0x2ff).compactMap(Unicode.Scalar.init)))
    let decoded = try JSONDecoder().decode(
      [String].self, from: Data(JSONValue.array([.string(string)]).text.utf8))
    #expect(decoded == [string])
  }
}

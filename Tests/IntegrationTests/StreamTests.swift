import Foundation
import Testing

@Suite(.serialized) struct StreamTests {
  /// As many fireballs as do not fit into a pipe when they are printed.
  private static let manyFireballs: String = {
    let rows = (0..<5_000).map { index in
      "[\"20\(30 + index / 2_500)-01-\(10 + index / 250 % 10) "
        + "\(10 + index / 25 % 10):\(10 + index % 25):00\",\"\(index).5\",\"0.1\"]"
    }
    return
      "{\"count\":5000,\"fields\":[\"date\",\"energy\",\"impact-e\"],\"data\":[\(rows.joined(separator: ","))]}"
  }()

  @Test(arguments: ["fetch Fireball", "history", "dump"])
  func `a reader that goes away ends the command without a word`(command: String) async throws {
    try await BolideProgram.inFolder { bolide in
      try bolide.write(Self.manyFireballs, to: "many.json")
      let environment = ["BOLIDE_STORE": "sqlite:a"]
      let filled = try await bolide("import", "jpl", "many.json", environment: environment)
      #expect(filled.output.contains("inserted 5000"), "\(filled.output)\(filled.errors)")
      let pipe = Pipe()
      try pipe.fileHandleForReading.close()
      let run = try await bolide(
        all: command.split(separator: " ").map(String.init), environment: environment,
        output: pipe.fileHandleForWriting)
      #expect(!run.wasKilled)
      #expect(run.status == 0)
      #expect(run.errors == "")
    }
  }

  @Test func `a full device is told and ends with 3`() async throws {
    guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
    try await BolideProgram.inFolder { bolide in
      let full = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
      let run = try await bolide(all: ["--help"], output: full)
      #expect(run.status == 3)
      #expect(run.errors.contains("error output.write-failed: standard output cannot be written"))
    }
  }

  @Test func `Ctrl-C ends with 130, says so, and leaves no temporary files`() async throws {
    try await BolideProgram.inFolder { bolide in
      let run = try await bolide(
        all: ["conform", "--store", "sqlite"],
        whileRunning: { process in
          // The first temporary folder shows that the work has begun.
          while process.isRunning, bolide.leftovers.isEmpty { await Task.yield() }
          process.interrupt()
        })
      #expect(!run.wasKilled)
      #expect(run.status == 130)
      #expect(run.errors.hasSuffix("interrupted\n"))
      #expect(bolide.leftovers == [])
    }
  }

  @Test func `Ctrl-C ends a command that waits for its reader`() async throws {
    try await BolideProgram.inFolder { bolide in
      try bolide.write(Self.manyFireballs, to: "many.json")
      _ = try await bolide("import", "jpl", "many.json", "--store", "sqlite:a")
      let pipe = Pipe()
      let run = try await bolide(
        all: ["dump", "--store", "sqlite:a"], output: pipe.fileHandleForWriting,
        whileRunning: { process in
          // A full pipe shows that the command waits.
          var waiting: Int32 = 0
          while process.isRunning, waiting < 60_000 {
            _ = ioctl(pipe.fileHandleForReading.fileDescriptor, UInt(FIONREAD), &waiting)
            await Task.yield()
          }
          process.interrupt()
        })
      #expect(!run.wasKilled)
      #expect(run.status == 130)
      #expect(run.errors == "interrupted\n")
    }
  }

  @Test func `nothing that is not for a terminal's eyes is colored or shows progress`() async throws {
    try await BolideProgram.inFolder { bolide in
      try bolide.write(Document.scenario, to: "a.scenario")
      let run = try await bolide("replay", "a.scenario")
      #expect(run.status == 0)
      #expect(!(run.output + run.errors).contains("\u{1b}"))
      #expect(run.errors == "")
    }
  }
}

import BolideScenario
import BolideStorage
import Foundation
import Testing

@Suite struct FileTests {
  private func write(_ text: String, _ folder: URL, _ name: String) throws {
    let file = folder.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  @Test func `a payload comes before the folders, and these in order`() throws {
    try withFolder { folder in
      try write("beside", folder, "one/a.json")
      try write("fixture", folder, "two/a.json")
      try write("fixture", folder, "two/sub/b.json")
      let payloads = ScenarioParser.parse("-- c.json --\nmine\n-- sub/b.json --\nmine\n").scenario.payloads
      let roots = FileRoots(
        payloads: payloads, folders: [folder.appending(path: "one"), folder.appending(path: "two")])
      #expect(try roots.bytes(of: "a.json") == Array("beside".utf8))
      #expect(try roots.bytes(of: "c.json") == Array("mine\n".utf8))
      #expect(try roots.bytes(of: "sub/b.json") == Array("mine\n".utf8))
      #expect(throws: BolideError.self) { try roots.bytes(of: "d.json") }
    }
  }

  @Test(arguments: ["../secret", "/etc/passwd", "sub/../../secret", "~/x", "a//b", "./a", "", "link"])
  func `a name never leaves its folder`(_ name: String) throws {
    try withFolder { folder in
      try write("secret", folder, "secret")
      try write("x", folder, "in/sub/x")
      try FileManager.default.createSymbolicLink(
        at: folder.appending(path: "in/link"), withDestinationURL: folder.appending(path: "secret"))
      let roots = FileRoots(payloads: [], folders: [folder.appending(path: "in")])
      let error = #expect(throws: BolideError.self) { try roots.bytes(of: name) }
      #expect(error?.code == .fileOutside)
    }
  }

  @Test func `folders give their files in order, each file once`() throws {
    try withFolder { folder in
      for name in ["b.scenario", "a/z.scenario", "a/y.scenario", "note.txt"] { try write("", folder, name) }
      let root = folder.path
      let targets = try ScenarioFiles.find([root, root + "/b.scenario", root + "/b.scenario:12"])
      #expect(
        targets == [
          .init(path: root + "/a/y.scenario"), .init(path: root + "/a/z.scenario"),
          .init(path: root + "/b.scenario"), .init(path: root + "/b.scenario", line: 12),
        ])
      let error = #expect(throws: BolideError.self) { try ScenarioFiles.find([root + "/none"]) }
      #expect(error?.code == .fileMissing)
      #expect(throws: BolideError.self) { try ScenarioFiles.find([root + "/b.scenario:0"]) }
    }
  }

  @Test func `a folder is no file to read`() throws {
    try withFolder { folder in
      #expect(throws: BolideError.self) { try ScenarioFiles.read(folder.path) }
      #expect(throws: BolideError.self) { try ScenarioFiles.read(folder.path + "/none") }
    }
  }
}

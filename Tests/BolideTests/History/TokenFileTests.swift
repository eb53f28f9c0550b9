import Bolide
import BolideStorage
import Foundation
import Testing

/// Rule H-6: a token file is replaced atomically, checked on reading, and set aside where it is damaged.
@Suite struct TokenFileTests {
  static let token = PersistentHistoryToken("c2f0c1f4-6bd8-4a9e-8c55-0d4a9c6f8f11:42:00000000deadbeef")

  /// A folder for one test.
  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  @Test func `what is saved is loaded`() throws {
    try withFolder { folder in
      let token = try #require(Self.token)
      let file = TokenFile(folder: folder, storeID: token.storeID)
      #expect(try file.load() == .missing)
      try file.save(token)
      #expect(try file.load() == .token(token))
      #expect(file.url.lastPathComponent.contains(token.storeID.uuidString.lowercased()))
      let mode = try FileManager.default.attributesOfItem(atPath: file.url.path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
  }

  @Test(arguments: ["half", "random", "other type", "empty", "one bit"])
  func `a damaged file is set aside once`(damage: String) throws {
    try withFolder { folder in
      let token = try #require(Self.token)
      let file = TokenFile(folder.appendingPathComponent("token.data"))
      try file.save(token)
      var data = try Data(contentsOf: file.url)
      switch damage {
      case "half": data = data.prefix(data.count / 2)
      case "random": data = Data((0..<64).map { UInt8(truncatingIfNeeded: $0 * 37) })
      case "other type": data = Data("{\"token\": 42}".utf8)
      case "empty": data = Data()
      default: data[data.count / 2] ^= 1
      }
      try data.write(to: file.url)
      guard case .damaged(let aside) = try file.load() else {
        Issue.record("the damage \(damage) was believed")
        return
      }
      #expect(try Data(contentsOf: aside) == data)
      #expect(try file.load() == .missing)
      try file.save(token)
      #expect(try file.load() == .token(token))
    }
  }

  @Test func `a flipped bit in any byte and every cut is recognised`() throws {
    try withFolder { folder in
      let token = try #require(Self.token)
      let file = TokenFile(folder.appendingPathComponent("token.data"))
      try file.save(token)
      let whole = try Data(contentsOf: file.url)
      var damaged: [Data] = (0..<whole.count).map { whole.prefix($0) }
      for index in whole.indices {
        var copy = whole
        copy[index] ^= 1 << UInt8(index % 8)
        damaged.append(copy)
      }
      for data in damaged {
        try data.write(to: file.url)
        guard case .damaged(let aside) = try file.load() else {
          Issue.record("believed: \(String(decoding: data, as: UTF8.self))")
          return
        }
        try FileManager.default.removeItem(at: aside)
      }
    }
  }

  @Test func `a token reads back from its text and from nothing else`() throws {
    let token = try #require(Self.token)
    #expect(PersistentHistoryToken(token.description) == token)
    for text in ["", "x", "1:2:3", "\(token.storeID):-1:0", "\(token.storeID):1", "\(token.storeID):1:xyz:"] {
      #expect(PersistentHistoryToken(text) == nil)
    }
  }
}

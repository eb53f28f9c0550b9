import CommandKit
import Foundation
import Synchronization
import Testing

@Suite struct InterruptionTests {
  @Test func `a signal runs what was registered, newest first, and ends with the status`() async {
    let log = Mutex<[String]>([])
    let status = await withCheckedContinuation { continuation in
      let interruption = Interruption(end: { continuation.resume(returning: $0) })
      _ = interruption.atEnd { log.withLock { $0.append("first") } }
      let forgotten = interruption.atEnd { log.withLock { $0.append("forgotten") } }
      _ = interruption.atEnd { log.withLock { $0.append("last") } }
      interruption.forget(forgotten)
      interruption.listen(for: SIGUSR1, endingWith: ExitCode.interrupted.rawValue)
      kill(getpid(), SIGUSR1)
    }
    #expect(status == 130)
    #expect(log.withLock { $0 } == ["last", "first"])
  }

  @Test func `a temporary folder is there for the work and gone afterwards`() async throws {
    let interruption = Interruption(end: { _ in })
    let seen = try await TemporaryFolder.with(prefix: "bolide-test", interruption) { folder in
      try Data("x".utf8).write(to: folder.url.appending(path: "file"))
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.url.path)
      #expect(attributes[.posixPermissions] as? Int == 0o700)
      return folder.url
    }
    #expect(!FileManager.default.fileExists(atPath: seen.path))
  }

  @Test func `a temporary folder is gone after an error`() async {
    struct Stop: Error {}
    let kept = Mutex<URL?>(nil)
    await #expect(throws: Stop.self) {
      try await TemporaryFolder.with(prefix: "bolide-test", Interruption(end: { _ in })) { folder in
        kept.withLock { $0 = folder.url }
        throw Stop()
      }
    }
    #expect(kept.withLock { $0.map { FileManager.default.fileExists(atPath: $0.path) } } == false)
  }
}

import Bolide
import BolideStorage
import Foundation
import Synchronization
import Testing

/// Gives every test a folder for its stores; afterwards each store is checked, closed and removed.
public struct TemporaryStores: TestTrait, SuiteTrait, TestScoping {
  /// Tests of suites inside a suite get folders, too.
  public var isRecursive: Bool { true }

  @TaskLocal private static var scope: Scope?

  /// The folder and stores of the running test.
  static func current() throws(BolideError) -> Scope {
    guard let scope else {
      throw BolideError(
        .storeUnsupported, "the test has no folder for its stores",
        remedy: "add the trait .temporaryStores to the test or its suite")
    }
    return scope
  }

  /// Runs one test with a folder of its own.
  @concurrent
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let scope = Scope()
    do {
      try await Self.$scope.withValue(scope, operation: function)
    } catch {
      scope.end()
      throw error
    }
    for problem in scope.end() { Issue.record("\(problem)", sourceLocation: test.sourceLocation) }
  }

  /// What one test opened.
  final class Scope: Sendable {
    private let state = Mutex(State())
    private let folder = FileManager.default.temporaryDirectory
      .appending(path: "bolide-test-\(UUID().uuidString.lowercased())")

    private struct State {
      var count = 0
      var seed: UInt64 = 0
      var containers: [PersistentContainer] = []
      var backends: [String: any Backend] = [:]

      mutating func takeContainers() -> [PersistentContainer] {
        let all = containers
        containers = []
        backends = [:]
        return all
      }
    }

    /// A free path in the test's folder.
    func makePath(for name: String) throws -> String {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let count = state.withLock { state in
        state.count += 1
        return state.count
      }
      return folder.appending(path: "\(name)-\(count)").path
    }

    /// A seed for the next opening; the same in each run of a test that opens its stores in turn.
    func nextSeed() -> UInt64 {
      state.withLock { state in
        state.seed += 1
        return state.seed
      }
    }

    /// The test's one backend of a kind: stores in memory are found again under their names.
    func backend(_ name: String, _ make: () -> any Backend) -> any Backend {
      let made = make()
      return state.withLock { state in
        let backend = state.backends[name] ?? made
        state.backends[name] = backend
        return backend
      }
    }

    func keep(_ container: PersistentContainer) -> PersistentContainer {
      state.withLock { $0.containers.append(container) }
      return container
    }

    /// Checks, closes and removes all stores; returns what was wrong.
    @discardableResult
    func end() -> [String] {
      var problems: [String] = []
      for container in state.withLock({ $0.takeContainers() }).reversed() {
        do {
          problems += try container.check().map { "\(container.location.location.path): \($0)" }
          try container.close()
        } catch ErrorCode.storeClosed {
          continue
        } catch {
          problems.append("\(container.location.location.path): \(error)")
        }
      }
      do {
        if FileManager.default.fileExists(atPath: folder.path) {
          try FileManager.default.removeItem(at: folder)
        }
      } catch {
        problems.append("removing \(folder.path): \(error)")
      }
      return problems
    }
  }
}

extension Trait where Self == TemporaryStores {
  /// Gives every test a folder for the stores it opens through ``TestStore``, and checks and removes them.
  public static var temporaryStores: TemporaryStores { TemporaryStores() }
}

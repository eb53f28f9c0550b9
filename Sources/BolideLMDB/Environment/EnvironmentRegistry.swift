import BolideStorage
import Foundation

/// The environments of this process: one a file, shared by all opens of it, closed with the last.
///
/// LMDB allows no second environment on a file in one process: closing either would drop the file locks of both.
final class EnvironmentRegistry: @unchecked Sendable {
  static let shared = EnvironmentRegistry()

  private let lock = NSLock()
  private var entries: [FileIdentity: (environment: Environment, uses: Int)] = [:]

  /// The environment of a file, opened by `open` if this process has none.
  func lease(
    _ identity: FileIdentity, open: () throws(BolideError) -> Environment
  ) throws(BolideError) -> EnvironmentLease {
    lock.lock()
    defer { lock.unlock() }
    if let entry = entries[identity], !entry.environment.isOfParentProcess {
      entries[identity] = (entry.environment, entry.uses + 1)
      return EnvironmentLease(entry.environment, identity)
    }
    let environment = try open()
    entries[identity] = (environment, 1)
    return EnvironmentLease(environment, identity)
  }

  /// The environment of a new store, which `create` makes before anybody else can open it.
  func lease<Extra>(
    creating create: () throws(BolideError) -> (Environment, FileIdentity, Extra)
  ) throws(BolideError) -> (EnvironmentLease, Extra) {
    lock.lock()
    defer { lock.unlock() }
    let (environment, identity, extra) = try create()
    entries[identity] = (environment, 1)
    return (EnvironmentLease(environment, identity), extra)
  }

  fileprivate func giveBack(_ environment: Environment, _ identity: FileIdentity) {
    // In a forked child the environment is the parent's: it is left as it is.
    if environment.isOfParentProcess { return }
    lock.lock()
    defer { lock.unlock() }
    guard let entry = entries[identity], entry.environment === environment else { return }
    if entry.uses > 1 {
      entries[identity] = (environment, entry.uses - 1)
    } else {
      entries[identity] = nil
      environment.close()
    }
  }
}

/// One use of an environment; released with the last reference to it.
final class EnvironmentLease: Sendable {
  let environment: Environment
  private let identity: FileIdentity

  fileprivate init(_ environment: Environment, _ identity: FileIdentity) {
    self.environment = environment
    self.identity = identity
  }

  deinit { EnvironmentRegistry.shared.giveBack(environment, identity) }
}

import BolideStorage
import Foundation
import Synchronization

/// Everything that changes from run to run, so that a test or a scenario can fix it: the clock, the sources
/// of nonces and store ids, and the process's name.
public struct StoreEnvironment: Sendable {
  /// The store's clock (rule H-1).
  public var now: @Sendable () -> Date
  /// A nonce for a transaction (rule H-5).
  public var nonce: @Sendable () -> UInt64
  /// An id for a new store or fork.
  public var uuid: @Sendable () -> UUID
  /// The process's name as history shows it.
  public var processName: String
  /// The process's id as history shows it.
  public var processID: Int64

  /// Assembles an environment.
  public init(
    now: @escaping @Sendable () -> Date, nonce: @escaping @Sendable () -> UInt64,
    uuid: @escaping @Sendable () -> UUID, processName: String, processID: Int64
  ) {
    self.now = now
    self.nonce = nonce
    self.uuid = uuid
    self.processName = processName
    self.processID = processID
  }

  /// The machine's own clock, randomness and process.
  public static var system: StoreEnvironment {
    StoreEnvironment(
      now: { Date() }, nonce: { UInt64.random(in: 1...UInt64.max) }, uuid: { UUID() },
      processName: ProcessInfo.processInfo.processName,
      processID: Int64(ProcessInfo.processInfo.processIdentifier))
  }

  /// A clock that stands still until it is set, and sources that repeat with the seed.
  public static func fixed(
    clock: TestClock, seed: UInt64 = 1, processName: String = "test", processID: Int64 = 1
  ) -> StoreEnvironment {
    let source = SeededSource(seed: seed)
    return StoreEnvironment(
      now: { clock.now }, nonce: { source.next() }, uuid: { source.uuid() }, processName: processName,
      processID: processID)
  }
}

/// A clock that is set by hand.
public final class TestClock: Sendable {
  private let date: Mutex<Date>

  /// A clock that stands at `date`.
  public init(_ date: Date = Date(timeIntervalSinceReferenceDate: 0)) { self.date = Mutex(date) }

  /// The time it shows.
  public var now: Date {
    get { date.withLock { $0 } }
    set { date.withLock { $0 = newValue } }
  }
}

/// A repeatable source of numbers (SplitMix64) and of uuids made of them.
public final class SeededSource: Sendable {
  private let generator: Mutex<SplitMix64>

  /// A source that gives the same numbers for the same seed.
  public init(seed: UInt64) { generator = Mutex(SplitMix64(seed: seed)) }

  /// The next number; never 0.
  public func next() -> UInt64 { generator.withLock { max(1, $0.next()) } }

  /// The next uuid (version 4 in form).
  public func uuid() -> UUID {
    var bytes: [UInt8] = []
    for word in [next(), next()] { withUnsafeBytes(of: word.bigEndian) { bytes.append(contentsOf: $0) } }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }
}

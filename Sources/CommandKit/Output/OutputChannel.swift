import Foundation
import Synchronization

/// One of the program's two streams: text goes in, bytes go to a descriptor or, in tests, to memory.
///
/// A reader that goes away (`| head`) closes the channel: later writes are dropped without a word, and a command
/// with nothing else to do asks `isClosed` and ends. Any other failure is kept for `finish()` to throw, so that no
/// caller has to handle an error at each line.
package final class OutputChannel: Sendable {
  private struct State {
    var buffer: [UInt8] = []
    var captured: [UInt8] = []
    var isClosed = false
    var failure: Int32?
  }

  private static let bufferSize = 1 << 16

  package let terminal: TerminalTraits
  private let name: String
  private let descriptor: Int32?
  private let isBuffered: Bool
  /// Whether writing can never have to wait for a reader.
  private let isFile: Bool
  private let state = Mutex(State())

  /// A channel that writes to a descriptor; on a terminal each call is shown at once.
  package init(_ name: String, descriptor: Int32, isBuffered: Bool, environment: [String: String]) {
    self.name = name
    self.descriptor = descriptor
    terminal = TerminalTraits(descriptor: descriptor, environment: environment)
    self.isBuffered = isBuffered && !terminal.isTerminal
    var status = stat()
    isFile = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// A channel that keeps what is written, for tests.
  package init(capturing terminal: TerminalTraits) {
    name = "captured output"
    descriptor = nil
    self.terminal = terminal
    isBuffered = false
    isFile = false
  }

  /// Whether nobody reads the channel any more.
  package var isClosed: Bool { state.withLock { $0.isClosed } }

  /// What was written to a channel made by `init(capturing:)`.
  package var captured: String { state.withLock { String(decoding: $0.captured, as: UTF8.self) } }

  package func write(_ text: String) {
    state.withLock { state in
      guard !state.isClosed, state.failure == nil else { return }
      state.buffer.append(contentsOf: text.utf8)
      if !isBuffered || state.buffer.count >= Self.bufferSize { drain(&state) }
    }
  }

  package func flush() {
    state.withLock { drain(&$0) }
  }

  /// Writes what is buffered where that waits for nobody: for a process that is told to end amid its work, when a
  /// writer may hold the channel because its reader does not read.
  func salvage() {
    guard isFile else { return }
    _ = state.withLockIfAvailable { drain(&$0) }
  }

  /// Writes past the buffer, whoever holds the channel: for the last words of a process.
  func writeAtOnce(_ text: String) {
    guard let descriptor else { return write(text) }
    let bytes = Array(text.utf8)
    _ = Foundation.write(descriptor, bytes, bytes.count)
  }

  /// Writes what is still buffered.
  ///
  /// - Throws: A `Failure` when something written earlier, or now, did not reach its destination.
  package func finish() throws(Failure) {
    let failure = state.withLock { state in
      drain(&state)
      return state.failure
    }
    guard let failure else { return }
    throw Failure(
      .storeFailed, code: "output.write-failed",
      "\(name) cannot be written: \(String(cString: strerror(failure)))",
      remedy: "make room where the output goes, or send it elsewhere")
  }

  private func drain(_ state: inout State) {
    defer { state.buffer.removeAll(keepingCapacity: true) }
    guard let descriptor else {
      state.captured += state.buffer
      return
    }
    guard !state.isClosed, state.failure == nil else { return }
    var start = 0
    while start < state.buffer.count {
      let written = state.buffer.withUnsafeBytes { bytes in
        Foundation.write(descriptor, bytes.baseAddress.map { $0 + start }, bytes.count - start)
      }
      if written >= 0 {
        start += written
      } else if errno == EPIPE {
        state.isClosed = true
        return
      } else if errno != EINTR {
        state.failure = errno
        return
      }
    }
  }
}

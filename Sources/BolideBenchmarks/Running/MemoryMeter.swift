#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The most memory this process held while something ran, above what it held before.
enum MemoryMeter {
  /// Runs `body` and reports its result with the growth of the peak, in bytes.
  ///
  /// On Linux the peak is set back first, and pages of mapped files that came in are not counted: they are the
  /// system's cache. Elsewhere neither can be done: what was reached before counts as the start.
  static func measure<Result>(_ body: () throws -> Result) rethrows -> (result: Result, peakBytes: Int) {
    resetPeak()
    let before = resident()
    let mappedBefore = mapped()
    let result = try body()
    return (result, max(0, peak() - before - max(0, mapped() - mappedBefore)))
  }

  #if os(Linux)
    private static func resetPeak() {
      guard let file = fopen("/proc/self/clear_refs", "w") else { return }
      fputs("5", file)
      fclose(file)
    }

    private static func resident() -> Int { status("VmRSS:") }
    private static func peak() -> Int { status("VmHWM:") }
    private static func mapped() -> Int { status("RssFile:") }

    /// A value of `/proc/self/status`, which counts in KiB.
    private static func status(_ name: String) -> Int {
      guard let file = fopen("/proc/self/status", "r") else { return 0 }
      defer { fclose(file) }
      var line = [CChar](repeating: 0, count: 256)
      while fgets(&line, Int32(line.count), file) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard text.hasPrefix(name) else { continue }
        let number = text.dropFirst(name.count).drop { !$0.isNumber }.prefix { $0.isNumber }
        return (Int(number) ?? 0) * 1024
      }
      return 0
    }
  #else
    private static func resetPeak() {}
    private static func resident() -> Int { peak() }
    private static func mapped() -> Int { 0 }

    private static func peak() -> Int {
      var usage = rusage()
      getrusage(RUSAGE_SELF, &usage)
      return Int(usage.ru_maxrss)
    }
  #endif
}

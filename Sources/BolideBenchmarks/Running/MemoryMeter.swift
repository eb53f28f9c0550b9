import CComparators

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// What a part of a run used.
struct ResourceUse: Equatable {
  /// The most memory above what was held before.
  var peakBytes: Int
  /// What is still held afterwards, above what was held before.
  var keptBytes: Int
  /// What was written by calls.
  var writtenBytes: Int
}

/// The memory this process held and the bytes it wrote while something ran, above what it held before.
enum MemoryMeter {
  /// Runs `body` and reports its result with what it used.
  ///
  /// On Linux the peak is set back first, and pages of mapped files that came in are not counted: they are the
  /// system's cache. Elsewhere neither can be done: what was reached before counts as the start.
  static func measure<Result>(_ body: () throws -> Result) rethrows -> (result: Result, use: ResourceUse) {
    cmp_give_back()
    resetPeak()
    let before = resident()
    let mappedBefore = mapped()
    let writtenBefore = written()
    let result = try body()
    let writtenBytes = written() - writtenBefore
    let mappedBytes = max(0, mapped() - mappedBefore)
    let peakBytes = max(0, peak() - before - mappedBytes)
    cmp_give_back()
    let keptBytes = max(0, resident() - before - mappedBytes)
    return (
      result, ResourceUse(peakBytes: peakBytes, keptBytes: keptBytes, writtenBytes: writtenBytes)
    )
  }

  #if os(Linux)
    private static func resetPeak() {
      guard let file = fopen("/proc/self/clear_refs", "w") else { return }
      fputs("5", file)
      fclose(file)
    }

    private static func resident() -> Int { value("VmRSS:", in: "/proc/self/status") * 1024 }
    private static func peak() -> Int { value("VmHWM:", in: "/proc/self/status") * 1024 }
    private static func mapped() -> Int { value("RssFile:", in: "/proc/self/status") * 1024 }
    private static func written() -> Int { value("wchar:", in: "/proc/self/io") }

    private static func value(_ name: String, in path: String) -> Int {
      guard let file = fopen(path, "r") else { return 0 }
      defer { fclose(file) }
      var line = [CChar](repeating: 0, count: 256)
      while fgets(&line, Int32(line.count), file) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard text.hasPrefix(name) else { continue }
        let number = text.dropFirst(name.count).drop { !$0.isNumber }.prefix { $0.isNumber }
        return Int(number) ?? 0
      }
      return 0
    }
  #else
    private static func resetPeak() {}
    private static func written() -> Int { 0 }
    private static func resident() -> Int { peak() }
    private static func mapped() -> Int { 0 }

    private static func peak() -> Int {
      var usage = rusage()
      getrusage(RUSAGE_SELF, &usage)
      return Int(usage.ru_maxrss)
    }
  #endif
}

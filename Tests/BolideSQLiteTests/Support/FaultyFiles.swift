import CSQLite
import Foundation

/// SQLite's file layer with a counter: write number n fails. For a process of its own, since it becomes
/// SQLite's default.
enum FaultyFiles {
  /// Writes, syncs and truncations until the one that fails; 0 and less for none.
  nonisolated(unsafe) static var countdown = 0
  /// What the failing call and all after it return, until it is cleared.
  nonisolated(unsafe) static var failure: Int32 = SQLITE_FULL
  /// Whether a call has failed since the counter was set.
  nonisolated(unsafe) static var hasFailed = false

  nonisolated(unsafe) private static var system: UnsafeMutablePointer<sqlite3_vfs>?
  nonisolated(unsafe) private static var original = sqlite3_io_methods()
  nonisolated(unsafe) private static var tables:
    [UnsafePointer<sqlite3_io_methods>: UnsafeMutablePointer<sqlite3_io_methods>] = [:]

  /// Has call number `countdown` fail, and all after it.
  static func arm(_ countdown: Int, with failure: Int32) {
    self.countdown = countdown
    self.failure = failure
    hasFailed = false
  }

  static func disarm() { countdown = 0 }

  private static func fails() -> Bool {
    if countdown <= 0 { return false }
    if countdown == 1 {
      hasFailed = true
      return true
    }
    countdown -= 1
    return false
  }

  /// Puts the counter between SQLite and the system's files.
  static func install() {
    guard let found = sqlite3_vfs_find(nil) else { return }
    system = found
    let faulty = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    faulty.initialize(to: found.pointee)
    faulty.pointee.pNext = nil
    faulty.pointee.zName = UnsafePointer(strdup("faulty"))
    faulty.pointee.xOpen = { _, name, file, flags, outFlags in
      let system = FaultyFiles.system
      let code = system?.pointee.xOpen(system, name, file, flags, outFlags) ?? SQLITE_ERROR
      if let file, let methods = file.pointee.pMethods {
        file.pointee.pMethods = FaultyFiles.replaced(methods)
      }
      return code
    }
    sqlite3_vfs_register(faulty, 1)
  }

  /// The same methods, with those that change a file behind the counter.
  private static func replaced(
    _ methods: UnsafePointer<sqlite3_io_methods>
  ) -> UnsafePointer<sqlite3_io_methods> {
    if let known = tables[methods] { return UnsafePointer(known) }
    original = methods.pointee
    let table = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    table.initialize(to: methods.pointee)
    table.pointee.xWrite = { file, bytes, count, offset in
      FaultyFiles.fails() ? FaultyFiles.failure : FaultyFiles.original.xWrite(file, bytes, count, offset)
    }
    table.pointee.xSync = { file, flags in
      FaultyFiles.fails() ? FaultyFiles.failure : FaultyFiles.original.xSync(file, flags)
    }
    table.pointee.xTruncate = { file, size in
      FaultyFiles.fails() ? FaultyFiles.failure : FaultyFiles.original.xTruncate(file, size)
    }
    tables[methods] = table
    return UnsafePointer(table)
  }
}

import BolideStorage
import CLMDB
import Foundation

extension LMDBStore {
  func copy(to location: Location) throws(BolideError) {
    let environment = try use().environment
    let target = try StoreFolder(location)
    try Self.checkFree(target)
    let parent = URL(fileURLWithPath: target.path).deletingLastPathComponent().path
    let name = URL(fileURLWithPath: target.path).lastPathComponent
    let draft = "\(parent)/.\(name).copy-\(getpid())-\(UInt64.random(in: .min ... .max))"
    guard mkdir(draft, 0o700) == 0 else { throw LMDBFailure.system(errno, "make the folder \(draft)") }
    var isDone = false
    defer {
      if !isDone {
        for file in [StoreFolder.dataName, StoreFolder.lockName] { unlink(draft + "/" + file) }
        rmdir(draft)
      }
    }
    try environment.copy(toFile: draft + "/" + StoreFolder.dataName)
    try Self.makeFile(draft + "/" + StoreFolder.lockName) { _ in 0 }
    // A folder moves onto nothing or an empty folder: whoever took the place meanwhile keeps it.
    guard rename(draft, target.path) == 0 else {
      throw Self.taken(target.path, errno)
    }
    isDone = true
    let descriptor = Foundation.open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor >= 0 {
      fsync(descriptor)
      Foundation.close(descriptor)
    }
  }

  func fork(to location: Location) throws(BolideError) -> any OpenStore {
    try copy(to: location)
    return try Self.open(backend, location, layout: nil, options: options)
  }

  private static func checkFree(_ folder: StoreFolder) throws(BolideError) {
    var status = stat()
    guard lstat(folder.path, &status) == 0 else { return }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    let isEmpty = (try? FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty) ?? false
    if !isFolder || !isEmpty { throw taken(folder.path, EEXIST) }
  }

  private static func taken(_ path: String, _ code: Int32) -> BolideError {
    BolideError(
      .storeIO, "The copy cannot be put at \(path)", remedy: "choose a place where nothing is",
      underlying: .init(domain: "errno", code: code, text: String(cString: strerror(code))))
  }

  /// Makes a file for its owner only, fills it and waits until it is on disk.
  fileprivate static func makeFile(
    _ path: String, _ fill: (Int32) -> Int32
  ) throws(BolideError) {
    let descriptor = Foundation.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw LMDBFailure.system(errno, "make the file \(path)") }
    defer { Foundation.close(descriptor) }
    try check(fill(descriptor), "write the copy \(path)")
    guard fsync(descriptor) == 0 else { throw LMDBFailure.system(errno, "sync the file \(path)") }
  }
}

extension Environment {
  /// Writes the newest state without free pages into a new file.
  fileprivate func copy(toFile path: String) throws(BolideError) {
    mapLock.lockShared()
    defer { mapLock.unlock() }
    try LMDBStore.makeFile(path) { mdb_env_copyfd2(handle, $0, UInt32(MDB_CP_COMPACT)) }
  }
}

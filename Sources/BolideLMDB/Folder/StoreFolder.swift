import BolideStorage
import Foundation

/// The folder of a store: what it is now, looked at without changing a byte.
struct StoreFolder {
  /// The data file, LMDB's own lock file, and the file that writers of several processes lock.
  static let dataName = "data.mdb"
  static let lmdbLockName = "lock.mdb"
  static let lockName = "bolide.lock"
  /// What the lock file says once the store was made; empty, it is that of a creation, or of an early version.
  static let madeText = Array("made\n".utf8)

  /// What is at a location.
  enum State {
    /// Nothing.
    case absent
    /// A folder without a file, or with what a creation left that was interrupted.
    case unfinished
    /// A store, with the identity of its data file.
    case store(FileIdentity)
  }

  /// The absolute path, links resolved.
  let path: String

  /// Resolves a path; the folder itself need not exist.
  init(_ location: Location) throws(BolideError) {
    let given = location.path
    if given.isEmpty { throw BolideError(.storeMissing, "The path of the store is empty") }
    if let whole = Self.resolved(given) {
      path = whole
      return
    }
    let url = URL(fileURLWithPath: given)
    let parent = url.deletingLastPathComponent().path
    guard let folder = Self.resolved(parent) else {
      throw BolideError(.storeMissing, "There is no folder \(parent) for the store")
    }
    path = (folder == "/" ? "" : folder) + "/" + url.lastPathComponent
  }

  private static func resolved(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  var dataPath: String { path + "/" + Self.dataName }

  /// Looks at what is there.
  ///
  /// - Throws: `store.foreign`, `store.damaged`, `store.newer-format`.
  func inspect() throws(BolideError) -> State {
    var status = stat()
    guard stat(path, &status) == 0 else {
      if errno == ENOENT { return .absent }
      throw LMDBFailure.system(errno, "look at \(path)")
    }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw BolideError(.storeForeign, "\(path) is a file, and an LMDB store is a folder")
    }
    let files: Set<String>
    do {
      files = Set(try FileManager.default.contentsOfDirectory(atPath: path))
    } catch {
      throw BolideError(
        .storeReadOnly, "The folder \(path) cannot be listed",
        underlying: .init(domain: "errno", code: EACCES, text: String(describing: error)))
    }
    guard files.contains(Self.dataName) else {
      if files.isSubset(of: [Self.lmdbLockName, Self.lockName]) { return try unfinished() }
      throw BolideError(.storeForeign, "The folder \(path) holds other files and no \(Self.dataName)")
    }
    guard stat(dataPath, &status) == 0 else { throw LMDBFailure.system(errno, "look at \(dataPath)") }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw BolideError(.storeForeign, "\(dataPath) is not a file")
    }
    return try inspectData(FileIdentity(status), isOurs: files.contains(Self.lockName))
  }

  private func inspectData(_ identity: FileIdentity, isOurs: Bool) throws(BolideError) -> State {
    let file = try PageFile(dataPath)
    if file.size == 0, isOurs { return try unfinished() }
    let meta = try file.newestMeta()
    // A folder with our lock file is looked at closer once LMDB protects what is read.
    if isOurs { return meta.transaction == 0 ? try unfinished() : .store(identity) }
    guard try file.hasDatabase(Catalogue.metadataName, meta) else {
      throw BolideError(.storeForeign, "\(dataPath) belongs to another application of LMDB")
    }
    return .store(identity)
  }

  /// A creation that was interrupted, unless the store was whole once: no store is made anew to get past damage.
  private func unfinished() throws(BolideError) -> State {
    var status = stat()
    guard stat(path + "/" + Self.lockName, &status) == 0, status.st_size > 0 else { return .unfinished }
    throw BolideError(
      .storeDamaged, "The store in \(path) was made, and its \(Self.dataName) is missing or empty",
      remedy: "restore a copy, or remove the folder to begin anew")
  }

  /// Makes the folder, for its owner only (rule S-4).
  ///
  /// - Returns: whether it was not there.
  func make() throws(BolideError) -> Bool {
    if mkdir(path, 0o700) == 0 { return true }
    if errno == EEXIST { return false }
    throw LMDBFailure.system(errno, "make the folder \(path)")
  }

  /// Removes what a creation made that failed, by the one who has the folder locked.
  ///
  /// The lock file stays in a folder that was there before, where another process may wait for it.
  func remove(withFolder: Bool) {
    for name in [Self.dataName, Self.lmdbLockName] { unlink(path + "/" + name) }
    if withFolder {
      unlink(path + "/" + Self.lockName)
      rmdir(path)
    }
  }

  /// Has the system remember for good that the folder and its files are there.
  func sync() {
    let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
    for folder in [path, parent] {
      let descriptor = Foundation.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      if descriptor < 0 { continue }
      fsync(descriptor)
      close(descriptor)
    }
  }
}

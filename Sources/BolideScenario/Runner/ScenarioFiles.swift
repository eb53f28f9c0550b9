import BolideStorage
import Foundation

/// Scenario files as a user names them: files, folders and `file:line`.
package struct ScenarioFiles {
  /// One file, and the line to stop at if one was named.
  package struct Target: Hashable, Sendable {
    package var path: String
    package var line: Int?

    package init(path: String, line: Int? = nil) {
      self.path = path
      self.line = line
    }
  }

  /// The ending of scenario files.
  package static let fileExtension = "scenario"

  /// The files the arguments stand for, each once; folders give all their files, in order of path.
  ///
  /// - Throws: `file.…` naming the argument that is neither.
  package static func find(_ arguments: [String]) throws(BolideError) -> [Target] {
    var targets: [Target] = []
    var seen: Set<Target> = []
    for argument in arguments {
      for target in try find(argument) where seen.insert(target).inserted { targets.append(target) }
    }
    return targets
  }

  private static func find(_ argument: String) throws(BolideError) -> [Target] {
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: argument, isDirectory: &isFolder) {
      return isFolder.boolValue ? contents(of: argument) : [Target(path: argument)]
    }
    if let colon = argument.lastIndex(of: ":"), let line = Int(argument[argument.index(after: colon)...]),
      line > 0
    {
      let path = String(argument[..<colon])
      if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue {
        return [Target(path: path, line: line)]
      }
    }
    throw BolideError(.fileMissing, "there is no file or folder `\(argument)`")
  }

  private static func contents(of folder: String) -> [Target] {
    // A link to a folder is a folder.
    let place = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path
    let names = FileManager.default.enumerator(atPath: place)?.compactMap { $0 as? String } ?? []
    let root = folder.hasSuffix("/") ? folder : folder + "/"
    return names.filter { $0.hasSuffix("." + fileExtension) }.sorted().map { Target(path: root + $0) }
  }

  /// Reads a file, but never more than a scenario may have.
  ///
  /// - Throws: `file.…` when it cannot be read.
  package static func read(_ path: String, limits: ScenarioLimits = .standard) throws(BolideError) -> [UInt8]
  {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw BolideError(.fileMissing, "there is no file `\(path)`")
    }
    guard !isFolder.boolValue, let handle = FileHandle(forReadingAtPath: path) else {
      throw BolideError(.fileUnreadable, "`\(path)` cannot be read")
    }
    defer { try? handle.close() }
    do {
      // One byte more than allowed is enough for the parser to refuse the file.
      return Array(try handle.read(upToCount: limits.fileBytes + 1) ?? Data())
    } catch {
      throw BolideError(.fileUnreadable, "`\(path)` cannot be read")
    }
  }
}

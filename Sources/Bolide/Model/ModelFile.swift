import BolideStorage
import Foundation

/// Something in a model file that was understood with a doubt, or left out without harm.
public struct ModelWarning: Hashable, Sendable, CustomStringConvertible {
  /// The line in the model's XML.
  public var line: Int
  /// What it is about: `Entity`, `Entity.property` or the model.
  public var subject: String
  /// What was done and why.
  public var message: String

  public var description: String { "line \(line)  \(subject): \(message)" }
}

/// A model read from the files that Xcode keeps.
public struct ModelFile: Sendable, CustomStringConvertible {
  /// The model.
  public let schema: Schema
  /// What was understood with a doubt, by line.
  public let warnings: [ModelWarning]
  /// The XML file that was read.
  public let contents: URL

  /// Reads an `.xcdatamodeld` folder, an `.xcdatamodel` folder or the `contents` file in it.
  ///
  /// - Parameters:
  ///   - url: the file or folder.
  ///   - version: the name of a version of an `.xcdatamodeld`; the current one when it is `nil`.
  /// - Throws: `model.missing`, `model.unreadable`, `model.version`, `model.syntax` with line and
  ///   column, `model.unsupported` and `model.invalid` with everything that was found.
  public init(_ url: URL, version: String? = nil) throws(BolideError) {
    let place = try ModelPlace(url, version: version)
    let root = try ModelElement(reading: place.data(), file: place.label)
    var reader = ModelReader(file: place.label)
    schema = try reader.schema(from: root, name: place.name)
    warnings = reader.warnings.sorted { $0.line < $1.line }
    contents = place.contents
  }

  /// Reads a model as ``init(_:version:)`` does.
  public static func read(
    _ url: URL, version: String? = nil
  ) throws(BolideError) -> (schema: Schema, warnings: [ModelWarning]) {
    let file = try ModelFile(url, version: version)
    return (file.schema, file.warnings)
  }

  /// What was understood, then the warnings; several lines.
  public var description: String {
    ([schema.outline] + warnings.map { "warning  \($0)" } + ["\(warnings.count) warnings"])
      .joined(separator: "\n")
  }
}

/// Where the XML of a model is.
private struct ModelPlace {
  let contents: URL
  /// The model's name.
  let name: String

  /// The file's name as messages have it.
  var label: String {
    contents.lastPathComponent == "contents"
      ? "\(contents.deletingLastPathComponent().lastPathComponent)/contents" : contents.lastPathComponent
  }

  init(_ url: URL, version: String?) throws(BolideError) {
    let url = url.standardizedFileURL
    guard let isFolder = Self.isFolder(url) else {
      throw BolideError(.modelMissing, "there is no file or folder \(url.lastPathComponent)")
    }
    guard isFolder else {
      try Self.refuseVersion(version, url)
      let folder = url.deletingLastPathComponent()
      let isInside = url.lastPathComponent == "contents" && folder.pathExtension == "xcdatamodel"
      contents = url
      name = (isInside ? folder : url).deletingPathExtension().lastPathComponent
      return
    }
    name = url.deletingPathExtension().lastPathComponent
    if ["mom", "momd"].contains(url.pathExtension) {
      throw BolideError(
        .modelUnsupported, "\(url.lastPathComponent) is a compiled model",
        remedy: "name the .xcdatamodeld that it was made from")
    }
    let versions = try Self.versions(in: url)
    if versions.isEmpty {
      try Self.refuseVersion(version, url)
      contents = try Self.contents(of: url)
    } else {
      let chosen = try Self.choose(version, of: versions, in: url)
      contents = try Self.contents(of: url.appendingPathComponent("\(chosen).xcdatamodel"))
    }
  }

  func data() throws(BolideError) -> Data {
    let data: Data
    do {
      data = try Data(contentsOf: contents)
    } catch {
      throw BolideError(.modelUnreadable, "\(label) cannot be read: \(error.localizedDescription)")
    }
    if data.starts(with: Array("bplist".utf8)) {
      throw BolideError(
        .modelUnsupported, "\(label) is in the binary form of old or compiled models",
        remedy: "save the model in a current Xcode, which writes XML")
    }
    return data
  }

  private static func isFolder(_ url: URL) -> Bool? {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else { return nil }
    return isFolder.boolValue
  }

  private static func refuseVersion(_ version: String?, _ url: URL) throws(BolideError) {
    if let version {
      throw BolideError(
        .modelVersion, "\(url.lastPathComponent) has no versions, so there is no version \(version)",
        remedy: "leave the version out, or name the .xcdatamodeld")
    }
  }

  private static func contents(of folder: URL) throws(BolideError) -> URL {
    let contents = folder.appendingPathComponent("contents")
    switch isFolder(contents) {
    case false?: return contents
    case true?: throw BolideError(.modelMissing, "\(folder.lastPathComponent)/contents is a folder")
    case nil:
      throw BolideError(.modelMissing, "the folder \(folder.lastPathComponent) has no file `contents`")
    }
  }

  private static func versions(in folder: URL) throws(BolideError) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder.path)
        .filter { $0.hasSuffix(".xcdatamodel") }.map { String($0.dropLast(".xcdatamodel".count)) }.sorted()
    } catch {
      throw BolideError(
        .modelUnreadable, "\(folder.lastPathComponent) cannot be read: \(error.localizedDescription)")
    }
  }

  private static func choose(
    _ version: String?, of versions: [String], in folder: URL
  ) throws(BolideError) -> String {
    let list = versions.joined(separator: ", ")
    var wanted = version
    var source = "version \(version ?? "")"
    if wanted == nil {
      wanted = try currentVersion(of: folder)
      source = ".xccurrentversion names \(wanted ?? "")"
    }
    guard let wanted else {
      if versions.count == 1 { return versions[0] }
      throw BolideError(
        .modelVersion,
        "\(folder.lastPathComponent) has the versions \(list), and none is marked as current")
    }
    let name = wanted.hasSuffix(".xcdatamodel") ? String(wanted.dropLast(".xcdatamodel".count)) : wanted
    guard versions.contains(name) else {
      throw BolideError(
        .modelVersion, "\(folder.lastPathComponent): \(source), but there are the versions \(list)")
    }
    return name
  }

  private static func currentVersion(of folder: URL) throws(BolideError) -> String? {
    let file = folder.appendingPathComponent(".xccurrentversion")
    guard isFolder(file) == false else { return nil }
    guard let data = try? Data(contentsOf: file),
      let list = try? PropertyListSerialization.propertyList(from: data, format: nil),
      let name = (list as? [String: Any])?["_XCCurrentVersionName"] as? String
    else {
      throw BolideError(
        .modelSyntax, "\(folder.lastPathComponent)/.xccurrentversion is no list that names a version")
    }
    return name
  }
}

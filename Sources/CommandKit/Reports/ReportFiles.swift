import Foundation

/// The files that `--report-junit` and `--report-html` name.
package struct ReportFiles: Sendable {
  /// The option for a JUnit report.
  package static let junit = CommandOption(
    "report-junit", .text, "FILE", help: "Also write the results to a file, as JUnit XML.")
  /// The option for a page.
  package static let html = CommandOption(
    "report-html", .text, "FILE", help: "Also write the results to a file, as one HTML page.")

  private let targets: [(url: URL, format: @Sendable (RunRecord) -> String)]

  /// Looks whether the named files can be written, before a long run and not after it.
  ///
  /// - Throws: A `Failure` when a folder is missing, or stands where the file should.
  package init(_ arguments: Arguments) throws(Failure) {
    var targets: [(url: URL, format: @Sendable (RunRecord) -> String)] = []
    if let path = arguments.text(Self.junit) {
      targets.append((try Self.checked(path), { JUnitReport.text(of: $0) }))
    }
    if let path = arguments.text(Self.html) {
      targets.append((try Self.checked(path), { HTMLReport.text(of: $0) }))
    }
    self.targets = targets
  }

  /// Writes the reports that were asked for; a file that is there is replaced as a whole.
  ///
  /// - Throws: A `Failure` naming the file that could not be written.
  package func write(_ record: RunRecord) throws(Failure) {
    for target in targets {
      do {
        try Data(target.format(record).utf8).write(to: target.url, options: .atomic)
      } catch {
        throw Failure(
          .storeFailed, code: "file.unwritable",
          "the report \(target.url.relativePath) could not be written: \(error.localizedDescription)",
          remedy: "look at the disk and the permissions, and run again")
      }
    }
  }

  private static func checked(_ path: String) throws(Failure) -> URL {
    let url = URL(filePath: path, directoryHint: .notDirectory)
    let folder = url.deletingLastPathComponent()
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), isFolder.boolValue {
      throw Failure(
        .storeFailed, code: "file.folder", "the report \"\(path)\" is a folder", remedy: "name a file")
    }
    guard FileManager.default.isWritableFile(atPath: folder.path) else {
      throw Failure(
        .storeFailed, code: "file.unwritable", "the report \"\(path)\" cannot be written to its folder",
        remedy: "make the folder, or name a file in one that can be written")
    }
    return url
  }
}

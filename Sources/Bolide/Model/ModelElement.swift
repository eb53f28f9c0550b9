import BolideStorage
import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// An element of a model's XML, with the line it stands on.
struct ModelElement {
  let name: String
  let attributes: [String: String]
  let line: Int
  var children: [ModelElement] = []

  /// The value of an attribute, `nil` when it is absent or empty.
  subscript(_ name: String) -> String? { attributes[name].flatMap { $0.isEmpty ? nil : $0 } }

  /// The renaming id: Xcode calls it `elementID`.
  var renamingID: String? { self["elementID"] ?? self["renamingIdentifier"] }

  /// Whether an attribute says `YES`.
  func isSet(_ name: String) -> Bool { attributes[name]?.uppercased() == "YES" }

  func children(named name: String) -> [ModelElement] { children.filter { $0.name == name } }

  /// Reads a document.
  ///
  /// - Parameter file: the file's name, for messages.
  /// - Throws: `model.syntax` with line and column.
  init(reading data: Data, file: String) throws(BolideError) {
    if data.isEmpty { throw BolideError(.modelSyntax, "\(file):1:1: the file is empty") }
    // Entities would let a small file grow without end, and no model has any.
    if let place = data.range(of: Data("<!DOCTYPE".utf8)) {
      let line = data[..<place.lowerBound].count { $0 == UInt8(ascii: "\n") } + 1
      throw BolideError(.modelSyntax, "\(file):\(line):1: a model has no document type declaration")
    }
    let parser = XMLParser(data: data)
    let builder = ModelElementBuilder()
    parser.delegate = builder
    _ = parser.parse()
    if let failure = builder.failure {
      let place = "\(file):\(max(1, failure.line)):\(max(1, failure.column))"
      throw BolideError(
        .modelSyntax, "\(place): \(failure.reason)",
        underlying: failure.code.map { .init(domain: "libxml2", code: $0, text: Self.words($0)) })
    }
    guard let root = builder.root else {
      throw BolideError(.modelSyntax, "\(file):1:1: there is no XML element in the file")
    }
    self = root
  }

  fileprivate init(name: String, attributes: [String: String], line: Int) {
    self.name = name
    self.attributes = attributes
    self.line = line
  }

  private static func words(_ code: Int32) -> String {
    switch code {
    case 4: "the document is empty"
    case 5, 77: "the document ends too early"
    case 9, 64: "a character or the declaration is not allowed here"
    case 39, 40, 41, 65: "an attribute is not written as name=\"value\""
    case 42: "an attribute stands twice"
    case 68, 73: "a tag is not complete"
    case 76: "a closing tag does not belong to the open one"
    default: "the parser gave no words"
    }
  }
}

/// Collects the elements of a document.
private final class ModelElementBuilder: NSObject, XMLParserDelegate {
  private(set) var root: ModelElement?
  /// The first thing that was wrong, and where.
  private(set) var failure: (reason: String, code: Int32?, line: Int, column: Int)?
  private var open: [ModelElement] = []
  /// Models are flat; whatever nests deeper is none.
  private let maximumDepth = 32

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    guard open.count < maximumDepth else {
      fail("elements are nested more than \(maximumDepth) deep", parser)
      return
    }
    open.append(ModelElement(name: name, attributes: attributes, line: max(1, parser.lineNumber)))
  }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    guard let element = open.popLast() else { return }
    if open.isEmpty {
      root = element
    } else {
      open[open.count - 1].children.append(element)
    }
  }

  func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
    fail("this is not well-formed XML", code: Int32(clamping: (error as NSError).code), parser)
  }

  private func fail(_ reason: String, code: Int32? = nil, _ parser: XMLParser) {
    if failure == nil { failure = (reason, code, parser.lineNumber, parser.columnNumber) }
    parser.abortParsing()
  }
}

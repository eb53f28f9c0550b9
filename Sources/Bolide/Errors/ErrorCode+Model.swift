import BolideStorage

/// The codes about model files.
extension ErrorCode {
  public static let modelMissing = ErrorCode(
    "model.missing", meaning: "There is no model at the path.",
    remedy: "name an .xcdatamodeld or .xcdatamodel folder, or the `contents` file in it")
  public static let modelUnreadable = ErrorCode(
    "model.unreadable", meaning: "The system could not read the model file.",
    remedy: "look at the underlying error and the file's permissions")
  public static let modelVersion = ErrorCode(
    "model.version", meaning: "The model has no such version, or several and none is marked as current.",
    remedy: "name one of the versions listed")
  public static let modelSyntax = ErrorCode(
    "model.syntax", meaning: "The file is not the XML of a model.",
    remedy: "correct the file at the place named, or save it in Xcode again")
  public static let modelUnsupported = ErrorCode(
    "model.unsupported", meaning: "The model uses a feature that Bolide does not have.",
    remedy: "take the features listed out of the model; nothing was left out silently")
  public static let modelInvalid = ErrorCode(
    "model.invalid", meaning: "The model contradicts itself.",
    remedy: "correct every problem listed")

  /// Every code about model files.
  public static let modelCodes: [ErrorCode] = [
    modelMissing, modelUnreadable, modelVersion, modelSyntax, modelUnsupported, modelInvalid,
  ]
}

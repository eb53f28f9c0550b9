import CommandKit

extension CommandOption {
  static let store = CommandOption(
    "store", .text, "LOCATION", isRequired: true, variable: "BOLIDE_STORE",
    help: "The store: memory:, sqlite:PATH (a file) or lmdb:PATH (a folder).")
  static let json = CommandOption("json", .flag, help: "Print JSON Lines.")
}

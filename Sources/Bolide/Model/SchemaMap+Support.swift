import BolideStorage

extension SchemaMap {
  /// Refuses what the schema may say and this version does not keep true: derived attributes other than counts.
  ///
  /// - Throws: `schema.unsupported`, which names each.
  package func refuseUnsupported() throws(BolideError) {
    var names: [String] = []
    for entity in entities {
      for property in entity.attributes {
        guard let derivation = property.attribute?.derivation else { continue }
        if case .count = derivation { continue }
        names.append("\(entity.name).\(property.name) (\(derivation.text))")
      }
    }
    guard let first = names.first else { return }
    throw BolideError(
      .schemaUnsupported,
      "\(first) is derived in a way that is not supported yet; only counts are"
        + (names.count > 1 ? " (and \(names.count - 1) more)" : ""), details: names)
  }
}

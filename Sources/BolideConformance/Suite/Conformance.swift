import BolideStorage
import Foundation

/// The shared suite: every rule that every store keeps, as values.
public enum Conformance {
  /// All rules, in the order in which they build on each other.
  public static var definitions: [CaseDefinition] { contractDefinitions + ruleDefinitions }

  /// The rules of the storage contract alone.
  public static var contractDefinitions: [CaseDefinition] {
    rowCases + insertCases + findCases + scanCases + boundCases + updateCases + deleteCases + linkCases
      + historyCases + metadataCases + snapshotCases + transactionCases + openingCases + layoutCases
      + copyCases + damageCases + randomCases + planCases
  }

  /// The rules over containers, which Bolide keeps on top of the contract.
  public static var ruleDefinitions: [CaseDefinition] {
    valueCases + identityCases + upsertCases + relationshipCases + batchCases + expressionCases
      + historyRuleCases + tokenCases
      + mergeCases + openingRuleCases + typedCases + predicateCases + deleteRuleCases + structureCases
      + faultCases
      + queryCases + indexCases
      + historyGrowthCases + largeCases + meetingCases + validationCases + migrationCases
      + migrationLimitCases + followingCases + contextCases + misuseCases + familyCases + migrationPlaceCases
      + listChangeCases + listFilterCases + listSectionCases + listFollowingCases + listReadingCases
      + listReportCases + listModelCases + concurrencyCases
      + derivationCases
      + graphShapeCases + conflictCases + rebaseCases + graphCases
      + saveCases + partnerCases + hookCases + migrationPartnerCases
  }

  /// Rules paired with a provider's store: all of them unless you name some.
  ///
  /// - Parameter filter: comma-separated texts of which an id must contain one; the environment variable
  ///   `BOLIDE_CASES` unless given. Where nothing matches, the one case returned fails and says so.
  public static func cases<Provider: StoreProvider>(
    for provider: Provider, among definitions: [CaseDefinition] = definitions,
    matching filter: String? = ProcessInfo.processInfo.environment["BOLIDE_CASES"]
  ) -> [ConformanceCase<Provider>] {
    let parts = (filter ?? "").split(separator: ",")
    let chosen = definitions.filter { definition in
      parts.isEmpty || parts.contains { definition.id.contains($0) }
    }
    guard chosen.isEmpty else { return chosen.map { ConformanceCase($0, on: provider) } }
    let nothing = CaseDefinition("suite/nothing-ran", "At least one case runs.") { _ in
      throw ConformanceFailure("no case id contains “\(filter ?? "")”")
    }
    return [ConformanceCase(nothing, on: provider)]
  }
}

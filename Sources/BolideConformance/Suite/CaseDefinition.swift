import BolideStorage

/// One rule to be shown, before it is paired with a store: a value, so that no list can forget it.
public struct CaseDefinition: Sendable, Identifiable {
  /// A stable name, `area/what-holds`.
  public let id: String
  /// One sentence on what the case shows.
  public let summary: String
  /// The rules it belongs to, such as `U-2`.
  public let rules: [String]
  /// What a store must have for the case to make sense.
  public let needs: [Need]
  let body: @Sendable (CaseStage) async throws -> Void

  /// A condition on the provider.
  public enum Need: Sendable, Hashable {
    /// The named capability (`Capabilities.named`) is there.
    case capability(String)
    /// The named capability is absent: the case shows that it is refused.
    case absence(String)
    /// The provider names its backend.
    case backend
  }

  /// States a rule.
  public init(
    _ id: String, _ summary: String, rules: [String] = [], needs: [Need] = [],
    body: @escaping @Sendable (CaseStage) async throws -> Void
  ) {
    self.id = id
    self.summary = summary
    self.rules = rules
    self.needs = needs
    self.body = body
  }

  /// Why the case makes no sense for a provider, `nil` when it does.
  func unmetNeed(of provider: any StoreProvider) -> String? {
    let named = provider.capabilities.named
    for need in needs {
      switch need {
      case .capability(let name) where named[name] != true: return "the store is not \(name)"
      case .absence(let name) where named[name] == true: return "only for stores that are not \(name)"
      case .backend where provider.backend == nil: return "the provider names no backend"
      default: continue
      }
    }
    return nil
  }
}

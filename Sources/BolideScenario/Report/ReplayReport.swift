/// Tells of a run while it goes on.
package protocol ReplayReport {
  /// A scenario ended.
  func finished(_ result: ScenarioResult)
  /// The run ended; what this prints is the last thing printed.
  func finished(_ summary: ReplaySummary)
}

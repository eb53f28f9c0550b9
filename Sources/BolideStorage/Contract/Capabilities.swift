/// What a backend can do beyond the calls every backend has, as questions with constant answers.
///
/// The conformance suite checks each answer: what is absent is tested to be refused.
public struct Capabilities: Hashable, Sendable {
  /// Is what was committed still there after the process ends?
  public var isDurable: Bool
  /// May several processes open one store at once?
  public var sharesBetweenProcesses: Bool
  /// Does ``OpenStore/fork(to:setting:)`` take the same time whatever the size of the store?
  public var forksInConstantTime: Bool
  /// Can a store be opened read-only?
  public var opensReadOnly: Bool
  /// Can a store be moved while it is in use (``OpenStore/move(to:until:)``)?
  public var moves: Bool

  /// Answers the questions.
  public init(
    isDurable: Bool, sharesBetweenProcesses: Bool, forksInConstantTime: Bool, opensReadOnly: Bool,
    moves: Bool = false
  ) {
    self.isDurable = isDurable
    self.sharesBetweenProcesses = sharesBetweenProcesses
    self.forksInConstantTime = forksInConstantTime
    self.opensReadOnly = opensReadOnly
    self.moves = moves
  }

  /// The names by which scenario steps ask (`[durable]`, `[!processes]`), and the answers.
  public var named: [String: Bool] {
    [
      "durable": isDurable, "processes": sharesBetweenProcesses, "constant-time-fork": forksInConstantTime,
      "read-only": opensReadOnly, "moves": moves,
    ]
  }
}

/// The sizes a backend is bound by; `nil` where memory or disk is the only bound.
public struct Limits: Hashable, Sendable {
  /// The most bytes of memory that one transaction may hold before it spills to disk.
  public var transactionMemory: Int?
  /// The most snapshots open at once, in all processes.
  public var snapshots: Int?

  /// States the limits.
  public init(transactionMemory: Int? = nil, snapshots: Int? = nil) {
    self.transactionMemory = transactionMemory
    self.snapshots = snapshots
  }
}

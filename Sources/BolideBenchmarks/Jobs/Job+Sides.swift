import CComparators

/// Which programs do a job, and on which stores.
extension Job {
  /// Whether the job makes sense on a store.
  func isFor(_ store: StoreKind) -> Bool {
    switch self {
    case .preview, .memory, .decode, .startup: store == .memory
    case .open: store != .memory
    default: true
    }
  }

  /// Whether the storage contract alone has what the job needs: it knows neither objects nor closures nor feeds, cannot
  /// leave history out, and the job's requests are not written for it.
  private var isForStorage: Bool {
    switch self {
    case .importing, .reimport, .changedReimport, .page, .lookup, .sortedRows, .update, .delete, .historyRead,
      .fork, .stream:
      true
    default: false
    }
  }

  /// Whether a side can do the job.
  func canRun(_ side: SideName) -> Bool {
    switch side {
    case .bolide: true
    case .storage: isForStorage
    case .comparator: opponent == .comparator
    default: opponent == side
    }
  }

  /// What the job is measured against; `nil` where there is nothing to compare and the target is a bound.
  var opponent: SideName? {
    switch self {
    case .historyCost: .bolideWithoutHistory
    case .memory: .dictionary
    case .decode: .foundation
    case .startup, .groups, .memberships, .transactions: nil
    default: .comparator
    }
  }

  /// What the comparator does with a stored key; only the memory store is held against a plain upsert.
  func conflict(_ store: StoreKind) -> cmp_conflict {
    store == .memory ? CMP_UPSERT : CMP_UPSERT_CHANGED
  }

  /// Whether the comparator writes a row per change when it imports.
  var comparatorKeepsHistory: Bool { self == .historyRead }

  /// Whether the store has sightings and groups besides quakes.
  var needsGroups: Bool { [.groups, .memberships, .transactions].contains(self) }

  /// Whether instructions can be counted: not of other processes.
  var isCountable: Bool { self != .startup }
}

/// A job that is measured: what is prepared, what is timed, and, where both sides do it, what must come out equal.
enum Job: String, CaseIterable, Sendable {
  case importing = "import"
  case closureImport = "import-closure"
  case objectImport = "import-objects"
  case reimport = "reimport-same"
  case changedReimport = "reimport-changed"
  case page
  case lookup = "key"
  case sortedRows = "sorted-rows"
  case sortedObjects = "sorted-objects"
  case rangeQuery = "query-range"
  case filterQuery = "query-filter"
  case sortQuery = "query-sort"
  case groupQuery = "query-group"
  case membersQuery = "query-in"
  case update
  case delete
  case historyCost = "history-cost"
  case historyRead = "history-read"
  case fork
  case preview
  case controller
  case stream
  case memory
  case decode
  case refresh = "feed-refresh"
  case open
  case startup
  case groups
  case memberships
  case transactions

  /// What the job does, for the list.
  var summary: String {
    switch self {
    case .importing: "import into an empty store"
    case .closureImport: "import by the closure that fills rows"
    case .objectImport: "import by the closure that fills typed objects"
    case .reimport: "import the same records again: nothing changes"
    case .changedReimport: "import again with 2 % of the records changed"
    case .page: "50 rows by index, filtered and sorted, into objects"
    case .lookup: "one row by its unique key"
    case .sortedRows: "all rows sorted by an indexed column, as rows"
    case .sortedObjects: "all rows sorted by an indexed column, as objects"
    case .rangeQuery: "20 rows from a bound by index, into objects"
    case .filterQuery: "rows that meet two bounds without an index, into objects"
    case .sortQuery: "two columns of all rows, sorted without an index"
    case .groupQuery: "count, sum and maximum of each group"
    case .membersQuery: "the rows with 10,000 keys, into objects"
    case .update: "update one attribute of half of the rows, with history"
    case .delete: "delete half of the rows, with history"
    case .historyCost: "import with history, beside import without"
    case .historyRead: "read the change of every row"
    case .fork: "copy a store"
    case .preview: "open a store in memory with 20 sightings and 3 groups"
    case .controller: "follow 10 changes in a sorted list, beside reading it again"
    case .stream: "import records while they are made, none kept"
    case .memory: "what a store in memory takes, beside a dictionary of structs"
    case .decode: "decode a feed's file into rows, in bytes, beside JSONDecoder"
    case .refresh: "a feed's file to committed, beside C storing its rows"
    case .open: "open a store that is there and find one row"
    case .startup: "run bolide --help"
    case .groups: "import groups, each with a derived count"
    case .memberships: "put one sighting into many groups, in one save"
    case .transactions: "save objects one by one, each in a transaction of its own"
    }
  }

  /// The rows a store holds when nothing is asked for; how often a preview is opened.
  var defaultRows: Int {
    switch self {
    case .fork, .memberships: 10_000
    case .decode, .refresh: 12_000
    case .stream, .memory, .open, .groups: 1_000_000
    case .preview: 100
    case .startup: 1
    default: 100_000
    }
  }

  /// Whether the job runs where none is named; the others are about size.
  var isUsual: Bool {
    switch self {
    case .groups, .memberships, .transactions: false
    default: true
    }
  }

  /// Whether the number of rows means something to the job.
  var isSized: Bool {
    switch self {
    case .preview, .startup: false
    default: true
    }
  }

  /// Whether the store holds exactly the generated records in the end.
  var endsWithTheRecords: Bool {
    switch self {
    case .importing, .closureImport, .objectImport, .reimport, .page, .lookup, .sortedRows, .sortedObjects,
      .rangeQuery, .filterQuery, .sortQuery, .groupQuery, .membersQuery, .historyCost, .historyRead, .fork,
      .refresh, .open:
      true
    default: false
    }
  }
}

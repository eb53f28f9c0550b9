import BolideConformance
import BolideStorage
import Testing

/// A mistake that a store could make in one of its calls; the rest of it is the memory store.
struct Mistake: Sendable, CustomTestStringConvertible {
  var name: String
  var wrapping: StoreWrapping

  var testDescription: String { name }

  static let all: [Mistake] =
    [
      ForgetsTakenKeys.self, LeavesGapsInNumbers.self, DropsLastRow.self, UpdatesNothing.self,
      LeavesIndexesBehind.self, ForgetsTakenKeysOfUpdates.self, UpdatesMissingRowsSilently.self,
      ReleasesNothing.self, DeletesAllButOne.self, DeletesLinksToo.self, AddsEveryLinkAnew.self,
      ForgetsPlaces.self, LinksNothing.self, UnlinksNothing.self, DropsTombstones.self, DropsLastRun.self,
      TurnsNilAuthorsEmpty.self, RoundsTimestamps.self, GivesOneNonceToAll.self, RenumbersTransactions.self,
      DropsOneTransactionLess.self, DropsAllAtOnce.self, KeepsRemovedMetadata.self, KeepsFirstMetadata.self,
      IgnoresLayouts.self,
      GivesNoPinnedSnapshot.self, LosesCommits.self, CommitsWhatIsRolledBack.self,
      AcceptsCallsAfterTheEnd.self, CommitsWhatIsReleased.self, PassesOverOneRow.self, CallsAllChanged.self,
    ].map { (type: ForwardingTransaction.Type) in
      Mistake(name: "\(type)", wrapping: StoreWrapping(transaction: { type.init($0, $1) }))
    }
    + [
      SortsRowsAskedFor.self, SkipsMissingRows.self, FindsNothing.self, IgnoresDirections.self,
      TakesBoundsAsInclusive.self, StopsAfterOneChunk.self, ScansByNumberOnly.self, LosesTextAfterNUL.self,
      CountsOneTooMany.self, BeginsLinksAnew.self, HasNoInverse.self, CountsLinksWrong.self,
      GivesTheAnchorAgain.self, HasNoSingleTransactions.self, HasNoRuns.self, BeginsTombstonesAnew.self,
      ForgetsWhereHistoryStarts.self, TakesNoBytesForNothing.self, StaysReadable.self,
      ForgetsOneTest.self, TakesNilForUnknown.self, IgnoresTerms.self, IgnoresOffsets.self,
      TakesHundredValues.self, SwallowsFailures.self,
    ].map { (type: ForwardingSnapshot.Type) in
      Mistake(name: "\(type)", wrapping: StoreWrapping(snapshot: { type.init($0, $1) }))
    }
    + [
      LiveSnapshots.self, IsNeverBusy.self, IsBusyAtOnce.self, NeverRings.self, RingsForever.self,
      CopiesOverAnything.self, CopiesNothing.self, StaysWhereItWas.self, ForksIntoItself.self,
      ForksUnchanged.self, ForgetsSnapshots.self,
      LeaksPages.self, ForgetsItsLayout.self, NeverCloses.self, ClosesSnapshots.self,
    ].map { (type: ForwardingStore.Type) in
      Mistake(name: "\(type)", wrapping: StoreWrapping(store: { type.init($0, $1) }))
    }
}

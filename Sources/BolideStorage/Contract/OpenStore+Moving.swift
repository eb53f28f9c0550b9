extension OpenStore {
  /// Moves a store by copying it: the copy is whole before the one left behind says that it has moved, and until then
  /// the store stays where it was.
  ///
  /// - Parameters:
  ///   - transaction: holds the turn, so that nobody commits what the copy lacks.
  ///   - retire: marks the store as moved away, in the transaction.
  ///   - removeCopy: takes the copy away where that fails.
  package func moveByCopy<Transaction: WriteTransaction>(
    to location: Location, in transaction: Transaction,
    retire: (Transaction) throws(BolideError) -> Void, removeCopy: () throws(BolideError) -> Void
  ) throws(BolideError) {
    do throws(BolideError) {
      try copy(to: location)
    } catch {
      transaction.rollback()
      throw error
    }
    do throws(BolideError) {
      try retire(transaction)
      _ = try transaction.commit(pinning: false)
    } catch {
      transaction.rollback()
      try removeCopy()
      throw error
    }
    try close()
  }
}

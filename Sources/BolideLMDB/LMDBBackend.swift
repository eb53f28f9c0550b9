import BolideStorage
import Foundation

/// Stores kept by LMDB: a folder with `data.mdb`, `lock.mdb` and `bolide.lock`; the page “LMDB format” of
/// the documentation describes them.
///
/// Rows stand in named databases as canonical bytes under their numbers, indexes as order-preserving
/// keys. A read transaction is a snapshot; one environment serves all opens of a file in a process.
///
/// The memory map is reserved once and is far larger than any store (one tebibyte of addresses where
/// the system grants it), so that it hardly ever has to grow. Where it was too small all the same, the
/// transaction is undone, the map is enlarged, and the call throws `store.map-full`: run the transaction
/// again. A context still has its changes, so saving again is enough; a batch request whose input can be
/// read again is run again.
public final class LMDBBackend: Backend {
  /// How large the memory map is at first; `nil` for as large as can be had.
  let mapBytes: Int?

  /// Makes a backend.
  ///
  /// - Parameter mapBytes: the size of the memory map in bytes, for tests of its growth; at least 64 KiB is
  ///   reserved. With `nil`, 1 TiB is tried and halved until the system grants it, down to 1 GiB.
  public init(mapBytes: Int? = nil) { self.mapBytes = mapBytes }

  /// `lmdb`.
  public var name: String { "lmdb" }

  /// Durable, shared between processes, and able to open for reading only; a fork is a file copy.
  public var capabilities: Capabilities {
    Capabilities(
      isDurable: true, sharesBetweenProcesses: true, forksInConstantTime: false, opensReadOnly: true,
      moves: true)
  }

  /// A transaction holds its changed pages, 512 MiB at most, before it spills; 1,024 snapshots may be open.
  public var limits: Limits {
    Limits(transactionMemory: 512 << 20, snapshots: Environment.readerSlots)
  }

  public func open(
    _ location: Location, layout: Layout?, options: OpenOptions
  ) throws(BolideError) -> any OpenStore {
    try LMDBStore.open(self, location, layout: layout, options: options)
  }
}

extension StoreLocation {
  /// A store kept by LMDB in the folder at `url`.
  public static func lmdb(_ url: URL, options: OpenOptions = OpenOptions()) -> StoreLocation {
    StoreLocation(LMDBBackend(), Location(path: url.path), options: options)
  }
}

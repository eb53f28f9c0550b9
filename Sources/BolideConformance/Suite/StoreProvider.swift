import BolideStorage
import Foundation

/// What gives the suite stores to run on: the one thing that the author of a store writes to be tested.
///
/// A provider tells a *location* from an *open store*, so that reopening, two openers, copies and
/// damage can be tried. Every case gets locations of its own.
public protocol StoreProvider: Sendable {
  /// A place where no store is yet, and whose parent folder is there.
  func makeLocation() throws -> URL

  /// Opens the store at a location, made with `layout` if there is none.
  func open(_ location: URL, layout: Layout) throws -> any OpenStore

  /// Removes what is at a location, which may be nothing. All its stores are closed.
  func destroy(_ location: URL) throws

  /// The name used in messages; the provider's type unless you say otherwise.
  var name: String { get }

  /// What the store declares it can do. What it declares absent is tested to be refused.
  ///
  /// Unless you say otherwise: durable, and nothing more.
  var capabilities: Capabilities { get }

  /// The backend behind ``open(_:layout:)``, for the cases about open options; none unless you say otherwise.
  var backend: (any Backend)? { get }

  /// Cases that are known to fail, by id, with the reason; none unless you say otherwise.
  ///
  /// A case listed here that passes is an ``Outcome/unexpectedPass(_:)``: a failure.
  var knownFailures: [String: String] { get }
}

extension StoreProvider {
  public var name: String { String(describing: Self.self) }

  public var capabilities: Capabilities {
    Capabilities(
      isDurable: true, sharesBetweenProcesses: false, forksInConstantTime: false, opensReadOnly: false)
  }

  public var backend: (any Backend)? { nil }

  public var knownFailures: [String: String] { [:] }
}

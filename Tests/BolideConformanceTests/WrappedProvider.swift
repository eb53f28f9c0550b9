import BolideConformance
import BolideMemory
import BolideStorage
import Foundation

/// The memory store behind a wrapper.
struct WrappedProvider: StoreProvider {
  private let base: BackendProvider
  private let wrapped: ForwardingBackend

  init(_ wrapping: StoreWrapping) {
    let backend = MemoryBackend()
    base = BackendProvider(backend)
    wrapped = ForwardingBackend(backend, wrapping)
  }

  var name: String { "wrapped memory" }
  var capabilities: Capabilities { base.capabilities }
  var backend: (any Backend)? { wrapped }

  func makeLocation() throws -> URL { try base.makeLocation() }
  func open(_ location: URL, layout: Layout) throws -> any OpenStore {
    try wrapped.open(Location(path: location.path), layout: layout, options: OpenOptions())
  }
  func destroy(_ location: URL) throws { try base.destroy(location) }
}

/// When the reads that are open began, each at a place that is its own until it ends.
package struct ReadTimes: Sendable {
  /// `nil` at a place that is free.
  private var starts: [ContinuousClock.Instant?] = []
  private var freePlaces: [Int] = []

  package init() {}

  /// How many reads are open.
  package var count: Int { starts.count - freePlaces.count }

  /// When the oldest one began.
  package var oldest: ContinuousClock.Instant? { starts.lazy.compactMap { $0 }.min() }

  /// Notes the begin of a read; gives its place.
  package mutating func begin(at instant: ContinuousClock.Instant) -> Int {
    guard let place = freePlaces.popLast() else {
      starts.append(instant)
      return starts.count - 1
    }
    starts[place] = instant
    return place
  }

  /// Notes the end of the read at a place.
  package mutating func end(_ place: Int) {
    starts[place] = nil
    freePlaces.append(place)
  }
}

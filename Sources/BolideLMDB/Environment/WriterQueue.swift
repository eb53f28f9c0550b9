import Foundation

/// The writers of this process, one at a time, in the order they came, each with a deadline (rule S-3).
final class WriterQueue: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var isHeld = false
  private var waiting: [UInt64] = []
  private var lastTicket: UInt64 = 0

  init() {
    pthread_mutex_init(mutex, nil)
    #if os(Linux)
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      pthread_cond_init(changed, &attributes)
      pthread_condattr_destroy(&attributes)
    #else
      pthread_cond_init(changed, nil)
    #endif
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// Waits for its turn.
  ///
  /// - Returns: false when the deadline came first; then nothing is held.
  func enter(until deadline: ContinuousClock.Instant) -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    if !isHeld, waiting.isEmpty {
      isHeld = true
      return true
    }
    lastTicket += 1
    let ticket = lastTicket
    waiting.append(ticket)
    while isHeld || waiting.first != ticket {
      let left = ContinuousClock.now.duration(to: deadline)
      if left <= .zero {
        waiting.removeAll { $0 == ticket }
        // The next in the queue may have been waiting for this one alone.
        pthread_cond_broadcast(changed)
        return false
      }
      wait(left)
    }
    waiting.removeFirst()
    isHeld = true
    return true
  }

  /// Lets the next one in.
  func leave() {
    pthread_mutex_lock(mutex)
    isHeld = false
    pthread_cond_broadcast(changed)
    pthread_mutex_unlock(mutex)
  }

  private func wait(_ duration: Duration) {
    // An hour is as good as forever: the caller looks at the clock again.
    var time = min(duration, .seconds(3600)).timespec
    #if os(Linux)
      var now = Foundation.timespec()
      clock_gettime(CLOCK_MONOTONIC, &now)
      time.tv_sec += now.tv_sec
      time.tv_nsec += now.tv_nsec
      if time.tv_nsec >= 1_000_000_000 {
        time.tv_sec += 1
        time.tv_nsec -= 1_000_000_000
      }
      pthread_cond_timedwait(changed, mutex, &time)
    #else
      pthread_cond_timedwait_relative_np(changed, mutex, &time)
    #endif
  }
}

extension Duration {
  /// The duration in the system's form.
  var timespec: Foundation.timespec {
    let (seconds, attoseconds) = components
    return Foundation.timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
  }
}

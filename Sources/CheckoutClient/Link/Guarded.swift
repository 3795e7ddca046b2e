import Glibc

/// A value that one thread at a time may touch.
///
/// This is the library's one unchecked promise. The mutex orders every access, whatever the value is;
/// and what a program hands over that is bound to no thread's rules, its delegates and completions,
/// is only used once it has been taken out on the main queue, as on iOS.
///
/// The standard library's `Mutex` promises no less, but with it the thread sanitizer reports races
/// that are none, on Linux. A contended `Mutex` is handed over by the kernel (`FUTEX_LOCK_PI`), in
/// code of the runtime that is not instrumented: a program that adds to a number in a `Mutex` is
/// reported as soon as one thread has to wait for another, counts right all the same, and is not
/// reported if nobody ever waits. The sanitizer knows what a pthread mutex does, so that what it
/// reports of this library is true.
@safe final class Guarded<Value>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private var value: Value

  init(_ value: Value) {
    self.value = value
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    let result = unsafe pthread_mutex_init(mutex, nil)
    precondition(result == 0, "a plain mutex needs nothing")
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// Touches the value; must not be nested.
  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return body(&value)
  }
}

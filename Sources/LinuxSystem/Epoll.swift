import CLinux
import Glibc

/// What a descriptor is ready for, or is watched for.
package struct EpollEvents: OptionSet, Sendable {
  /// The bits as `epoll` has them.
  package let rawValue: UInt32

  /// Takes over bits of `epoll`.
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// There is something to read, or the end (`EPOLLIN`).
  package static let readable = EpollEvents(rawValue: EPOLLIN.rawValue)

  /// Some bytes can be written (`EPOLLOUT`).
  package static let writable = EpollEvents(rawValue: EPOLLOUT.rawValue)

  /// The peer has sent its last byte (`EPOLLRDHUP`).
  package static let peerClosed = EpollEvents(rawValue: EPOLLRDHUP.rawValue)

  /// An error is pending (`EPOLLERR`); reported unasked.
  package static let error = EpollEvents(rawValue: EPOLLERR.rawValue)

  /// Both directions are closed (`EPOLLHUP`); reported unasked.
  package static let hangUp = EpollEvents(rawValue: EPOLLHUP.rawValue)

  /// Whether nothing can be exchanged any more: both directions are closed, or an error is pending.
  package var isGone: Bool { rawValue & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 }
}

/// A set of watched descriptors, each with a number of the caller's, and the batch found ready last.
///
/// Its own descriptor becomes readable when something in the set is ready, so that a whole set is
/// one source of an event loop. It is level-triggered: what a batch leaves undone is in the next.
@safe  // the buffer is made and freed here, and indices are checked
package final class Epoll {
  /// How many descriptors one batch holds.
  package static let batchSize = 256

  /// A descriptor that is ready.
  package struct Ready: Sendable, Equatable {
    /// The number it was added with.
    package let tag: UInt64

    /// What it is ready for.
    package let events: EpollEvents
  }

  private let descriptor: FileDescriptor
  private let batch: UnsafeMutableBufferPointer<epoll_event>
  private var readyCount = 0

  /// Makes an empty set.
  ///
  /// - Throws: ``Errno`` of `epoll_create1`.
  package init() throws(Errno) {
    descriptor = FileDescriptor(
      owning: try check(epoll_create1(Int32(EPOLL_CLOEXEC)), "epoll_create1"))
    unsafe batch = .allocate(capacity: Self.batchSize)
    unsafe batch.initialize(repeating: epoll_event())
  }

  deinit { unsafe batch.deallocate() }

  /// The set's own descriptor, to be watched for reading.
  package var rawValue: Int32 { descriptor.rawValue }

  /// Watches one more descriptor.
  ///
  /// - Parameters:
  ///   - fd: The descriptor; it stays the caller's. Closing its last copy takes it out of the set.
  ///   - events: What to watch for.
  ///   - tag: A number to know it by.
  /// - Throws: ``Errno`` of `epoll_ctl`: `EEXIST`, `ENOMEM`, `ENOSPC` beyond the user's limit.
  package func add(_ fd: Int32, _ events: EpollEvents, tag: UInt64) throws(Errno) {
    try control(EPOLL_CTL_ADD, fd, events, tag)
  }

  /// Changes what a descriptor is watched for, and its number.
  ///
  /// - Parameters:
  ///   - fd: A descriptor of the set.
  ///   - events: What to watch for from now on.
  ///   - tag: A number to know it by.
  /// - Throws: ``Errno`` of `epoll_ctl`.
  package func modify(_ fd: Int32, _ events: EpollEvents, tag: UInt64) throws(Errno) {
    try control(EPOLL_CTL_MOD, fd, events, tag)
  }

  /// Takes a descriptor out of the set.
  ///
  /// It may still be in the batch that was found last.
  ///
  /// - Parameter fd: A descriptor of the set.
  /// - Throws: ``Errno`` of `epoll_ctl`.
  package func remove(_ fd: Int32) throws(Errno) {
    try control(EPOLL_CTL_DEL, fd, [], 0)
  }

  /// Finds what is ready now, without waiting.
  ///
  /// - Returns: How many descriptors are ready, at most ``batchSize``.
  /// - Throws: ``Errno`` of `epoll_wait`.
  package func wait() throws(Errno) -> Int {
    readyCount = 0
    let count = unsafe epoll_wait(
      descriptor.rawValue, batch.baseAddress, Int32(Self.batchSize), 0)
    readyCount = Int(try check(count, "epoll_wait"))
    return readyCount
  }

  /// One of the descriptors that were found last.
  ///
  /// - Parameter index: At least 0 and less than what ``wait()`` returned.
  /// - Returns: Its tag and what it is ready for.
  package func ready(_ index: Int) -> Ready {
    precondition(index >= 0 && index < readyCount, "no such entry in this batch")
    let event = unsafe batch[index]
    return unsafe Ready(tag: event.data.u64, events: EpollEvents(rawValue: event.events))
  }

  private func control(
    _ operation: Int32, _ fd: Int32, _ events: EpollEvents, _ tag: UInt64
  ) throws(Errno) {
    var event = unsafe epoll_event(events: events.rawValue, data: epoll_data_t(u64: tag))
    _ = try check(unsafe epoll_ctl(descriptor.rawValue, operation, fd, &event), "epoll_ctl")
  }
}

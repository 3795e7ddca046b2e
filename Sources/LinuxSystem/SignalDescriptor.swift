import CLinux
import Glibc

/// Signals as something to be read, in place of what they would do.
package struct SignalDescriptor: ~Copyable {
  private let descriptor: FileDescriptor

  /// Takes signals over; for a process of one thread, or before it starts others.
  ///
  /// - Parameter signals: Their numbers.
  /// - Throws: ``Errno`` of `signalfd`.
  package init(_ signals: [Int32]) throws(Errno) {
    let number = unsafe clinux_signal_descriptor(signals, signals.count)
    descriptor = FileDescriptor(owning: try checkNegated(number, "signalfd"))
  }

  /// The number, for those who wait until there is something to read.
  package var rawValue: Int32 { descriptor.rawValue }

  /// Takes the next signal, without waiting.
  ///
  /// - Returns: Its number; nil if none has come.
  package borrowing func next() -> Int32? {
    let number = clinux_signal_next(descriptor.rawValue)
    return number > 0 ? number : nil
  }
}

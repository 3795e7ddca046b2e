import Glibc
import LinuxSystem

/// Notes what happened, in order.
final class Recorder {
  private(set) var entries: [String] = []

  func add(_ entry: String) { entries.append(entry) }
}

/// A place for what a handler must know before it exists.
final class Box<Value> {
  var value: Value?
}

/// A pipe whose ends do not block, as the event loop's descriptors.
final class WatchedPipe {
  private let pipe: Pipe

  init() throws {
    pipe = try Pipe()
    for end in [reading, writing] { try FileDescriptor.setNonBlockingAndCloseOnExec(end) }
  }

  var reading: Int32 { pipe.reading.rawValue }
  var writing: Int32 { pipe.writing.rawValue }

  func write(_ text: String) { _ = unsafe Glibc.write(writing, text, text.utf8.count) }

  func read() -> String { readText(from: reading) }
}

/// Reads what is there now, up to 4096 bytes; empty when there is nothing.
func readText(from descriptor: Int32) -> String {
  var bytes = [UInt8](repeating: 0, count: 4096)
  let count = unsafe read(descriptor, &bytes, bytes.count)
  return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
}

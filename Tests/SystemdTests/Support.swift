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

/// A pipe whose ends do not block.
final class Pipe {
  private let readEnd: FileDescriptor
  private let writeEnd: FileDescriptor

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else { throw Errno(code: errno, call: "pipe") }
    readEnd = FileDescriptor(owning: ends[0])
    writeEnd = FileDescriptor(owning: ends[1])
    for end in ends { try FileDescriptor.setNonBlockingAndCloseOnExec(end) }
  }

  var reading: Int32 { readEnd.rawValue }
  var writing: Int32 { writeEnd.rawValue }

  func write(_ text: String) { _ = unsafe Glibc.write(writing, text, text.utf8.count) }

  func read() -> String { readText(from: reading) }
}

/// Reads what is there now, up to 4096 bytes; empty when there is nothing.
func readText(from descriptor: Int32) -> String {
  var bytes = [UInt8](repeating: 0, count: 4096)
  let count = unsafe read(descriptor, &bytes, bytes.count)
  return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
}

import Checkout

import Glibc
import ValueTree

@testable import CheckoutStore

/// A system call that failed.
struct SystemError: Error { let code = errno }

/// A directory that is removed with all its files when the test lets go of it.
final class TemporaryDirectory {
  let path: String
  private var copies: [TemporaryDirectory] = []

  init() throws {
    var template = Array("/tmp/checkoutd-store-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw SystemError() }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for name in Self.names(in: path) {
      unsafe unlink("\(path)/\(name)")
      unsafe rmdir("\(path)/\(name)")
    }
    unsafe rmdir(path)
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The database.
  var database: String { file("checkoutd.sqlite") }

  /// The names of the files in it, in order.
  var names: [String] { Self.names(in: path) }

  private static func names(in path: String) -> [String] {
    guard let directory = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name.0) {
        unsafe String(cString: $0)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Another directory with the same files: what a process that is killed now leaves behind.
  ///
  /// The reserve is left out; it holds nothing. The copy stays for as long as the original.
  func copy() throws -> TemporaryDirectory {
    let other = try TemporaryDirectory()
    copies.append(other)
    for name in names where name != "reserve" {
      try write(try readBytes(file(name)), to: other.file(name))
    }
    return other
  }

  /// Every byte of every file but the reserve, by name.
  ///
  /// A log that is empty is as good as none.
  func contents() throws -> [String: [UInt8]] {
    var contents: [String: [UInt8]] = [:]
    for name in names where name != "reserve" {
      let bytes = try readBytes(file(name))
      if !bytes.isEmpty { contents[name] = bytes }
    }
    return contents
  }
}

/// Reads a whole file.
func readBytes(_ path: String) throws -> [UInt8] {
  let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { throw SystemError() }
  defer { close(file) }
  var info = stat()
  guard unsafe fstat(file, &info) == 0 else { throw SystemError() }
  let size = Int(info.st_size)
  return try unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
    while count < size {
      let got = unsafe read(file, buffer.baseAddress?.advanced(by: count), size - count)
      guard got > 0 else { throw SystemError() }
      count += got
    }
  }
}

/// Makes a file of these bytes.
func write(_ bytes: [UInt8], to path: String) throws {
  let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
  guard file >= 0 else { throw SystemError() }
  defer { close(file) }
  var done = 0
  while done < bytes.count {
    let put = unsafe bytes.withUnsafeBytes { bytes in
      unsafe Glibc.write(file, bytes.baseAddress?.advanced(by: done), bytes.count - done)
    }
    guard put > 0 else { throw SystemError() }
    done += put
  }
}

/// The permission bits of a file.
func mode(of path: String) -> mode_t {
  var info = stat()
  return unsafe lstat(path, &info) == 0 ? info.st_mode & 0o7777 : 0
}

/// Whether bytes hold a text.
func contains(_ bytes: [UInt8], _ text: String) -> Bool {
  let wanted = Array(text.utf8)
  return unsafe bytes.withUnsafeBytes { bytes in
    guard let start = bytes.baseAddress, bytes.count >= wanted.count else { return false }
    var place = 0
    let end = bytes.count - wanted.count + 1
    while place < end {
      let first = unsafe memchr(start + place, Int32(wanted[0]), end - place)
      guard let first = unsafe first else { return false }
      if unsafe memcmp(first, wanted, wanted.count) == 0 { return true }
      place = unsafe UnsafeRawPointer(first) - start + 1
    }
    return false
  }
}

/// SplitMix64.
struct Generator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// What a turn of the loop changed about one checkout.
struct CheckoutChange {
  var id: CheckoutID
  var fixed: Value?
  var parts: [(name: Int, body: Value)] = []
  var hot: Value = .null
}

extension CheckoutStore {
  /// Opens a directory on some start of the machine.
  convenience init(directory: String) throws(StoreError) {
    try self.init(directory: directory, bootID: 1)
  }

  /// Forgets one checkout.
  func remove(_ id: CheckoutID, leaving record: Value?) throws(StoreError) {
    try remove([(id, record)])
  }

  /// Forgets one record.
  func removeRecord(of id: CheckoutID) throws(StoreError) { try removeRecords(of: [id]) }

  /// Adds an event to a checkout.
  func publish(_ record: EventRecord, of id: CheckoutID) { publish(record, to: log(of: id)) }

  /// Ends a turn that changed these.
  func commit(_ changes: [CheckoutChange], isPayment: Bool) throws(StoreError) {
    try commit(isPayment: isPayment) { () throws(StoreError) in
      for change in changes {
        try write(log(of: change.id)) { row in
          row.append(change.hot)
          return RareChanges(fixed: change.fixed, parts: change.parts)
        }
      }
    }
  }

  /// Publishes events of these kinds, numbered on from the last one.
  func publish(
    _ kinds: [EventKind], of id: CheckoutID, after seq: Int64, text: String = "x"
  ) {
    for (place, kind) in kinds.enumerated() {
      publish(
        EventRecord(
          seq: seq + 1 + Int64(place), time: 1000,
          event: Event(kind, [.init("text", .string(text))])),
        of: id)
    }
  }

  /// Publishes and commits events, and the state after them.
  func write(
    _ kinds: [EventKind], of id: CheckoutID, after seq: Int64, hot: Value = "hot",
    text: String = "x"
  ) throws {
    publish(kinds, of: id, after: seq, text: text)
    try commit(
      [CheckoutChange(id: id, fixed: seq == 0 ? "fixed" : nil, hot: hot)], isPayment: false)
  }

  /// The numbers of the events after one.
  func numbers(of id: CheckoutID, after seq: Int64 = 0) throws -> [Int64] {
    var numbers: [Int64] = []
    try readEvents(of: id, after: seq) { record in
      numbers.append(record.seq)
      return true
    }
    return numbers
  }

  /// What recovery hands out.
  func recovered() throws -> [CheckoutID: RecoveredCheckout] {
    var found: [CheckoutID: RecoveredCheckout] = [:]
    try recover { found[$0.id] = $0 }
    return found
  }

  /// The records that recovery hands out.
  func recoveredRecords() throws -> [CheckoutID: Value] {
    var found: [CheckoutID: Value] = [:]
    try recoverRecords { found[$0] = $1 }
    return found
  }
}

/// A row as the store writes it.
func rowBytes(hot: Value, _ events: [EventRecord]) -> [UInt8] {
  let writer = CompactWriter()
  RowBody.begin(in: writer)
  writer.append(hot)
  writer.beginArray(count: events.count)
  for event in events { event.append(to: writer) }
  return writer.bytes
}

extension Checkout {
  /// The state that every row has.
  var storedHot: Value {
    get throws {
      let writer = CompactWriter()
      writeHot(to: writer)
      return try unsafe writer.withUnsafeBytes { try unsafe CompactValue.read($0) }
    }
  }
}

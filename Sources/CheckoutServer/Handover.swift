import JSON
import JSONRPC
import LinuxSystem
package import Systemd
import ValueTree

/// What one run of the daemon leaves to the next: its clients' connections, and a sealed file that
/// says how far each has got.
///
/// It is of use once, and only after a stop in order: the file goes to the service manager last, so
/// that connections without it are those of a run that was cut short, and both are taken from the
/// service manager before anything is done with them.
package struct Handover: ~Copyable {
  /// What the file is left under.
  static let fileName = "handover"

  /// What the connections are left under; the number tells those of other runs apart.
  static func connectionName(_ generation: UInt64) -> String {
    connectionPrefix + hexadecimal(generation)
  }

  private static let connectionPrefix = "connection-"
  private static let version: Int64 = 1

  /// A client.
  struct Entry {
    /// What the kernel tells its connection by.
    let cookie: UInt64
    let state: ConnectionState
  }

  /// The clients, by what the kernel tells their connections by.
  private var states: [UInt64: ConnectionState] = [:]
  private var descriptors: [(cookie: UInt64, rawValue: Int32)] = []

  /// Nothing.
  package init() {}

  /// Takes over what an earlier run has left, and has the service manager forget it.
  ///
  /// What cannot be used is let go: its clients see the end of their connections.
  package init(_ stored: [StoredDescriptor], bootID: Int64, _ service: ServiceManager, _ log: Log) {
    guard !stored.isEmpty else { return }
    for name in Set(stored.map(\.name)) { service.removeStored(named: name) }
    if !service.synchronize() { log.warning("the service manager does not answer") }
    var generation: UInt64?
    for entry in stored where entry.name == Self.fileName {
      let file = FileDescriptor(owning: entry.rawValue)
      guard let bytes = SealedFile.read(file), let read = Self.read(bytes, bootID: bootID) else {
        log.warning("what an earlier run left cannot be read", id: MessageID.leftOver)
        continue
      }
      generation = read.generation
      states = Dictionary(read.entries.map { ($0.cookie, $0.state) }) { _, last in last }
    }
    var leftOver = 0
    for entry in stored where entry.name != Self.fileName {
      let descriptor = FileDescriptor(owning: entry.rawValue)
      let isOurs = entry.name == generation.map(Self.connectionName)
      if isOurs, let cookie = try? descriptor.socketCookie(), states[cookie] != nil {
        descriptors.append((cookie, descriptor.release()))
      } else {
        leftOver += 1
        descriptor.shutDown()
      }
    }
    if leftOver > 0 {
      log.warning(
        "let go of \(leftOver) descriptors that an earlier run left", id: MessageID.leftOver)
    }
  }

  /// Hands out each client, once.
  mutating func takeAll(_ body: (consuming FileDescriptor, ConnectionState) -> Void) {
    for (cookie, rawValue) in descriptors {
      let descriptor = FileDescriptor(owning: rawValue)
      if let state = states[cookie] { body(descriptor, state) }
    }
    descriptors = []
    states = [:]
  }

  // MARK: The file

  /// The file's bytes: how long the description is, the description, and the bytes it speaks of.
  static func write(_ entries: [Entry], generation: UInt64, bootID: Int64) -> [UInt8] {
    let description: Value = [
      .integer(version), .integer(Int64(bitPattern: generation)), .integer(bootID),
      .array(
        entries.map { [.integer(Int64(bitPattern: $0.cookie)), $0.state.stored] }),
    ]
    let text = Array(description.jsonText.utf8)
    var bytes = Array("\(text.count)\n".utf8)
    bytes += text
    for entry in entries {
      bytes += entry.state.output
      bytes += entry.state.input.bytes
    }
    return bytes
  }

  /// Reads the file's bytes.
  ///
  /// - Returns: Nothing if they are of another version or another start of the machine.
  static func read(
    _ bytes: [UInt8], bootID: Int64
  ) -> (generation: UInt64, entries: [Entry])? {
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
      let count = Int(String(decoding: bytes[..<end], as: UTF8.self)), count >= 0,
      count <= bytes.count - end - 1
    else { return nil }
    var rest = bytes[(end + 1 + count)...]
    let reader = JSONReader(maximumByteCount: max(4096, count))
    guard let value = try? reader.value(of: Array(bytes[(end + 1)..<(end + 1 + count)])),
      let parts = value.array, parts.count == 4, parts[0].integer == version,
      let generation = parts[1].integer, parts[2].integer == bootID, let list = parts[3].array
    else { return nil }
    var entries: [Entry] = []
    for element in list {
      guard let pair = element.array, pair.count == 2, let cookie = pair[0].integer else {
        return nil
      }
      let state = ConnectionState(pair[1]) { count in
        guard count >= 0, count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return Array(rest.prefix(Int(count)))
      }
      guard let state else { return nil }
      entries.append(Entry(cookie: UInt64(bitPattern: cookie), state: state))
    }
    return (UInt64(bitPattern: generation), entries)
  }
}

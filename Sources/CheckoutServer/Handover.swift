import JSON
import JSONRPC
import LinuxSystem
package import Systemd
import ValueTree

/// What one run of the daemon leaves to the next: its clients' connections, and a sealed file that
/// says how far each has got.
///
/// The service manager keeps two descriptors for it, however many clients there are: it looks through
/// all that it keeps for each one that comes. It is of use once, and only after a stop in order: the
/// file goes to the service manager last, so that connections without it are those of a run that was
/// cut short, and both are taken from the service manager before anything is done with them.
package struct Handover: ~Copyable {
  /// What the file is left under.
  static let fileName = "handover"

  /// What the connections are left under.
  static let connectionsName = "connections"

  /// The version of the file.
  ///
  /// Members may be added, which readers pass over that do not know them: the number goes up only
  /// when such readers would go wrong.
  private static let version: Int64 = 2

  /// The members, in the order in which version 1 has them without names.
  private static let names = ["version", "generation", "boot", "connections"]

  private var states: [ConnectionState] = []
  private var descriptors: [Int32] = []

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
    var carried: (descriptors: [Int32], label: UInt64)?
    var unknownCount = 0
    for entry in stored {
      let descriptor = FileDescriptor(owning: entry.rawValue)
      switch entry.name {
      case Self.fileName where generation == nil:
        let read = SealedFile.read(descriptor).flatMap { Self.read($0, bootID: bootID) }
        generation = read?.generation
        states = read?.states ?? []
      case Self.connectionsName where carried == nil:
        carried = DescriptorCarrier.unpack(descriptor)
      default:
        unknownCount += 1
        descriptor.shutDown()
      }
    }
    if unknownCount > 0 {
      log.warning(
        "let go of \(unknownCount) descriptors that are not of this version",
        id: MessageID.leftOver)
    }
    guard let carried else { return }
    descriptors = carried.descriptors
    guard carried.label == generation, descriptors.count == states.count else {
      takeAll { descriptor, _ in descriptor.shutDown() }
      log.warning(
        "let go of \(carried.descriptors.count) connections of a run that was cut short",
        id: MessageID.leftOver)
      return
    }
  }

  /// Hands out each client, once.
  mutating func takeAll(_ body: (consuming FileDescriptor, ConnectionState) -> Void) {
    for (place, rawValue) in descriptors.enumerated() {
      let state = place < states.count ? states[place] : ConnectionState()
      body(FileDescriptor(owning: rawValue), state)
    }
    descriptors = []
    states = []
  }

  // MARK: The file

  /// The file's bytes: how long the description is, the description, and the bytes it speaks of.
  static func write(
    _ states: [ConnectionState], generation: UInt64, bootID: Int64
  ) -> [UInt8] {
    let description: Value = [
      "version": .integer(version), "generation": .integer(Int64(bitPattern: generation)),
      "boot": .integer(bootID), "connections": .array(states.map(\.stored)),
    ]
    let text = Array(description.jsonText.utf8)
    var bytes = Array("\(text.count)\n".utf8)
    bytes += text
    for state in states {
      bytes += state.output
      bytes += state.input.bytes
    }
    return bytes
  }

  /// Reads the file's bytes.
  ///
  /// - Returns: Nothing if they are of a later version or another start of the machine.
  static func read(
    _ bytes: [UInt8], bootID: Int64
  ) -> (generation: UInt64, states: [ConnectionState])? {
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
      let count = Int(String(decoding: bytes[..<end], as: UTF8.self)), count >= 0,
      count <= bytes.count - end - 1
    else { return nil }
    var rest = bytes[(end + 1 + count)...]
    let reader = JSONReader(maximumByteCount: max(4096, count))
    guard let value = try? reader.value(of: Array(bytes[(end + 1)..<(end + 1 + count)])),
      case let description = value.named(names), let found = description["version"]?.integer,
      (1...version).contains(found), let generation = description["generation"]?.integer,
      description["boot"]?.integer == bootID, let list = description["connections"]?.array
    else { return nil }
    var states: [ConnectionState] = []
    for element in list {
      let state = ConnectionState(element) { count in
        guard count >= 0, count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return Array(rest.prefix(Int(count)))
      }
      guard let state else { return nil }
      states.append(state)
    }
    return (UInt64(bitPattern: generation), states)
  }
}

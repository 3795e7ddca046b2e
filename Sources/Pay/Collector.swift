import Glibc
import JSON
import LinuxSystem
import ValueTree

/// The program that asks the shopper for a bank account, in a browser on this machine.
///
/// It is told what it needs by its standard input, prints the address to open as its first line, and
/// tells the daemon by itself what came of it.
final class Collector {
  /// How far it is.
  enum State: Equatable {
    /// It has not yet said where it is.
    case starting
    /// It waits at this address.
    case waiting(address: String)
    /// It has ended well: what it found out is with the daemon.
    case done
    /// It has ended otherwise, for this reason.
    case failed(reason: String)
    /// There is no such program.
    case missing(program: String)
  }

  private(set) var state = State.starting
  private var program: Subprocess?
  private var output = Stream()
  private var errors = Stream()

  private struct Stream {
    var bytes: [UInt8] = []
    var isAtEnd = false
  }

  /// As much as an address, or a reason, may take.
  private static let maximumByteCount = 8192

  /// Starts it.
  ///
  /// - Parameters:
  ///   - componentID: Whose account is sought.
  ///   - info: What the daemon told about it.
  ///   - socket: Where the daemon listens.
  init(for componentID: String, info: Value, socket: String) {
    let named = unsafe getenv("CHECKOUTD_COLLECTOR").map { unsafe String(cString: $0) } ?? ""
    let name = named.isEmpty ? "checkoutd-collector" : named
    do throws(Errno) {
      program = try Subprocess(
        [name, "--socket", socket, componentID], input: info.jsonText + "\n")
    } catch {
      state = error.code == ENOENT ? .missing(program: name) : .failed(reason: "\(error)")
    }
  }

  /// Asks it to end.
  func terminate() { program?.terminate() }

  /// Whether it has not ended yet.
  var isRunning: Bool { program != nil }

  /// What it prints, to wait for; negative if there is nothing to wait for.
  var outputDescriptor: Int32 { output.isAtEnd ? -1 : program?.output.rawValue ?? -1 }
  /// What it complains, to wait for; negative if there is nothing to wait for.
  var errorDescriptor: Int32 { errors.isAtEnd ? -1 : program?.errors.rawValue ?? -1 }

  /// Takes what it has printed.
  ///
  /// - Returns: Whether ``state`` has changed.
  func takeOutput() -> Bool {
    Self.read(from: outputDescriptor, into: &output)
    Self.read(from: errorDescriptor, into: &errors)
    let newline = UInt8(ascii: "\n")
    guard state == .starting, let end = output.bytes.firstIndex(of: newline) else { return false }
    state = .waiting(address: String(decoding: output.bytes[..<end], as: UTF8.self))
    return true
  }

  /// Takes note of its end, if it has come.
  ///
  /// - Returns: Whether ``state`` has changed.
  func takeEnd() -> Bool {
    guard let end = program?.end() else { return false }
    _ = takeOutput()
    program = nil
    switch end {
    case .exited(0): state = .done
    case .exited(let status): state = .failed(reason: lastComplaint ?? "exit status \(status)")
    case .signalled(let signal): state = .failed(reason: "signal \(signal)")
    }
    return true
  }

  private var lastComplaint: String? {
    errors.bytes.split(separator: UInt8(ascii: "\n")).last.map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  /// Reads all that is there; more than can be of use is dropped.
  private static func read(from descriptor: Int32, into stream: inout Stream) {
    var piece = [UInt8](repeating: 0, count: 4096)
    while descriptor >= 0 {
      let count = unsafe Glibc.read(descriptor, &piece, piece.count)
      if count == 0 { stream.isAtEnd = true }
      guard count > 0 else { return }
      stream.bytes = (stream.bytes + piece[..<count]).suffix(maximumByteCount)
    }
  }
}

import Upstream

/// Why a client's bytes are no SOCKS that is spoken here.
enum SocksError: Error, Sendable, Equatable {
  /// Not version 5, or no message of it.
  case malformed
  /// No method is offered that needs no password.
  case noMethod
  /// A command other than CONNECT.
  case command
  /// An address that is none of the three kinds.
  case addressType
  /// A name that is none, or port 0.
  case destination
}

/// The first message of a client: which methods of authentication it knows.
///
/// Readers are told how much is missing, and so never take a byte that belongs to what follows.
///
/// - Source: RFC 1928, section 3.
enum SocksGreeting {
  /// Looks for the one method that is none: the socket's file says who may connect.
  ///
  /// - Parameter bytes: All that have come, from the first on.
  /// - Returns: How many are still to come at least; 0 when the message is whole, and good.
  /// - Throws: ``SocksError``.
  static func missingCount(in bytes: [UInt8]) throws(SocksError) -> Int {
    guard bytes.isEmpty || bytes[0] == Socks.version else { throw .malformed }
    guard bytes.count >= 2 else { return 2 - bytes.count }
    let missing = 2 + Int(bytes[1]) - bytes.count
    guard missing <= 0 else { return missing }
    guard bytes[2...].contains(Socks.noAuthentication) else { throw .noMethod }
    return 0
  }
}

/// The second message of a client: where to connect to.
///
/// - Source: RFC 1928, sections 4 and 5.
struct SocksRequest: Sendable, Equatable {
  /// The host, in the form in which the rules know it.
  let host: Host
  /// The port, not 0.
  let port: UInt16

  /// How it stands with a message.
  enum Progress: Sendable, Equatable {
    /// At least that many bytes are still to come.
    case needs(Int)
    /// It is whole; there are no bytes after it.
    case whole(SocksRequest)
  }

  /// Reads the bytes that have come.
  ///
  /// - Parameter bytes: All of them, from the first on.
  /// - Returns: How it stands with the message.
  /// - Throws: ``SocksError``.
  static func read(_ bytes: [UInt8]) throws(SocksError) -> Progress {
    guard bytes.isEmpty || bytes[0] == Socks.version else { throw .malformed }
    // With the first byte of the address, which says how long a name is.
    guard bytes.count >= 5 else { return .needs(5 - bytes.count) }
    guard bytes[1] == Socks.connect else { throw .command }
    guard bytes[2] == 0 else { throw .malformed }
    let address: Range<Int>
    switch bytes[3] {
    case Socks.v4: address = 4..<8
    case Socks.v6: address = 4..<20
    case Socks.name: address = 5..<5 + Int(bytes[4])
    default: throw .addressType
    }
    let missing = address.upperBound + 2 - bytes.count
    guard missing <= 0 else { return .needs(missing) }
    let port = UInt16(bytes[address.upperBound]) << 8 | UInt16(bytes[address.upperBound + 1])
    let isName = bytes[3] == Socks.name
    guard port > 0,
      let host = isName
        ? Self.host(named: bytes[address])
        : .address(NetworkAddress(bytes: Array(bytes[address])))
    else { throw .destination }
    return .whole(SocksRequest(host: host, port: port))
  }

  /// A name; or an address as text, which some clients send as a name.
  private static func host(named bytes: ArraySlice<UInt8>) -> Host? {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    return Host(text.contains(":") && !text.hasPrefix("[") ? "[\(text)]" : text)
  }
}

/// What a client is told of its request.
///
/// - Source: RFC 1928, section 6.
enum SocksReply: UInt8, Sendable {
  case succeeded = 0
  case generalFailure = 1
  case notAllowed = 2
  case networkUnreachable = 3
  case hostUnreachable = 4
  case connectionRefused = 5
  case commandNotSupported = 7
  case addressTypeNotSupported = 8

  /// The message.
  ///
  /// The address that the connection was made from is nobody's affair, and is left out.
  var bytes: [UInt8] { [Socks.version, rawValue, 0, Socks.v4, 0, 0, 0, 0, 0, 0] }
}

/// The numbers of the protocol.
enum Socks {
  static let version: UInt8 = 5
  static let connect: UInt8 = 1
  static let noAuthentication: UInt8 = 0
  static let noAcceptableMethod: UInt8 = 0xFF
  static let v4: UInt8 = 1
  static let name: UInt8 = 3
  static let v6: UInt8 = 4
}

extension SessionState {
  /// How it stands with the message that is awaited.
  enum Progress: Sendable, Equatable {
    /// At least that many bytes are still to come.
    case needs(Int)
    /// The greeting is whole.
    case chosen
    /// The request is whole.
    case whole(SocksRequest)
    /// It is none; that is to be answered, if anything.
    case refused([UInt8])
  }

  /// Reads what has come.
  var progress: Progress {
    do throws(SocksError) {
      guard stage == .greeting else {
        switch try SocksRequest.read(message) {
        case .needs(let count): return .needs(count)
        case .whole(let request): return .whole(request)
        }
      }
      let missing = try SocksGreeting.missingCount(in: message)
      return missing > 0 ? .needs(missing) : .chosen
    } catch {
      guard stage == .greeting else { return .refused(error.reply.bytes) }
      return .refused(error == .noMethod ? [Socks.version, Socks.noAcceptableMethod] : [])
    }
  }
}

extension SocksError {
  /// What a client is told whose request it is.
  fileprivate var reply: SocksReply {
    switch self {
    case .malformed, .noMethod: .generalFailure
    case .command: .commandNotSupported
    case .addressType: .addressTypeNotSupported
    case .destination: .notAllowed
    }
  }
}

import Glibc
package import JSONRPC
package import LinuxSystem
package import ValueTree

/// Why a call had no result, or why no event comes.
package enum ClientError: Error, Sendable, Equatable {
  /// Nobody could be reached at the socket's path.
  case cannotConnect(UnixSocketError)
  /// The daemon has closed the connection.
  case closed
  /// The deadline has passed. The call may have taken effect all the same.
  case timedOut
  /// The daemon, or whoever listens there, said what the protocol does not allow.
  case protocolViolation(String)
  /// The daemon answered with an error.
  case remote(RPCError)
  /// The daemon refused or closed the connection with an error.
  case refused(RPCError)
  /// Nobody reads any more what the caller writes.
  case outputClosed
  /// A system call failed.
  case failed(Errno)
}

extension ClientError: CustomStringConvertible {
  /// A line for people, which shows nothing that was sent.
  package var description: String {
    switch self {
    case .cannotConnect(let error): "cannot connect: \(error)"
    case .closed: "the daemon closed the connection"
    case .timedOut: "no answer in time"
    case .protocolViolation(let what): "no checkoutd listens there: \(what)"
    case .remote(let error), .refused(let error): "\(error.message) (\(error.code.rawValue))"
    case .outputClosed: "nobody reads the output"
    case .failed(let error): error.description
    }
  }
}

extension ClientError {
  /// Whether another connection may do better: the daemon has gone, was about to, or had no room.
  package var isLoss: Bool {
    switch self {
    case .closed: true
    case .cannotConnect(.failed(let error, _)):
      [ENOENT, ECONNREFUSED, ECONNRESET].contains(error.code)
    case .remote(let error): error.code == .shuttingDown
    case .refused(let error): [.quotaExceeded, .shuttingDown, .closing].contains(error.code)
    default: false
    }
  }

  /// What the daemon calls the error that it said.
  package var errorID: String? {
    switch self {
    case .remote(let error), .refused(let error): error.errorId
    default: nil
    }
  }
}

extension RPCError {
  /// Reads the `error` of a reply; nil if it is none.
  init?(_ value: Value) {
    guard let code = value["code"]?.integer, let message = value["message"]?.string else {
      return nil
    }
    self.init(code: Code(rawValue: Int(code)), message: message, data: value["data"])
  }

  /// The error as it stands in a reply.
  package var value: Value {
    var members: [Value.Member] = [
      .init("code", .integer(Int64(code.rawValue))), .init("message", .string(message)),
    ]
    if let data { members.append(.init("data", data)) }
    return .object(members)
  }
}

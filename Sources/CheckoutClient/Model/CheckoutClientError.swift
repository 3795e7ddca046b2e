import JSONRPC
import LinuxSystem
import ValueTree

/// Why a call to the daemon had no result, or why no more events come.
public enum CheckoutClientError: Error, Sendable, Hashable {
  /// Nobody could be reached at the socket, or not again in time; the text says why.
  case unreachable(String)

  /// Whoever listens at the socket does not speak the daemon's protocol.
  case protocolViolation(String)

  /// The daemon refused the call.
  ///
  /// The code groups what `details.errorId` says exactly; see ``CheckoutErrorDetails/errorId``.
  case refused(code: Int, details: CheckoutErrorDetails)

  /// The task was cancelled while it waited; the call may have taken effect all the same.
  case cancelled
}

extension CheckoutClientError: CustomStringConvertible {
  /// A line for people, which shows nothing that was sent.
  public var description: String {
    switch self {
    case .unreachable(let reason): "cannot reach checkoutd: \(reason)"
    case .protocolViolation(let what): "no checkoutd listens there: \(what)"
    case .refused(let code, let details):
      "\(details.wholeDescription) (\(code), \(details.errorId))"
    case .cancelled: "the waiting was cancelled"
    }
  }

  /// What the daemon said was wrong, if it did.
  public var details: CheckoutErrorDetails? {
    guard case .refused(_, let details) = self else { return nil }
    return details
  }
}

extension CheckoutClientError {
  init(_ error: RPCError) {
    self = .refused(
      code: error.code.rawValue,
      details: CheckoutErrorDetails(error.data ?? .object([]), description: error.message))
  }

  init(_ error: ClientError) {
    switch error {
    case .protocolViolation(let what): self = .protocolViolation(what)
    case .remote(let error), .refused(let error): self.init(error)
    case .cannotConnect(let error): self = .unreachable("\(error)")
    default: self = .unreachable(error.description)
    }
  }

  /// Says that a result lacks what it must have.
  static func missing(_ name: String) -> CheckoutClientError {
    .protocolViolation("a result without \(name)")
  }
}

import Glibc
import Terminal

/// Colours for what is written to a terminal, and none for what is not.
struct Paint: Sendable {
  /// How a piece of text looks.
  enum Look: Sendable {
    case plain, heading, faint, good, bad, pending

    fileprivate var code: String {
      switch self {
      case .plain: ""
      case .heading: "1"
      case .faint: "2"
      case .good: "32"
      case .bad: "31"
      case .pending: "33"
      }
    }

    /// How the state of a checkout looks.
    init(state: String) {
      switch state {
      case "completed", "success": self = .good
      case "failed", "unknown": self = .bad
      case "archived", "cancelled": self = .faint
      case let state where state.hasPrefix("awaiting"): self = .pending
      default: self = .plain
      }
    }
  }

  let isColored: Bool

  /// Colours if a descriptor is a terminal that has them, and the user does not mind.
  init(descriptor: Int32) {
    isColored =
      isatty(descriptor) == 1 && Self.environment("NO_COLOR").isEmpty
      && Self.environment("TERM") != "dumb"
  }

  private static func environment(_ name: String) -> String {
    unsafe getenv(name).map { unsafe String(cString: $0) } ?? ""
  }

  /// The text with what makes it look like that.
  func callAsFunction(_ text: String, _ look: Look) -> String {
    isColored && !look.code.isEmpty ? "\u{1B}[\(look.code)m\(text)\u{1B}[0m" : text
  }
}

extension String {
  /// The text with a sign in place of what could steer a terminal, whoever sent it.
  var printable: String { visible }
}

import Glibc
import LinuxSystem
import Upstream

/// What the command line sets.
struct Settings {
  /// Where to listen, if no socket is passed in.
  var socket: String?
  /// The daemon's configuration file.
  var configuration: String
  /// What is allowed beside what the file says.
  var entries: [String] = []
  /// After how many seconds without a client it ends; 0 for never.
  var idleSeconds: UInt64 = 0
}

/// What the command line asks for.
enum Invocation {
  /// Print this and end.
  case show(String)
  /// The command line makes no sense.
  case refuse(String)
  /// Serve.
  case run(Settings)

  private static let options = [
    CommandLineOption("socket", takesValue: true),
    CommandLineOption("config", letter: "c", takesValue: true),
    CommandLineOption("upstream-allow", takesValue: true),
    CommandLineOption("idle-exit", takesValue: true),
    CommandLineOption("help", letter: "h"),
  ]

  /// Reads a command line.
  init(_ arguments: [String]) {
    do throws(CommandLineError) {
      let parsed = try CommandLineArguments(arguments, options: Self.options)
      self = Self.read(parsed)
    } catch {
      self = .refuse(error.description)
    }
  }

  private static func read(_ parsed: CommandLineArguments) -> Invocation {
    guard parsed.operands.isEmpty else {
      return .refuse("there are no arguments beside the options")
    }
    let named = variable("CONFIGURATION_DIRECTORY")?.split(separator: ":").first
    var settings = Settings(configuration: (named ?? "/etc/checkoutd") + "/checkoutd.conf")
    for (index, value) in parsed.options {
      let value = value ?? ""
      switch options[index].name {
      case "socket": settings.socket = value
      case "config": settings.configuration = value
      case "upstream-allow":
        do throws(UpstreamEntryProblem) {
          _ = try UpstreamPolicy(entries: [value])
        } catch { return .refuse("--upstream-allow: \(error)") }
        settings.entries.append(value)
      case "idle-exit":
        guard let seconds = UInt64(value), seconds <= 86_400 else {
          return .refuse("--idle-exit: expected a whole number from 0 (never) to 86400")
        }
        settings.idleSeconds = seconds
      default: return .show(help)
      }
    }
    return .run(settings)
  }

  private static let help = """
    Usage: checkoutd-egress [OPTION]...
    Makes the connections of checkoutd, which then needs no network: to the hosts that its rules
    allow, for whoever may connect to a Unix socket and asks with SOCKS 5 (checkoutd --egress PATH).

          --socket PATH                  listen here, unless the service manager passes a socket
      -c, --config FILE                  read upstream-allow and proxy from this file, anew for each
                                         connection [/etc/checkoutd/checkoutd.conf]
          --upstream-allow HOST[:PORT]   allow this host too; may be given more than once
          --idle-exit SECONDS            end after so long without a client, if the service manager
                                         passes the socket [0: never]
      -h, --help                         print this, and end
    """
}

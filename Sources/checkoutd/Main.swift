import CheckoutServer
import LinuxSystem
import PrimerAPI
import Systemd

/// `checkoutd`: the command.
@main
enum Main {
  static func main() { start() }
}

/// Starts the daemon, and ends the process with its exit code: 0, 1 for a failure, 2 for wrong usage,
/// 78 for a wrong configuration.
///
/// Not isolated to the main actor: callbacks from C are made here, and run wherever C calls them.
private nonisolated func start() -> Never {
  // First of all: takes the service manager's variables out of the environment.
  let service = ServiceManager()
  switch Invocation(CommandLine.arguments) {
  case .show(let text):
    print(text)
    exitProcess(0)
  case .refuse(let message):
    complain("checkoutd: \(message)\nTry checkoutd --help.")
    exitProcess(2)
  case .check(let settings):
    let options: Options
    do {
      options = try Daemon.check(settings).options
    } catch {
      complain("checkoutd: \(error.message)")
      exitProcess(error.code)
    }
    print("The configuration is good.")
    if let egress = options.egress { tellOfEgress(egress) }
    exitProcess(0)
  case .restore(let copy, let settings):
    do {
      try Daemon.restore(copy, settings)
    } catch {
      complain("checkoutd: \(error.message)")
      exitProcess(error.code)
    }
    print("The state is restored: the daemon can be started.")
    exitProcess(0)
  case .run(let settings): exitProcess(Daemon.run(settings, service))
  }
}

/// Says so if nobody is where the egress should be: it may still come, so that is no mistake.
private nonisolated func tellOfEgress(_ egress: EgressPath) {
  do throws(UnixSocketError) {
    _ = try UnixSocket.connect(to: egress.text)
  } catch {
    complain("checkoutd: no connection can be made upstream yet: the egress: \(error)")
  }
}

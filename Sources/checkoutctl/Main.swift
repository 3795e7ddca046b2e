/// `checkoutctl`: the command.
@main
enum Main {
  static func main() { run() }
}

/// Does what the command line asks for, and ends the process with its exit status.
private nonisolated func run() -> Never {
  ProcessStreams.prepare()
  let status: ExitStatus
  do throws(Failure) {
    try Invocation(CommandLine.arguments).run()
    status = .success
  } catch {
    status = error.report()
  }
  exitProcess(status)
}

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
    status = try Invocation(CommandLine.arguments).run()
  } catch {
    status = error.report(on: Console(isJSON: false))
  }
  exitProcess(status)
}

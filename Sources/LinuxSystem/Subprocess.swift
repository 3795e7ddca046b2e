import CLinux
import Glibc

/// A program that was started, and what it writes.
package final class Subprocess {
  /// How it ended.
  package enum End: Sendable, Equatable {
    /// It ended by itself, with this status.
    case exited(Int32)
    /// This signal ended it.
    case signalled(Int32)
  }

  private let id: pid_t
  private var hasEnded = false

  /// Its standard output; reading does not wait.
  package let output: FileDescriptor

  /// Its standard error; reading does not wait.
  package let errors: FileDescriptor

  /// Starts a program, with this process's environment and no signal held back.
  ///
  /// - Parameters:
  ///   - arguments: Its name, sought in `PATH` if there is no slash in it, and its arguments.
  ///   - input: What it can read from its standard input; short enough for a pipe to hold it.
  /// - Throws: ``Errno`` of `pipe` or `posix_spawnp`: `ENOENT` if there is no such program.
  package init(_ arguments: [String], input: String) throws(Errno) {
    let standardInput = try Pipe()
    let standardOutput = try Pipe()
    let standardError = try Pipe()
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, standardInput.reading.rawValue, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, standardOutput.writing.rawValue, 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, standardError.writing.rawValue, 2)
    id = try unsafe Self.spawn(arguments, &actions)
    output = standardOutput.reading
    errors = standardError.reading
    try FileDescriptor.setNonBlockingAndCloseOnExec(output.rawValue)
    try FileDescriptor.setNonBlockingAndCloseOnExec(errors.rawValue)
    // A program that reads nothing is told apart by how it ends.
    var input = input
    _ = input.withUTF8 { unsafe write(standardInput.writing.rawValue, $0.baseAddress, $0.count) }
  }

  private static func spawn(
    _ arguments: [String], _ actions: inout posix_spawn_file_actions_t
  ) throws(Errno) -> pid_t {
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    var ignored = sigset_t()
    unsafe sigemptyset(&ignored)
    unsafe sigaddset(&ignored, SIGPIPE)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &ignored)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    var id: pid_t = 0
    let code = unsafe posix_spawnp(&id, arguments[0], &actions, &attributes, &words, environ)
    guard code == 0 else { throw Errno(code: code, call: "posix_spawnp") }
    return id
  }

  /// Tells how the program ended, if it has; the first time that it has.
  ///
  /// - Returns: Nil while it runs, and once it was told.
  package func end() -> End? {
    var status: Int32 = 0
    guard !hasEnded, unsafe waitpid(id, &status, WNOHANG) == id else { return nil }
    hasEnded = true
    // As the macros WTERMSIG and WEXITSTATUS have it.
    let signal = status & 0x7F
    return signal == 0 ? .exited(status >> 8 & 0xFF) : .signalled(signal)
  }

  /// Asks the program to end, if it has not.
  package func terminate() {
    guard !hasEnded else { return }
    _ = kill(id, SIGTERM)
  }
}

import CLinux
import Glibc

/// What a process that holds secrets does to itself at its start.
package enum ProcessHardening {
  /// Keeps the process's memory out of core dumps and away from debuggers of the same user.
  ///
  /// - Throws: ``Errno`` of `prctl`, `getrlimit` or `setrlimit`.
  package static func forbidDumps() throws(Errno) {
    _ = try checkNegated(clinux_forbid_dumps(), "prctl")
    let resource = __rlimit_resource_t(RLIMIT_CORE.rawValue)
    var limit = rlimit()
    _ = try check(unsafe getrlimit(resource, &limit), "getrlimit")
    // A service manager that has set it may not allow to set it again.
    guard limit.rlim_max > 0 else { return }
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    _ = try check(unsafe setrlimit(resource, &none), "setrlimit")
  }

  /// Makes a crash end the process as the kernel does it.
  ///
  /// The Swift runtime would write registers and memory to standard error first, and so tokens and
  /// names into the journal.
  package static func dieSilently() {
    for number in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
      _ = signal(number, SIG_DFL)
    }
  }

  /// Makes a write to a pipe that nobody reads an error of that call instead of the process's end.
  ///
  /// Sockets are written to without SIGPIPE anyway; standard error may be a pipe.
  package static func ignoreBrokenPipes() {
    _ = signal(SIGPIPE, SIG_IGN)
  }

  /// Gives the memory of large buffers back to the system when they are freed, so that a flood of
  /// clients is not paid for until the process ends.
  package static func returnLargeBuffers() {
    // It fails for a value out of range only.
    _ = clinux_return_large_buffers()
  }

  /// Raises the limit of open descriptors as far as the hard limit lets it.
  ///
  /// - Parameter wanted: How many descriptors would be enough.
  /// - Returns: How many the process may have now; fewer than wanted if the hard limit is lower,
  ///   more if the limit was higher before.
  /// - Throws: ``Errno`` of `getrlimit` or `setrlimit`.
  package static func raiseOpenFileLimit(to wanted: Int) throws(Errno) -> Int {
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    _ = try check(unsafe getrlimit(resource, &limit), "getrlimit")
    let reachable = min(rlim_t(max(0, wanted)), limit.rlim_max)
    if reachable > limit.rlim_cur {
      limit.rlim_cur = reachable
      _ = try check(unsafe setrlimit(resource, &limit), "setrlimit")
    }
    return Int(clamping: limit.rlim_cur)
  }

  /// How many descriptors the process may have open.
  package static var openFileLimit: Int {
    var limit = rlimit()
    // It fails for a resource that does not exist only.
    _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int(clamping: limit.rlim_cur)
  }
}

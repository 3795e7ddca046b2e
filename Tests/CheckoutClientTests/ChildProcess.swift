import Glibc
import LinuxSystem
import Testing

/// A program that a test runs; its output goes to a file.
final class ChildProcess {
  let id: pid_t
  private let outputPath: String
  private var status: Int32?

  init(_ arguments: [String]) throws {
    var template = Array("/tmp/checkoutd-test-XXXXXX".utf8CString)
    let file = unsafe mkstemp(&template)
    guard file >= 0 else { throw Errno(code: errno, call: "mkstemp") }
    outputPath = String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self)
    let output = FileDescriptor(owning: file)
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, output.rawValue, 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, output.rawValue, 2)
    var pointers = unsafe arguments.map { unsafe strdup($0) } + [nil]
    defer { unsafe pointers.forEach { unsafe free($0) } }
    var id: pid_t = 0
    let result = unsafe posix_spawnp(&id, arguments[0], &actions, nil, &pointers, environ)
    guard result == 0 else { throw Errno(code: result, call: "posix_spawnp") }
    self.id = id
  }

  /// What the program has written so far.
  var output: String { Files.text(outputPath) ?? "" }

  /// Waits for the end.
  func wait() -> Int32 {
    if let status { return status }
    var status: Int32 = 0
    while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
    self.status = status
    return status
  }

  /// Ends the program at once, and waits for it.
  func kill() {
    guard status == nil else { return }
    _ = Glibc.kill(id, SIGKILL)
    _ = wait()
  }

  /// Whether a program can be run, and ends well.
  static func succeeds(_ arguments: [String]) -> Bool { (try? run(arguments))?.status == 0 }

  deinit {
    kill()
    _ = unsafe unlink(outputPath)
  }

  /// Runs a program to its end.
  static func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
    let child = try ChildProcess(arguments)
    return (child.wait(), child.output)
  }
}

/// Files and places of the test's process.
enum Files {
  /// A file's text; nil if it cannot be read.
  static func text(_ path: String) -> String? {
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { return nil }
    let file = FileDescriptor(owning: number)
    var text: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe read(file.rawValue, &chunk, chunk.count)
      guard count > 0 else { return String(decoding: text, as: UTF8.self) }
      text += chunk[..<count]
    }
  }

  /// Writes a file.
  static func write(_ text: String, to path: String) throws {
    let number = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard number >= 0 else { throw Errno(code: errno, call: "open") }
    let file = FileDescriptor(owning: number)
    var text = text
    let count = text.withUTF8 { unsafe Glibc.write(file.rawValue, $0.baseAddress, $0.count) }
    guard count == text.utf8.count else { throw Errno(code: errno, call: "write") }
  }

  /// Whether there is something at a path.
  static func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

  /// A variable of the environment.
  static func variable(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }

  /// Removes a directory and what is in it.
  static func remove(_ directory: String) {
    if !ChildProcess.succeeds(["rm", "-r", directory]) {
      Issue.record("\(directory) is left over")
    }
  }

  /// A new directory.
  static func makeDirectory() throws -> String {
    var template = Array("/tmp/checkoutd-test-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw Errno(code: errno, call: "mkdtemp") }
    return String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self)
  }

  /// The repository that the tests are from; empty if it is no longer there.
  static let root: String = {
    guard let resolved = unsafe realpath(#filePath, nil) else { return "" }
    defer { unsafe free(resolved) }
    let parts = unsafe String(cString: resolved).split(separator: "/").dropLast(3)
    return "/" + parts.joined(separator: "/")
  }()

  /// Where the build puts programs, beside the tests' own.
  static var buildDirectory: String {
    guard let resolved = unsafe realpath("/proc/self/exe", nil) else { return "" }
    defer { unsafe free(resolved) }
    let path = unsafe String(cString: resolved)
    return String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
  }
}

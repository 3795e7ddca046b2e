import Glibc
import Testing

@testable import LinuxSystem

@Suite struct ControlGroupTests {
  /// Makes files below a directory of their own, and asks there.
  private static func limit(_ files: [String: String]) throws -> Int? {
    let root = try TemporaryDirectory()
    for (path, text) in files {
      var directory = root.path
      for name in path.split(separator: "/").dropLast() {
        directory += "/" + name
        _ = unsafe mkdir(directory, 0o700)
      }
      guard let file = unsafe fopen(root.path + path, "w") else {
        throw Errno(code: errno, call: "fopen")
      }
      unsafe fputs(text, file)
      unsafe fclose(file)
    }
    return ControlGroup.memoryLimit(root: root.path)
  }

  @Test(
    arguments: [
      (["/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/b/memory.max": "4096\n"], 4096),
      (
        [
          "/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/b/memory.max": "max\n",
          "/sys/fs/cgroup/a/memory.max": "8192\n",
        ], 8192
      ),
      (
        [
          "/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/b/memory.max": "9000\n",
          "/sys/fs/cgroup/a/memory.max": "8192\n",
        ], 8192
      ),
      (["/proc/self/cgroup": "0::/\n"], nil), ([:], nil),
      (["/proc/self/cgroup": "nonsense\n:\n"], nil),
      (["/proc/self/cgroup": "0::/a\n", "/sys/fs/cgroup/a/memory.max": "max\n"], nil),
      (
        [
          "/proc/self/cgroup": "3:cpu,memory:/a\n1:name=x:/\n0::/\n",
          "/sys/fs/cgroup/memory/a/memory.limit_in_bytes": "4096\n",
          "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
        ], 4096
      ),
      (
        [
          "/proc/self/cgroup": "0::/a\n",
          "/sys/fs/cgroup/a/memory.max": "99999999999999999999999999\n",
        ], nil
      ),
    ] as [([String: String], Int?)])
  func `the least bound of the group and those above it counts`(
    files: [String: String], limit: Int?
  ) throws {
    #expect(try Self.limit(files) == limit)
  }
}

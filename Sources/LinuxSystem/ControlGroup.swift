import Glibc

/// The control group that the process is in.
package enum ControlGroup {
  /// How many bytes of memory the group and those above it leave to the process; `nil` for no bound.
  ///
  /// - Parameter root: Where `proc` and `sys` are.
  /// - Returns: The least of the bounds.
  package static func memoryLimit(root: String = "") -> Int? {
    guard let text = readTextFile(root + "/proc/self/cgroup") else { return nil }
    return text.split(separator: "\n").compactMap { line -> Int? in
      // NUMBER:CONTROLLERS:PATH; version 2 names no controllers.
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3, parts[2].hasPrefix("/") else { return nil }
      if parts[1].isEmpty {
        return ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].compactMap {
          leastLimit(below: root + $0, parts[2], "memory.max")
        }.min()
      }
      guard parts[1].split(separator: ",").contains("memory") else { return nil }
      return leastLimit(below: root + "/sys/fs/cgroup/memory", parts[2], "memory.limit_in_bytes")
    }.min()
  }

  private static func leastLimit(
    below mount: String, _ path: Substring, _ file: String
  ) -> Int? {
    var names = path.split(separator: "/")
    var least: Int?
    while true {
      let place = ([mount] + names.map(String.init) + [file]).joined(separator: "/")
      if let text = readTextFile(place), let limit = Int(text.prefix { $0.isASCII && $0.isNumber }),
        limit < unlimited
      {
        least = min(least ?? limit, limit)
      }
      guard names.popLast() != nil else { return least }
    }
  }

  /// Version 1 says so much, less a page, where there is no bound.
  private static let unlimited = 1 << 60
}

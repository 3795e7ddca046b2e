import Glibc
import LinuxSystem
import Testing

/// A directory that is removed with what is in it.
final class TemporaryState {
  let path: String

  init() throws {
    var template = Array("/tmp/checkoutd-backups-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw Errno(code: errno, call: "mkdtemp") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Makes one that holds a copy of a database.
  convenience init(copying database: String) throws {
    try self.init()
    let bytes = try #require(readFile(database))
    let file = unsafe open(path + "/checkoutd.sqlite", O_WRONLY | O_CREAT, 0o600)
    let count = unsafe write(file, bytes, bytes.count)
    close(file)
    try #require(count == bytes.count)
  }

  deinit { remove(path) }

  /// The names in a directory of it.
  func names(in place: String) -> [String] { entries(path + "/" + place) }

  private func entries(_ path: String) -> [String] {
    guard let directory = unsafe opendir(path) else { return [] }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name.0) {
        unsafe String(cString: $0)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  private func remove(_ path: String) {
    // A link is removed, not what it leads to.
    if unsafe unlink(path) == 0 { return }
    for name in entries(path) { remove(path + "/" + name) }
    unsafe rmdir(path)
  }
}

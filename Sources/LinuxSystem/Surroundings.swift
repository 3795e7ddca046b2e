import Glibc

/// A variable of the environment.
package func variable(_ name: String) -> String? {
  guard let text = unsafe getenv(name) else { return nil }
  return unsafe String(cString: text)
}

/// The text of a file, if it can be read and is UTF-8.
package func readTextFile(_ path: String) -> String? {
  readFile(path).flatMap { String(validating: $0, as: UTF8.self) }
}

/// The bytes of a file of less than 1 MiB, if it can be read.
package func readFile(_ path: String) -> [UInt8]? {
  let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard number >= 0 else { return nil }
  let file = FileDescriptor(owning: number)
  var bytes: [UInt8] = []
  while bytes.count < 1 << 20 {
    var piece = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe piece.withUnsafeMutableBytes { buffer in
      unsafe Glibc.read(file.rawValue, buffer.baseAddress, buffer.count)
    }
    if count < 0 { return nil }
    if count == 0 { return bytes }
    bytes += piece[..<count]
  }
  return nil
}

/// Writes a line to the standard error.
package func complain(_ text: String) {
  let bytes = Array((text + "\n").utf8)
  unsafe bytes.withUnsafeBytes { buffer in
    _ = unsafe write(2, buffer.baseAddress, buffer.count)
  }
}

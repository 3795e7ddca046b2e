import CSQLite
import Glibc
import LinuxSystem

extension CheckoutStore {
  /// Makes the state of a directory, which must hold none, out of a copy of another; `-` is the standard
  /// input, for a copy that the daemon's user may not open.
  ///
  /// - Throws: ``StoreError``; then the directory is as it was.
  package static func restore(_ copy: String, to directory: String) throws(StoreError) {
    try StateFiles.restore(copy, to: StateDirectory(directory))
  }
}

extension StateFiles {
  /// What a restored state says of itself until all its checkouts take account of it.
  static let restored = "restored"

  /// Makes the database out of a copy; the copy stays as it is.
  static func restore(_ copy: String, to directory: StateDirectory) throws(StoreError) {
    for name in [database, log] where try directory.status(of: name) != nil {
      throw .unusable("\(directory.path) holds a state already; nothing was restored")
    }
    var info = stat()
    guard unsafe stat(copy + "-wal", &info) != 0 || info.st_size == 0 else {
      throw .unusable("\(copy) has a log beside it: it was taken from a daemon that ran")
    }
    try makeDatabase(in: directory) { file, draft throws(StoreError) in
      try fill(file, from: copy)
      try mark(draft, in: directory)
    }
  }

  private static func fill(
    _ file: borrowing FileDescriptor, from copy: String
  ) throws(StoreError) {
    let number = copy == "-" ? dup(STDIN_FILENO) : unsafe open(copy, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { throw StateDirectory.problem(with: copy, errno) }
    let source = FileDescriptor(owning: number)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { bytes in
        unsafe read(source.rawValue, bytes.baseAddress, bytes.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw StateDirectory.problem(with: copy, errno) }
      if count == 0 { return }
      try write(buffer[..<count], to: file)
    }
  }

  private static func write(
    _ bytes: ArraySlice<UInt8>, to file: borrowing FileDescriptor
  ) throws(StoreError) {
    var left = bytes
    while !left.isEmpty {
      let count = unsafe left.withUnsafeBytes { bytes in
        unsafe Glibc.write(file.rawValue, bytes.baseAddress, bytes.count)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw StateDirectory.problem(with: "the state's copy", errno) }
      left = left.dropFirst(count)
    }
  }

  /// Has the copy be another state than the one it was taken from, which has gone on since.
  private static func mark(_ draft: String, in directory: StateDirectory) throws(StoreError) {
    let (database, _) = try openDatabase(draft, in: directory)
    try opening { () throws(SQLiteError) in
      guard try database.text("PRAGMA integrity_check") == "ok" else {
        throw SQLiteError(code: SQLITE_CORRUPT, message: "pages of the copy do not fit each other")
      }
      try database.run(
        """
        INSERT OR REPLACE INTO meta VALUES
          ('epoch', lower(hex(randomblob(8)))), ('run', '\(RunMark.stopped)'), ('loss', '\(restored)')
        """)
      try database.checkpoint()
    }
    database.checkpointsOnClose()
  }
}

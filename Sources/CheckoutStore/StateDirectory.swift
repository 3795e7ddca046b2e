import Glibc
import LinuxSystem

/// The directory with the state: opened once, for one daemon alone.
///
/// Links on the way to it are followed. Within it there may be none: where others can put a link, they
/// could have the daemon change a file elsewhere.
@safe  // C calls that take names and fill in structures of their own
final class StateDirectory {
  /// Its path, free of links.
  let path: String
  private let descriptor: FileDescriptor

  /// Opens a directory and takes its lock; changes nothing.
  ///
  /// - Throws: ``StoreError/unusable(_:)`` for what a person must mend, ``StoreError/inUse`` while another
  ///   daemon has the lock, ``StoreError/failed(_:)`` for what may pass.
  init(_ named: String) throws(StoreError) {
    let number = unsafe Glibc.open(named, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard number >= 0 else { throw Self.problem(with: named, errno) }
    let descriptor = FileDescriptor(owning: number)
    let info = try Self.checkOwner(of: descriptor, named)
    guard unsafe faccessat(number, ".", R_OK | W_OK | X_OK, AT_EACCESS) == 0 else {
      throw errno == EACCES || errno == EROFS
        ? .unusable("\(named) may not be written") : Self.problem(with: named, errno)
    }
    guard let resolved = unsafe realpath(named, nil) else { throw Self.problem(with: named, errno) }
    path = unsafe String(cString: resolved)
    unsafe free(resolved)
    var found = stat()
    guard unsafe lstat(path, &found) == 0, found.st_dev == info.st_dev, found.st_ino == info.st_ino
    else {
      throw .failed("\(named) was replaced while it was opened")
    }
    guard flock(number, LOCK_EX | LOCK_NB) == 0 else {
      throw errno == EWOULDBLOCK ? .inUse : Self.problem(with: named, errno)
    }
    self.descriptor = descriptor
  }

  private init(path: String, _ descriptor: consuming FileDescriptor) {
    self.path = path
    self.descriptor = descriptor
  }

  /// Opens a directory in it, without following a link; it is made if it is missing, if that is wanted.
  func subdirectory(_ name: String, isMade: Bool) throws(StoreError) -> StateDirectory {
    let path = path(of: name)
    if isMade {
      if unsafe mkdirat(descriptor.rawValue, name, 0o700) == 0 {
        try synchronize()
      } else if errno != EEXIST {
        throw Self.problem(with: path, errno)
      }
    }
    let opened = try open(name, O_RDONLY | O_DIRECTORY)
    _ = try Self.checkOwner(of: opened, path)
    return StateDirectory(path: path, opened)
  }

  /// Refuses a directory that others could change.
  private static func checkOwner(
    of directory: borrowing FileDescriptor, _ path: String
  ) throws(StoreError) -> stat {
    var info = stat()
    guard unsafe fstat(directory.rawValue, &info) == 0 else { throw problem(with: path, errno) }
    // Root may do what it likes anyway.
    guard info.st_uid == geteuid() || info.st_uid == 0 else {
      throw .unusable("\(path) belongs to another user (uid \(info.st_uid))")
    }
    guard info.st_mode & 0o022 == 0 else {
      let mode = String(info.st_mode & 0o7777, radix: 8)
      throw .unusable("\(path) may be written by others (mode 0\(mode))")
    }
    return info
  }

  /// Whether so many bytes are free for the daemon's user.
  func hasRoom(for byteCount: UInt64) -> Bool {
    var info = statvfs()
    guard unsafe fstatvfs(descriptor.rawValue, &info) == 0 else { return true }
    let (free, overflows) = UInt64(info.f_bavail).multipliedReportingOverflow(
      by: UInt64(info.f_frsize))
    return overflows || free >= byteCount
  }

  /// The path of a file in it.
  func path(of name: String) -> String { "\(path)/\(name)" }

  /// What a name stands for, if there is such a name; links are not followed.
  func status(of name: String) throws(StoreError) -> stat? {
    var info = stat()
    if unsafe fstatat(descriptor.rawValue, name, &info, AT_SYMLINK_NOFOLLOW) == 0 { return info }
    guard errno == ENOENT else { throw Self.problem(with: path(of: name), errno) }
    return nil
  }

  /// Refuses what is there under a name unless it is a file of the daemon's own.
  ///
  /// - Returns: What it is, if it is there.
  @discardableResult
  func check(_ name: String) throws(StoreError) -> stat? {
    guard let info = try status(of: name) else { return nil }
    guard info.st_mode & S_IFMT == S_IFREG else {
      throw .unusable("\(path(of: name)) is not a regular file")
    }
    guard info.st_nlink == 1 else { throw .unusable("\(path(of: name)) has another name too") }
    guard info.st_uid == geteuid() || info.st_uid == 0 else {
      throw .unusable("\(path(of: name)) belongs to another user (uid \(info.st_uid))")
    }
    return info
  }

  /// Opens a file in it, without following a link.
  func open(
    _ name: String, _ flags: Int32, mode: mode_t = 0o600
  ) throws(StoreError) -> FileDescriptor {
    let number = unsafe openat(descriptor.rawValue, name, flags | O_NOFOLLOW | O_CLOEXEC, mode)
    guard number >= 0 else { throw Self.problem(with: path(of: name), errno) }
    return FileDescriptor(owning: number)
  }

  /// The bytes of a file in it; none if there is no such file.
  func contents(of name: String) throws(StoreError) -> [UInt8] {
    guard let info = try status(of: name) else { return [] }
    let file = try open(name, O_RDONLY)
    let size = Int(clamping: info.st_size)
    var failure: Int32 = 0
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      while count < size {
        let got = unsafe pread(
          file.rawValue, buffer.baseAddress?.advanced(by: count), size - count, off_t(count))
        if got < 0, errno == EINTR { continue }
        if got < 0 { failure = errno }
        guard got > 0 else { return }
        count += got
      }
    }
    guard failure == 0 else { throw Self.problem(with: path(of: name), failure) }
    return bytes
  }

  /// Gives a file a second name.
  func link(_ name: String, as other: String) throws(StoreError) {
    guard unsafe linkat(descriptor.rawValue, name, descriptor.rawValue, other, 0) == 0 else {
      throw Self.problem(with: path(of: other), errno)
    }
  }

  /// Removes a name, if it is there.
  func remove(_ name: String) { _ = unsafe unlinkat(descriptor.rawValue, name, 0) }

  /// Makes a file of the daemon's own readable by nobody else.
  func restrict(_ name: String) { _ = unsafe fchmodat(descriptor.rawValue, name, 0o600, 0) }

  /// Waits until the names in it are on the disk.
  func synchronize() throws(StoreError) {
    do throws(Errno) {
      try descriptor.synchronize()
    } catch {
      throw Self.problem(with: path, error.code)
    }
  }

  /// The names that begin with these letters.
  func names(beginningWith prefix: String) -> [String] {
    // A descriptor of its own: the directory is read from where that stands.
    let number = unsafe openat(descriptor.rawValue, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard number >= 0 else { return [] }
    guard let entries = unsafe fdopendir(number) else {
      close(number)
      return []
    }
    defer { unsafe closedir(entries) }
    var names: [String] = []
    while let entry = unsafe readdir(entries) {
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasPrefix(prefix) { names.append(name) }
    }
    return names
  }

  /// Finds out whether files can grow, by growing one.
  func grow(_ name: String, byteCount: Int) throws(StoreError) {
    let file = try open(name, O_RDWR | O_CREAT | O_EXCL)
    defer { remove(name) }
    let code = posix_fallocate(file.rawValue, 0, off_t(byteCount))
    guard code == 0 else { throw Self.problem(with: path, code) }
  }

  /// What a system call's error means for the state.
  static func problem(with path: String, _ code: Int32) -> StoreError {
    let why = "\(path): \(unsafe String(cString: strerror(code)))"
    return mayPass(code) ? .failed(why) : .unusable(why)
  }

  /// Whether an error may be gone at the next start, though nobody has mended anything.
  static func mayPass(_ code: Int32) -> Bool {
    switch code {
    case ENOSPC, EDQUOT, EIO, EMFILE, ENFILE, ENOMEM, EINTR, EAGAIN, EBUSY, ETIMEDOUT, ESTALE: true
    default: false
    }
  }
}

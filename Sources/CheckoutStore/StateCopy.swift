import Glibc
import LinuxSystem

/// A copy of the state that is being made while the daemon serves, in a directory of the state's own.
///
/// It is made under another name, and gets its own once it is whole and on the disk. One that is let go
/// of before leaves nothing.
package final class StateCopy {
  static let directory = "backups"
  private static let draft = ".unfinished"
  /// How many pages are copied and flushed at once: about what a commit writes.
  private static let pageCount: Int32 = 64
  /// What must stay free for the state itself.
  private static let spareByteCount: UInt64 = 64 * 1024 * 1024

  /// Where it will be.
  package let path: String
  private let name: String
  private let directory: StateDirectory
  private let file: FileDescriptor
  private var copying: DatabaseCopy?

  /// Whether a copy may have this name: so that it is no path, no option and never hidden.
  package static func permits(_ name: String) -> Bool {
    guard (1...100).contains(name.utf8.count), name.utf8.first != UInt8(ascii: ".") else {
      return false
    }
    return name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
        UInt8(ascii: "."):
        true
      default: false
      }
    }
  }

  /// Begins a copy; there must be no other under way.
  init(of source: Database, as name: String, in state: StateDirectory) throws(StoreError) {
    directory = try state.subdirectory(Self.directory, isMade: true)
    guard try directory.status(of: name) == nil else { throw .exists(directory.path(of: name)) }
    self.name = name
    path = directory.path(of: name)
    directory.remove(Self.draft)
    // Readable by nobody else from the first moment.
    file = try directory.open(Self.draft, O_RDWR | O_CREAT | O_EXCL)
    let directory = directory
    copying = try Self.attempt { () throws(SQLiteError) in
      let size = UInt64(max(0, try source.byteCount()))
      guard directory.hasRoom(for: size + Self.spareByteCount) else { throw .noRoom }
      let destination = try Database(path: directory.path(of: Self.draft))
      // It is flushed here, a little at a time, and a copy that is cut short is of no use. What is
      // written goes out soon, so that the end has little to do.
      try destination.run(
        "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=\(Self.pageCount)")
      return try DatabaseCopy(of: source, into: destination)
    }
  }

  deinit {
    if copying != nil { directory.remove(Self.draft) }
  }

  /// Copies some pages, and waits until they are on the disk.
  ///
  /// - Returns: Whether the copy is whole, and has its name.
  /// - Throws: ``StoreError``, and then there will be none.
  package func step() throws(StoreError) -> Bool {
    guard let copying else { return true }
    let isWhole = try Self.attempt { () throws(SQLiteError) in
      try copying.step(pageCount: Self.pageCount)
    }
    do throws(Errno) {
      try file.synchronize()
    } catch {
      throw StateDirectory.problem(with: path, error.code)
    }
    guard isWhole else { return false }
    try directory.link(Self.draft, as: name)
    directory.remove(Self.draft)
    try directory.synchronize()
    self.copying = nil
    return true
  }

  /// How many bytes it has.
  package var byteCount: Int64 { Int64((try? directory.status(of: name))??.st_size ?? 0) }

  /// Removes what a process has left that was ended while it made one.
  static func removeDraft(in state: StateDirectory) {
    try? state.subdirectory(directory, isMade: false).remove(draft)
  }

  /// The copies that are there: how many, and how many bytes.
  static func all(in state: StateDirectory) -> (count: Int, byteCount: Int64) {
    guard let directory = try? state.subdirectory(directory, isMade: false) else { return (0, 0) }
    let sizes = directory.names(beginningWith: "").filter(permits).map { name in
      Int64((try? directory.status(of: name))??.st_size ?? 0)
    }
    return (sizes.count, sizes.reduce(0, +))
  }

  private static func attempt<T>(_ body: () throws(SQLiteError) -> T) throws(StoreError) -> T {
    do throws(SQLiteError) {
      return try body()
    } catch {
      throw error.isCorrupt ? .corrupt(error.message) : .failed(error.description)
    }
  }
}

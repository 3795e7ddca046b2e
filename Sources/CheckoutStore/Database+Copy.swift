import CSQLite

/// The copying of a database into another, some pages at a time.
///
/// What the source's own connection commits meanwhile goes into the copy too, so that it is the state of
/// the moment at which the last page was copied.
@safe  // the handle is ended here, and both databases outlive it
final class DatabaseCopy {
  private let source: Database
  private let destination: Database
  private var handle: OpaquePointer?

  /// Begins to copy; nobody else may use the destination until that is over.
  init(of source: Database, into destination: Database) throws(SQLiteError) {
    self.source = source
    self.destination = destination
    unsafe handle = sqlite3_backup_init(destination.handle, "main", source.handle, "main")
    guard unsafe handle != nil else {
      throw destination.error(unsafe sqlite3_errcode(destination.handle))
    }
  }

  deinit { _ = end() }

  /// Copies so many pages.
  ///
  /// - Returns: Whether the copy is whole; then it is over.
  func step(pageCount: Int32) throws(SQLiteError) -> Bool {
    switch unsafe sqlite3_backup_step(handle, pageCount) {
    case SQLITE_OK, SQLITE_BUSY, SQLITE_LOCKED: return false
    default: break
    }
    let code = end()
    guard code == SQLITE_OK else { throw destination.error(code) }
    return true
  }

  private func end() -> Int32 {
    defer { unsafe handle = nil }
    return unsafe sqlite3_backup_finish(handle)
  }
}

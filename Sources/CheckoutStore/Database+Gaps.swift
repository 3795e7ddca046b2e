import CSQLite

extension Database {
  /// Overwrites what lies in the pages between the cell pointers and the cells.
  ///
  /// By the file format nothing does. But where SQLite moves rows from page to page, it leaves the
  /// old bytes there, whatever `secure_delete` says; they outlive the row itself. To be called when
  /// the log is empty; the pages that are kept in memory are read anew afterwards.
  ///
  /// - Source: sqlite.org/fileformat2.html, "B-tree Pages" and "Pointer Map".
  func clearGaps() throws(SQLiteError) {
    guard let size = try number("PRAGMA page_size"), let file = file else { return }
    let pages = Pages(size: Int(size))
    let count = try file.size() / pages.size
    let chunk = min(256, count)
    var first = 1
    var buffer = [UInt8](repeating: 0, count: chunk * pages.size)
    var hasCleared = false
    while first <= count {
      let length = min(chunk, count - first + 1)
      try file.read(&buffer, count: length * pages.size, at: (first - 1) * pages.size)
      for place in 0..<length {
        let start = place * pages.size
        guard let gap = pages.gap(of: first + place, buffer[start..<start + pages.size]),
          buffer[gap].contains(where: { $0 != 0 })
        else { continue }
        try file.clear(count: gap.count, at: (first - 1) * pages.size + gap.lowerBound)
        hasCleared = true
      }
      first += length
    }
    guard hasCleared else { return }
    try file.sync()
    dropCache()
  }
}

/// What there is to know about pages of that size.
struct Pages {
  let size: Int

  /// Where a page has bytes that belong to nothing; `nil` if it is no page of a tree.
  func gap(of number: Int, _ page: ArraySlice<UInt8>) -> Range<Int>? {
    guard !isPointerMap(number) else { return nil }
    let header = page.startIndex + (number == 1 ? 100 : 0)
    func short(_ place: Int) -> Int { Int(page[place]) << 8 | Int(page[place + 1]) }
    let headerCount: Int
    switch page[header] {
    case 2, 5: headerCount = 12
    case 10, 13: headerCount = 8
    default: return nil
    }
    let start = header + headerCount + 2 * short(header + 3)
    let content = short(header + 5)
    let end = page.startIndex + (content == 0 ? 65_536 : content)
    return start < end && end <= page.endIndex ? start..<end : nil
  }

  /// Each of these pages describes those that follow; the page with SQLite's locks is passed over.
  private func isPointerMap(_ number: Int) -> Bool {
    let locks = 0x4000_0000 / size + 1
    let step = size / 5 + 1
    guard number >= 2 else { return false }
    let map = (number - 2) / step * step + 2
    return number == locks || number == (map == locks ? map + 1 : map)
  }
}

/// The file of a database, by SQLite's own handle: closing another would give up the locks.
@safe  // the handle lives as long as its database, which lends it
struct DatabaseFile {
  private let handle: UnsafeMutablePointer<sqlite3_file>

  init(_ handle: UnsafeMutablePointer<sqlite3_file>) { unsafe self.handle = handle }

  func size() throws(SQLiteError) -> Int {
    var size: sqlite3_int64 = 0
    try check(unsafe csqlite_file_size(handle, &size))
    return Int(size)
  }

  func read(_ buffer: inout [UInt8], count: Int, at place: Int) throws(SQLiteError) {
    let code = unsafe buffer.withUnsafeMutableBytes { buffer in
      unsafe csqlite_file_read(handle, buffer.baseAddress, Int32(count), Int64(place))
    }
    try check(code)
  }

  func clear(count: Int, at place: Int) throws(SQLiteError) {
    let zeros = [UInt8](repeating: 0, count: count)
    try check(unsafe csqlite_file_write(handle, zeros, Int32(count), Int64(place)))
  }

  func sync() throws(SQLiteError) { try check(unsafe csqlite_file_sync(handle)) }

  private func check(_ code: Int32) throws(SQLiteError) {
    guard code == SQLITE_OK else {
      throw SQLiteError(code: code & 0xFF, message: "the file cannot be overwritten")
    }
  }
}

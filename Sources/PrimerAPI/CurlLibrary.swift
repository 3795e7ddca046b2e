internal import CCurl

/// Why libcurl cannot be used: it is missing, too old, or built without what is needed.
package struct LibraryProblem: Error, Sendable, Equatable, CustomStringConvertible {
  /// One line for people to read.
  package let description: String
}

/// libcurl itself, which is loaded when it is first needed.
enum CurlLibrary {
  /// Loads and initialises the library, unless that is done; what has failed is tried again.
  static func load() throws(LibraryProblem) {
    var reason: UnsafePointer<CChar>?
    guard unsafe ccurl_load(&reason) != 0 else { return }
    throw LibraryProblem(
      description: unsafe reason.map { unsafe String(cString: $0) } ?? "libcurl cannot be loaded")
  }
}

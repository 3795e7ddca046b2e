internal import CCurl

/// What calls upstream need of the system, and is not there or of no use.
package struct SystemProblem: Error, Sendable, Equatable, CustomStringConvertible {
  /// One line for people to read.
  package let description: String
}

/// libcurl itself, which is loaded when it is first needed.
enum CurlLibrary {
  /// Whether its file lies where the loader looks first; if not, only loading it can tell.
  static var isFound: Bool { ccurl_is_found() }

  /// Loads and initialises the library, unless that is done; what has failed is tried again.
  static func load() throws(SystemProblem) {
    var reason: UnsafePointer<CChar>?
    guard unsafe ccurl_load(&reason) != 0 else { return }
    throw SystemProblem(
      description: unsafe reason.map { unsafe String(cString: $0) } ?? "libcurl cannot be loaded")
  }
}

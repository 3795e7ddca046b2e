import Glibc

/// Where the daemon listens when nobody says otherwise.
package enum DefaultSocket {
  /// Of the daemon that the system's service manager runs.
  static let system = "/run/checkoutd/checkoutd.sock"

  /// The path for this process.
  ///
  /// `CHECKOUTD_SOCKET` names it. Else it is the system's for root; for others the one in their own
  /// `XDG_RUNTIME_DIR` if there is one, and the system's if not.
  package static var path: String {
    path(
      isRoot: geteuid() == 0,
      environment: { name in
        unsafe getenv(name).map { unsafe String(cString: $0) }
      },
      exists: { unsafe access($0, F_OK) == 0 })
  }

  /// The rule, apart from where its facts come from.
  static func path(
    isRoot: Bool, environment: (String) -> String?, exists: (String) -> Bool
  ) -> String {
    if let named = environment("CHECKOUTD_SOCKET"), !named.isEmpty { return named }
    if !isRoot, let directory = environment("XDG_RUNTIME_DIR"), !directory.isEmpty {
      let own = directory + "/checkoutd/checkoutd.sock"
      if exists(own) { return own }
    }
    return system
  }
}

import LinuxSystem

/// How many of the descriptors that the process may have open are for clients.
///
/// What payments and the state need is set aside: clients could take every one there is, and a
/// request that finds none would fail.
struct DescriptorBudget {
  /// How many may be open.
  let limit: Int

  /// How many connections there may be, those kept for administrators among them.
  ///
  /// The rest is for 64 requests upstream, the state, the log, listeners, and some to spare. Where
  /// there are few in all, it is half of them.
  var forClients: Int { limit - min(Self.setAside, limit / 2) }

  private static let setAside = 112
}

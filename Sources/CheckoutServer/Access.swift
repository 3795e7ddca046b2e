import Checkout
import LinuxSystem

/// Who is at the other end of a connection, as the kernel said at accept.
struct Caller {
  let userID: UInt32
  let groupID: UInt32
  let supplementaryGroupIDs: [UInt32]
  let processID: Int32
  let isAdministrator: Bool
  private let credentials: PeerCredentials?

  /// A caller of whom no more is known than user and groups.
  init(
    userID: UInt32, groupID: UInt32, supplementaryGroupIDs: [UInt32] = [],
    isAdministrator: Bool = false
  ) {
    self.userID = userID
    self.groupID = groupID
    self.supplementaryGroupIDs = supplementaryGroupIDs
    self.isAdministrator = isAdministrator
    processID = 0
    credentials = nil
  }

  /// The administrators are uid 0 and the uid that the daemon runs as, which is a user manager's
  /// user; a system service has a uid of its own.
  init(_ credentials: PeerCredentials, serverUserID: UInt32) {
    userID = credentials.userID
    groupID = credentials.groupID
    supplementaryGroupIDs = credentials.supplementaryGroupIDs
    processID = credentials.processID
    self.credentials = credentials
    isAdministrator = userID == 0 || userID == serverUserID
  }

  /// The name of the peer's program, for people to read.
  var commandName: String? { credentials?.commandName() }

  /// The role on the wire, `user` or `administrator`.
  var roleName: String { isAdministrator ? "administrator" : "user" }

  private func isIn(_ group: UInt32) -> Bool {
    group == groupID || supplementaryGroupIDs.contains(group)
  }

  /// What this caller may do with a checkout; `nil` if for them there is no such checkout.
  func access(to live: LiveCheckout) -> Access? {
    live.owner == userID || isAdministrator ? .own : sharedAccess(to: live)
  }

  /// What the owner's shares allow this caller.
  func sharedAccess(to live: LiveCheckout) -> Access? {
    var best: Access?
    for share in live.checkout.shares {
      let isMeant =
        switch share.subject {
        case .user(let user): user == userID
        case .group(let group): isIn(group)
        }
      guard isMeant else { continue }
      if share.role == .drive { return .drive }
      best = .observe
    }
    return best
  }
}

/// How much someone may do with a checkout.
enum Access: Int, Comparable {
  /// Look on, without secrets and collected data.
  case observe
  /// Everything but sharing.
  case drive
  /// Everything.
  case own

  static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

import ValueTree

/// Whom a checkout is shared with.
public enum CheckoutAudience: Sendable, Hashable {
  /// The user with this number.
  case user(UInt32)

  /// The members of the group with this number.
  case group(UInt32)

  var member: Value.Member {
    switch self {
    case .user(let number): .init("uid", .integer(Int64(number)))
    case .group(let number): .init("gid", .integer(Int64(number)))
    }
  }
}

/// What somebody may do with a checkout that is shared.
public enum CheckoutRole: String, Sendable, Hashable {
  /// Look on; secrets and collected data are left out.
  case observe

  /// Everything but share.
  case drive
}

extension Checkout {
  /// Lets other users take part.
  ///
  /// - Parameters:
  ///   - audience: Who.
  ///   - role: What they may do.
  /// - Throws: ``CheckoutClientError``; refused with −32002 if the checkout is somebody else's.
  public func share(
    with audience: CheckoutAudience, as role: CheckoutRole
  ) async throws(CheckoutClientError) {
    _ = try await call("checkout.share", [audience.member, .init("role", .string(role.rawValue))])
  }

  /// Takes a share back.
  ///
  /// - Parameter audience: Whose.
  /// - Throws: ``CheckoutClientError``; refused with −32002 if the checkout is somebody else's.
  public func unshare(with audience: CheckoutAudience) async throws(CheckoutClientError) {
    _ = try await call("checkout.unshare", [audience.member])
  }
}

@testable import CheckoutClient
import Testing

@Suite struct DefaultSocketTests {
  private static let own = "/run/user/1000/checkoutd/checkoutd.sock"

  private func path(
    isRoot: Bool = false, _ environment: [String: String], existing: [String] = []
  ) -> String {
    DefaultSocket.path(
      isRoot: isRoot, environment: { environment[$0] }, exists: { existing.contains($0) })
  }

  @Test func `the environment names it`() {
    let named = ["CHECKOUTD_SOCKET": "/x", "XDG_RUNTIME_DIR": "/run/user/1000"]
    #expect(path(named, existing: [Self.own]) == "/x")
    #expect(path(isRoot: true, named) == "/x")
  }

  @Test func `a user has one of their own, if it is there`() {
    let environment = ["XDG_RUNTIME_DIR": "/run/user/1000", "CHECKOUTD_SOCKET": ""]
    #expect(path(environment, existing: [Self.own]) == Self.own)
    #expect(path(environment) == DefaultSocket.system)
    #expect(path(isRoot: true, environment, existing: [Self.own]) == DefaultSocket.system)
    #expect(path([:]) == DefaultSocket.system)
  }
}

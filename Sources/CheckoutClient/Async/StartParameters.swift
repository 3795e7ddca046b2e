import LinuxSystem
import ValueTree

/// The parameters of `checkout.start`.
enum StartParameters {
  /// Without a key a start could not be repeated after a lost answer: then one is made.
  static func value(
    clientToken: String, settings: PrimerSettings, decides: Bool, decisionTimeout: Duration? = nil,
    startKey: String?, allowsRepeat: Bool = false
  ) -> Value {
    let key = startKey ?? "swift-\(Random.uint64())-\(Random.uint64())"
    var members: [Value.Member] = [
      .init("clientToken", .string(clientToken)), .init("settings", settings.value),
    ]
    if decides { members.append(.init("decisions", ["willCreatePayment"])) }
    if let decisionTimeout {
      members.append(.init("decisionTimeoutMs", .integer(decisionTimeout.wholeMilliseconds)))
    }
    members.append(.init("startKey", .string(key)))
    if allowsRepeat { members.append(.init("allowRepeat", true)) }
    return .object(members)
  }
}

extension Duration {
  /// The span in milliseconds, rounded up.
  var wholeMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    let perMillisecond: Int64 = 1_000_000_000_000_000
    return seconds * 1000 + (attoseconds + perMillisecond - 1) / perMillisecond
  }
}

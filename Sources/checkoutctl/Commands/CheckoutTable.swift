import LinuxSystem
import ValueTree

/// Checkouts for people.
enum CheckoutTable {
  /// A line for each.
  ///
  /// - Parameters:
  ///   - checkouts: Short snapshots.
  ///   - paint: The colours.
  /// - Returns: The lines.
  static func list(_ checkouts: [Value], _ paint: Paint) -> String {
    let now = Clock.wallMilliseconds()
    let rows = checkouts.map { checkout -> [Table.Cell] in
      let state = checkout["state"]?.string ?? ""
      let methods = (checkout["components"]?.array ?? []).compactMap {
        $0["paymentMethodType"]?.string
      }
      let outcome = checkout["outcome"]?.string ?? ""
      return [
        .init(checkout["checkoutId"]), .init(state, .init(state: state)),
        .init(methods.joined(separator: ",")),
        .init(outcome, .init(state: outcome)), .init(checkout["payment"]?["id"]),
        .init(checkout["clientSession"]?["orderId"]),
        .init(checkout["createdAt"]?.string.flatMap { Age.text(since: $0, at: now) } ?? ""),
      ]
    }
    return Table(["CHECKOUT", "STATE", "METHOD", "OUTCOME", "PAYMENT", "ORDER", "AGE"], rows)
      .text(paint)
  }

  /// All about one, without collected data and secrets.
  ///
  /// - Parameters:
  ///   - snapshot: Its snapshot.
  ///   - paint: The colours.
  /// - Returns: A line for each thing known.
  static func details(_ snapshot: Value, _ paint: Paint) -> String {
    var rows: [[Table.Cell]] = []
    func add(_ name: String, _ value: Table.Cell) {
      if value.text != "-" { rows.append([.init(name, .faint), value]) }
    }
    func add(_ name: String, _ parts: [Value?]) {
      add(name, .init(parts.compactMap { $0.flatMap(word) }.joined(separator: " ")))
    }
    let state = snapshot["state"]?.string ?? ""
    add("checkout", [snapshot["checkoutId"]])
    add("state", .init(state, .init(state: state)))
    let outcome = snapshot["outcome"]?.string ?? ""
    add("outcome", .init(outcome, .init(state: outcome)))
    add("error", [snapshot["error"]?["errorId"], snapshot["error"]?["description"]])
    let payment = snapshot["payment"]
    add("payment", [payment?["id"], payment?["status"]])
    let session = snapshot["clientSession"]
    add("order", [session?["orderId"] ?? payment?["orderId"]])
    add("amount", [session?["totalAmount"], session?["currencyCode"]])
    for name in ["paymentHandling", "createdAt", "expiresAt", "endedAt"] {
      add(name, [snapshot[name]])
    }
    add("owner", ["uid", snapshot["owner"]?["uid"]])
    add("events", [snapshot["seq"]])
    add("methods", (snapshot["availablePaymentMethods"]?.array ?? []).map { $0["type"] })
    for component in snapshot["components"]?.array ?? [] {
      add(
        "component",
        [component["componentId"], component["paymentMethodType"], component["step"]?["name"]])
      add("  missing", component["missing"]?.array ?? [])
    }
    for awaited in snapshot["awaiting"]?.array ?? [] {
      add("awaiting", [awaited["kind"], awaited["decisionId"], awaited["url"]])
      add("  until", [awaited["deadline"]])
    }
    return Table([], rows).text(paint)
  }

  private static func word(_ value: Value) -> String? {
    switch value {
    case .string(let text): text
    case .integer(let number): String(number)
    default: nil
    }
  }
}

import JSON
import ValueTree

/// An event for people: one line, without collected data and secrets.
enum EventLine {
  /// Lays out an event.
  ///
  /// - Parameters:
  ///   - event: Its name and members, as `events.read` gives them.
  ///   - namesCheckout: Whether to tell whose event it is.
  ///   - paint: The colours.
  /// - Returns: The line.
  static func text(_ event: Value, namesCheckout: Bool, _ paint: Paint) -> String {
    let name = event["method"]?.string ?? ""
    let params = event["params"] ?? .object([])
    var words: [String] = []
    // The time of day is enough for who looks on.
    if let time = params["time"]?.string { words.append(paint(String(time.dropFirst(11)), .faint)) }
    if namesCheckout, let id = params["checkoutId"]?.string { words.append(id.printable) }
    if let seq = params["seq"]?.integer { words.append(String(seq)) }
    words.append(paint(name.printable, look(name)))
    words += details(params).map(\.printable)
    return words.joined(separator: "  ")
  }

  private static func look(_ name: String) -> Paint.Look {
    switch name {
    case "checkout.didCompleteCheckout": .good
    case "checkout.didFail", "component.didReceiveError", "events.lost": .bad
    default: .heading
    }
  }

  private static func details(_ params: Value) -> [String] {
    let (step, info, payment) = (params["step"], params["info"], params["payment"])
    let error = params["error"] ?? params["errors"]?.array?.first
    let words: [Value?] = [
      params["outcome"], step?["name"], step?["state"], step?["url"],
      (step?["banks"]?.array?.count).map { .string("\($0) banks") }, info?["kind"],
      params["status"], params["paymentMethodType"], payment?["id"], payment?["status"],
      error?["errorId"], error?["description"], params["decisionId"], params["reason"],
    ]
    return words.compactMap { $0?.string }
  }
}

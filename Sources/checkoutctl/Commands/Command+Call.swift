import CheckoutClient
import JSON
import ValueTree

extension Command {
  static let call = Command(
    "call", "METHOD [JSON|-]", count: 1...2, options: [.tokenFile],
    summary: "make any call, and print its result as one line of JSON",
    details: """
      The parameters are the second argument, or are read from standard input (-). With --token-file
      the client token in the file is added to them, as clientToken.

      An error that the daemon answers with is printed on standard error as one line of JSON.
      checkoutctl discover tells what methods there are.

      Example:
        checkoutctl call checkout.get '{"checkoutId":{"startKey":"till-1"}}'
      """,
    isJSON: true
  ) { invocation throws(Failure) in
    let call = try CallCommand(invocation.operands, tokenFile: invocation.given[.tokenFile])
    let result = try Link(invocation).call(call.method, call.params)
    try invocation.console.print(result.jsonText)
  }

  static let status = Command(
    "status", options: [.json], summary: "tell what the daemon is doing"
  ) { invocation throws(Failure) in
    let status = try Link(invocation).call("system.status")
    try invocation.console.print(status) { _ in StatusTable(status).text }
  }

  static let metrics = Command(
    "metrics", options: [.json],
    summary: "print what was counted and measured, for Prometheus; for administrators",
    details: """
      The text is in Prometheus' format 0.0.4, as node_exporter's textfile collector reads it.

      Example, for a timer:
        checkoutctl metrics >metrics.tmp && mv metrics.tmp checkoutd.prom
      """
  ) { invocation throws(Failure) in
    let metrics = try Link(invocation).call("system.metrics")
    guard let text = metrics["text"]?.string else {
      throw .client(.protocolViolation("metrics without a text"))
    }
    // The last line has an end of its own.
    try invocation.console.print(metrics) { _ in String(text.dropLast()) }
  }

  static let discover = Command(
    "discover", options: [.json],
    summary: "print the description of all methods and events (OpenRPC)",
    details: """
      It is a JSON document: with line breaks to be read or, with --json, on one line. It tells the
      parameters, the result and the errors of each method, and the members of each event.
      """
  ) { invocation throws(Failure) in
    let document = try Link(invocation).call("rpc.discover")
    try invocation.console.print(document) { _ in document.indentedText() }
  }

  static let connections = Command(
    "connections", options: [.json], summary: "list who is connected; for administrators"
  ) { invocation throws(Failure) in
    let all = try Link(invocation).pages(of: "connections", "system.connections", [])
    try invocation.console.print(.array(all)) { paint in
      Table(
        [
          "PID", "UID", "COMMAND", "CLIENT", "QUEUED", "IN FLIGHT", "LOST", "SUBSCRIBED", "REFUSED",
        ],
        all.map { connection in
          [
            "pid", "uid", "comm", "client", "queuedBytes", "inFlight", "lost", "subscriptions",
            "lastRefusal",
          ].map { .init(connection[$0]) }
        }
      ).text(paint)
    }
  }
}

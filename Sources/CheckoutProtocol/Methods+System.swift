import Checkout
package import JSONRPC
package import ValueTree

extension Methods {
  /// The methods about the daemon itself, `system.*` and `rpc.*`.
  static let system: [any AnyMethodKey] = [
    hello, ping, echo, status, metrics, connections, allowQuestions, backup, reload, discover,
  ]

  package static let hello = MethodKey<String?>(
    "system.hello", "Introduces the client, and says what this daemon is and allows.",
    Parameter<String?>.optional(
      "client", .text(0...255), "Who is calling, for the journal."),
    result: ResultRow(
      "hello",
      Schemas.open([
        .init("server", Schemas.open([.init("name", .string), .init("version", .string)])),
        .init("protocol", .integer(1...1)),
        .init("epoch", .string, "New whenever the state was reset."),
        .init("limits", Schemas.open([])),
        .init(
          "you",
          Schemas.open([
            .init("uid", Schemas.userID), .init("gid", Schemas.userID), .init("pid", .integer),
            .init("role", .enumeration(["user", "administrator"])),
          ])),
        .init("features", .array(.string)),
      ])),
    examples: Examples.hello, make: { $0 })

  package static let ping = MethodKey<Void>(
    "system.ping", "Does nothing, and answers.", result: nothing,
    examples: Examples.ping)

  package static let echo = MethodKey<Value>(
    takingAnything: "system.echo", "Answers with its parameters.",
    result: ResultRow("params", .any, "The parameters as sent; null if there were none."),
    examples: Examples.echo)

  package static let status = MethodKey<Void>(
    "system.status", "Tells what the daemon is doing: for administrators of all, else your own.",
    result: ResultRow(
      "status",
      Schemas.open([
        .init("uptimeMs", .integer), .init("version", .string),
        .init("checkouts", Schemas.open([]), "How many, by state."),
        .init("subscriptions", .integer),
        .optional("events", Schemas.open([]), "Published and lost; for administrators."),
        .init("upstream", Schemas.open([])), .init("store", Schemas.open([])),
      ])),
    examples: Examples.status)

  package static let metrics = MethodKey<Void>(
    "system.metrics", "Tells what was counted and measured, for Prometheus; for administrators.",
    result: ResultRow(
      "metrics",
      Schemas.open([
        .init("contentType", .string, "As an HTTP server has to say it."),
        .init("text", .string, "Prometheus' text format 0.0.4."),
      ])),
    errors: [.permissionDenied], examples: Examples.metrics)

  package static let connections = MethodKey<PageRequest>(
    "system.connections", "Lists the connections; for administrators.",
    cursor, limit,
    result: ResultRow(
      "connections",
      Schemas.open([
        .init("connections", .array(Schemas.open([]))),
        .optional("next", .string, "The cursor of the next page; absent on the last."),
      ])),
    errors: [.permissionDenied],
    examples: Examples.connections, make: PageRequest.init)

  package static let allowQuestions = MethodKey<Void>(
    "system.allowQuestions",
    "Has upstream asked again what became of payments, after a question has made a second payment;"
      + " for administrators.",
    result: nothing, errors: [.permissionDenied, .storeFailed], examples: Examples.allowQuestions)

  package static let backup = MethodKey<String>(
    "system.backup",
    "Copies the state to `backups` of the state directory; for administrators. Answers when the copy"
      + " is on the disk; it holds what was committed until then.",
    Parameter<String>(
      "name", .text(.string(byteCount: 1...100, pattern: "^[A-Za-z0-9_-][A-Za-z0-9._-]*$")),
      "What the copy is called; there must be none of that name."),
    result: ResultRow(
      "copy",
      Schemas.open([
        .init("path", .string, "Where it is."), .init("bytes", .integer, "How large it is."),
      ])),
    errors: [.permissionDenied, .quotaExceeded, .storeFailed, .shuttingDown],
    examples: Examples.backup, make: { $0 })

  package static let reload = MethodKey<Void>(
    "system.reload",
    "Reads the configuration again; for administrators. Answers when it is in force.",
    result: ResultRow(
      "reloaded",
      .object([
        .optional(
          "needsRestart", .array(.string),
          "The options that were changed and are read at start alone; absent if none was.")
      ])),
    errors: [.permissionDenied, .invalidConfiguration], examples: Examples.reload)

  package static let discover = MethodKey<Void>(
    "rpc.discover", "Describes every method, event and error of this daemon.",
    result: ResultRow("openrpc", .any, "An OpenRPC document."),
    examples: Examples.discover)
}

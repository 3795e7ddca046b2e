import CheckoutClient
import JSON
import LinuxSystem
import ValueTree

/// What `pay` is to pay, and how.
struct PayCommand {
  /// What would be asked for on a terminal.
  struct Given {
    /// The fields, by their names.
    let fields: [Value.Member]
    /// The payment method; nil for the one that collects these fields.
    let paymentMethodType: String?
    /// What to say to the mandate.
    let acceptsMandate: Bool?

    var names: [String] { fields.map(\.name) }
  }

  let console: Console
  let socket: String
  let deadline: Deadline
  /// How long a daemon that has gone away is sought, in milliseconds.
  let patience: Int64
  /// What the checkout is started with.
  let startParams: Value
  /// The key that it is started with.
  let startKey: Value
  /// Nil to ask for it on the terminal.
  let given: Given?

  /// Reads a command line, and what it names.
  ///
  /// - Throws: What is wrong with them.
  init(_ invocation: Invocation) throws(Failure) {
    let given = invocation.given
    (console, socket, deadline) = (invocation.console, invocation.socket, invocation.deadline)
    patience = try Link.patience(given)
    let dataFile = given[.data]
    guard dataFile != "-" || ![given[.tokenFile] ?? "-", given[.settings]].contains("-") else {
      throw .usage("standard input has one thing only: collected data, client token or settings")
    }
    let start = try StartCommand(given, console)
    console.tellProgress("")
    guard start.params["settings"]?["paymentHandling"]?.string ?? "auto" == "auto" else {
      throw .usage("pay leaves the payment to the daemon: paymentHandling must be auto")
    }
    // Without a key a start could not be made once more after a lost answer.
    startKey =
      start.params["startKey"] ?? .string("pay-\(Random.uint64())-\(Random.uint64())")
    let others = (start.params.object ?? []).filter { $0.name != "startKey" }
    startParams = .object(others + [.init("startKey", startKey)])
    self.given = try dataFile.map { path throws(Failure) in try Self.given(in: path) }
  }

  private static func given(in path: String) throws(Failure) -> Given {
    let text = try ProcessStreams.read(path)
    guard let data = try? JSONReader().value(of: text), let members = data.object else {
      throw .usage("--data: expected a JSON object")
    }
    let (type, mandate) = ("paymentMethodType", "acceptMandate")
    for member in members {
      let isRight = member.name == mandate ? member.value.bool != nil : member.value.string != nil
      guard isRight else {
        throw .usage(
          "--data: expected texts by the names of fields, and acceptMandate true or false")
      }
    }
    return Given(
      fields: members.filter { ![type, mandate].contains($0.name) },
      paymentMethodType: data[type]?.string, acceptsMandate: data[mandate]?.bool)
  }
}

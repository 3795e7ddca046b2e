import CheckoutClient
import JSON
import LinuxSystem
import ValueTree

/// What `pay` is to pay, and how.
struct PayCommand {
  /// What would be asked for on a terminal.
  enum Collected {
    /// iDEAL, with the bank of this id.
    case bank(id: String)
    /// ACH, with these fields in place of what the client session has, and what to say to the
    /// mandate.
    case details([Value.Member], acceptsMandate: Bool?)
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
  let collected: Collected?

  private static let fields = ["firstName", "lastName", "emailAddress"]

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
    collected = try dataFile.map { path throws(Failure) in try Self.collected(in: path) }
  }

  private static func collected(in path: String) throws(Failure) -> Collected {
    let text = try ProcessStreams.read(path)
    guard let data = try? JSONReader().value(of: text), let members = data.object else {
      throw .usage("--data: expected a JSON object")
    }
    if let id = data["bankId"]?.string, members.count == 1 { return .bank(id: id) }
    for member in members where member.name != "acceptMandate" || member.value.bool == nil {
      guard fields.contains(member.name), member.value.string != nil else {
        throw .usage(
          "--data: expected bankId; or some of firstName, lastName, emailAddress, acceptMandate")
      }
    }
    return .details(
      members.filter { fields.contains($0.name) }, acceptsMandate: data["acceptMandate"]?.bool)
  }
}

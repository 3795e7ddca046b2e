package import CheckoutClient
package import LinuxSystem
package import ValueTree

/// What is to be paid, and how.
package struct PayRequest {
  /// What would be asked for on a terminal.
  package struct Given {
    /// The fields, by their names.
    let fields: [Value.Member]
    /// The payment method; nil for the one that collects these fields.
    let paymentMethodType: String?
    /// What to say to the mandate.
    let acceptsMandate: Bool?

    /// Takes what was given.
    package init(fields: [Value.Member], paymentMethodType: String?, acceptsMandate: Bool?) {
      self.fields = fields
      self.paymentMethodType = paymentMethodType
      self.acceptsMandate = acceptsMandate
    }

    var names: [String] { fields.map(\.name) }
  }

  let socket: String
  let deadline: Deadline
  let patience: Int64
  let startParams: Value
  let startKey: Value
  let given: Given?

  /// Makes a request.
  ///
  /// - Parameters:
  ///   - socket: Where the daemon listens.
  ///   - deadline: When to give up.
  ///   - patience: How long a daemon that has gone away is sought, in milliseconds.
  ///   - startParams: What the checkout is started with, beside its key.
  ///   - startKey: The key that it is started with.
  ///   - given: What the shopper gives; nil to ask for it on the terminal.
  package init(
    socket: String, deadline: Deadline, patience: Int64, startParams: [Value.Member],
    startKey: Value, given: Given?
  ) {
    self.socket = socket
    self.deadline = deadline
    self.patience = patience
    self.startParams = .object(startParams + [.init("startKey", startKey)])
    self.startKey = startKey
    self.given = given
  }
}

/// Where what there is to say goes, beside the terminal's screen.
package protocol PayConsole {
  /// Whether it is for programs.
  var isJSON: Bool { get }

  /// Writes lines that are asked for.
  ///
  /// - Throws: ``PayFailure/output(_:)``.
  func put(_ text: String) throws(PayFailure)

  /// Tells something that is for people alone.
  func complain(_ text: String)
}

/// How paying has ended.
package enum PayResult {
  /// The checkout has ended with this outcome.
  case ended(outcome: String)
  /// The time that it was given is over.
  case timedOut
  /// Somebody, or the terminal, sent this signal.
  case signal(Int32)
}

/// Why nothing can be paid, or nothing more can be done about it here.
package enum PayFailure: Error {
  /// The daemon gave no answer, or an error.
  case client(ClientError)
  /// Something went wrong after the daemon had answered, as an event told.
  case refused(Value)
  /// The request cannot be met.
  case usage(String)
  /// What there is to say cannot be written.
  case output(Errno)
}

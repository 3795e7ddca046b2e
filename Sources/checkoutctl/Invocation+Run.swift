import CheckoutClient
import JSON
import ValueTree

extension Invocation {
  /// Does what is asked for.
  func run() throws(Failure) {
    switch command {
    case .show(let text): try ProcessStreams.write(text)
    case .call(let call): try ProcessStreams.write(try make(call).jsonText)
    case .follow(let checkout?): try follow(checkout)
    case .follow(nil): try followAll()
    case .status(let isJSON):
      let status = try make(CallCommand(method: "system.status", params: nil))
      try ProcessStreams.write(isJSON ? status.jsonText : StatusTable(status).text)
    }
  }

  private func make(_ call: CallCommand) throws(Failure) -> Value {
    try talk { () throws(ClientError) in
      let connection = try ClientConnection(path: socket)
      let id = try connection.send(call.method, call.params, until: deadline)
      try connection.finishSending()
      return try connection.reply(to: id, until: deadline)
    }
  }

  /// Prints the events of one checkout, to the last.
  ///
  /// They are read, not subscribed to: so none is dropped, however slowly the output is taken.
  private func follow(_ checkout: String) throws(Failure) {
    let connection = try talk { () throws(ClientError) in try ClientConnection(path: socket) }
    connection.watchedOutput = ProcessStreams.output
    var after: Int64 = 0
    while true {
      let page = try talk { () throws(ClientError) in
        try connection.readEvents(of: checkout, after: after, until: deadline)
      }
      for event in page.events { try ProcessStreams.write(event.value.jsonText) }
      guard !page.isEnded else { return }
      after = page.next
    }
  }

  /// Prints all events until the connection ends.
  private func followAll() throws(Failure) {
    let connection = try talk { () throws(ClientError) in
      let connection = try ClientConnection(path: socket)
      connection.watchedOutput = ProcessStreams.output
      _ = try connection.call("events.subscribe", until: deadline)
      return connection
    }
    while true {
      let event = try talk { () throws(ClientError) in try connection.nextEvent(until: deadline) }
      try ProcessStreams.write(event.value.jsonText)
    }
  }

  private func talk<Result>(
    _ body: () throws(ClientError) -> Result
  ) throws(Failure) -> Result {
    do throws(ClientError) { return try body() } catch { throw .client(error) }
  }
}

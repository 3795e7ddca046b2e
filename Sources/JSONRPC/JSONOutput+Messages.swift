package import JSON
package import ValueTree

extension JSONOutput {
  /// Appends the member `result`.
  func appendReply(_ result: Value) {
    append(#""result":"#)
    append(value: result)
  }

  /// Appends the member `error`.
  func appendReply(_ error: RPCError) {
    append(#""error":"#)
    append(error)
  }

  /// Appends an error object.
  package func append(_ error: RPCError) {
    append(#"{"code":"#)
    append(error.code.rawValue)
    append(#","message":"#)
    append(string: error.message)
    if let data = error.data {
      append(#","data":"#)
      append(value: data)
    }
    append("}")
  }

  /// Appends a call, or a notification, as one line.
  ///
  /// - Parameters:
  ///   - id: Nil for a notification.
  ///   - method: The method's name.
  ///   - params: An array or an object, or nil.
  package func appendRequest(id: RequestID?, method: String, params: Value?) {
    append(#"{"jsonrpc":"2.0","#)
    if let id {
      append(#""id":"#)
      append(id)
      append(",")
    }
    append(#""method":"#)
    append(string: method)
    if let params {
      append(#","params":"#)
      append(value: params)
    }
    append("}\n")
  }

  /// Appends a notification with named parameters as one line.
  ///
  /// - Parameters:
  ///   - method: The event's name; `rpc.` is reserved and refused.
  ///   - members: Appends the members of `params`, without the braces around them.
  package func appendNotification(_ method: StaticString, _ members: (JSONOutput) -> Void) {
    precondition(!method.starts(with: "rpc."))
    append(#"{"jsonrpc":"2.0","method":"#)
    append(string: method)
    append(#","params":{"#)
    members(self)
    append("}}\n")
  }

  /// Appends a notification with named parameters as one line.
  ///
  /// - Parameters:
  ///   - method: The event's name; `rpc.` is reserved and refused.
  ///   - members: The members of `params`, in their order.
  package func appendNotification(_ method: StaticString, _ members: [Value.Member]) {
    appendNotification(method) { output in
      var isFirst = true
      for member in members {
        if !isFirst { output.append(",") }
        isFirst = false
        output.append(string: member.name)
        output.append(":")
        output.append(value: member.value)
      }
    }
  }
}

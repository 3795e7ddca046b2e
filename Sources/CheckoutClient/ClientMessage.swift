import JSON
package import JSONRPC
package import ValueTree

/// One line from the daemon.
package enum ClientMessage: Sendable {
  /// The result of a call, or its error.
  case reply(RequestID, Result<Value, RPCError>)
  /// An error that answers no call: the connection's, or of a line that could not be read.
  case refusal(RPCError)
  /// Something happened.
  case event(ClientEvent)

  /// Reads a line's value; nil if it is neither a reply nor an event.
  init?(_ view: JSONView) {
    guard let version = view["jsonrpc"], version.equals("2.0") else { return nil }
    if let method = view["method"]?.string {
      let params = view["params"]
      guard view["id"] == nil, params == nil || params?.kind == .object else { return nil }
      self = .event(ClientEvent(method: method, params: params?.value ?? .object([])))
      return
    }
    guard let id = view["id"].flatMap({ RequestID($0) }) else { return nil }
    switch (view["result"], view["error"]) {
    case (let result?, nil) where id != .null: self = .reply(id, .success(result.value))
    case (nil, let error?):
      guard let error = RPCError(error.value) else { return nil }
      self = id == .null ? .refusal(error) : .reply(id, .failure(error))
    default: return nil
    }
  }
}

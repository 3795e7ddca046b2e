internal import JSON

/// The members of a request object.
struct Envelope {
  /// What an object turned out to be.
  enum Reading {
    /// A call, or a notification.
    case request(Envelope)
    /// A reply, which nobody asked for.
    case response
    /// Not a request; its id as far as it can be told.
    case invalid(RequestID)
  }

  /// The id; nil for a notification.
  let id: RequestID?
  /// The method's name, a string.
  let method: JSONView
  /// The parameters, an array or an object, or nil.
  let params: JSONView?
  /// Whether an object in the parameters names a member twice.
  let hasDuplicateParameter: Bool

  /// Reads a member of a batch or a whole line.
  ///
  /// - Parameters:
  ///   - view: Any value.
  ///   - mayHaveDuplicates: Whether the text as a whole has duplicate members, so that it matters
  ///     where.
  /// - Returns: What it is.
  static func read(_ view: JSONView, mayHaveDuplicates: Bool) -> Reading {
    guard view.kind == .object else { return .invalid(.null) }
    var version: JSONView?
    var idView: JSONView?
    var method: JSONView?
    var params: JSONView?
    var isResponse = false
    var idCount = 0
    for (name, value) in view.members {
      if name.equals("jsonrpc") {
        version = value
      } else if name.equals("id") {
        idView = value
        idCount += 1
      } else if name.equals("method") {
        method = value
      } else if name.equals("params") {
        params = value
      } else if name.equals("result") || name.equals("error") {
        isResponse = true
      }
    }
    if isResponse, method == nil { return .response }
    guard idCount < 2 else { return .invalid(.null) }
    let id = idView.flatMap { RequestID($0) }
    guard idView == nil || id != nil, let version, version.equals("2.0"),
      let method, method.kind == .string,
      params.map({ $0.kind == .array || $0.kind == .object }) ?? true
    else {
      return .invalid(id ?? .null)
    }
    var hasDuplicateParameter = false
    if mayHaveDuplicates {
      if hasDuplicate(view, beside: params) { return .invalid(id ?? .null) }
      hasDuplicateParameter = params?.containsDuplicateMember ?? false
    }
    return .request(
      Envelope(
        id: id, method: method, params: params, hasDuplicateParameter: hasDuplicateParameter))
  }

  /// Whether a name occurs twice in the envelope itself or inside another member than `params`.
  private static func hasDuplicate(_ view: JSONView, beside params: JSONView?) -> Bool {
    guard !view.namesMemberTwice else { return true }
    return view.members.contains {
      $0.value.index != params?.index && $0.value.containsDuplicateMember
    }
  }
}

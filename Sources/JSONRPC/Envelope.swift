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
    let names = Names.known
    for (name, value) in view.members {
      switch name.shortString {
      case names.jsonrpc: version = value
      case names.id:
        idView = value
        idCount += 1
      case names.method: method = value
      case names.params: params = value
      case names.result, names.error: isResponse = true
      default: break
      }
    }
    if isResponse, method == nil { return .response }
    guard idCount < 2 else { return .invalid(.null) }
    let id = idView.flatMap { RequestID($0) }
    guard idView == nil || id != nil, let version, version.shortString == names.version,
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

  /// The names of an envelope's members, and the version that it must have.
  ///
  /// All of them are one constant: a constant that is made when it is first used costs a call to get.
  private struct Names {
    static let known = Names()

    let jsonrpc = JSONView.shortString("jsonrpc")
    let id = JSONView.shortString("id")
    let method = JSONView.shortString("method")
    let params = JSONView.shortString("params")
    let result = JSONView.shortString("result")
    let error = JSONView.shortString("error")
    let version = JSONView.shortString("2.0")
  }
}

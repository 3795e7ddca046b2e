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
      switch name.shortString {
      case Name.jsonrpc: version = value
      case Name.id:
        idView = value
        idCount += 1
      case Name.method: method = value
      case Name.params: params = value
      case Name.result, Name.error: isResponse = true
      default: break
      }
    }
    if isResponse, method == nil { return .response }
    guard idCount < 2 else { return .invalid(.null) }
    let id = idView.flatMap { RequestID($0) }
    guard idView == nil || id != nil, let version, version.shortString == Name.version,
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
  private enum Name {
    static let jsonrpc = JSONView.shortString("jsonrpc")
    static let id = JSONView.shortString("id")
    static let method = JSONView.shortString("method")
    static let params = JSONView.shortString("params")
    static let result = JSONView.shortString("result")
    static let error = JSONView.shortString("error")
    static let version = JSONView.shortString("2.0")
  }
}

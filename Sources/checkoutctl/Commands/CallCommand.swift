import JSON
import ValueTree

/// A call to make.
struct CallCommand {
  let method: String
  let params: Value?

  /// Makes a call that needs nothing read.
  init(method: String, params: Value?) {
    self.method = method
    self.params = params
  }

  /// Reads what to call with, from the arguments and from where they say.
  ///
  /// - Parameters:
  ///   - operands: The method, and what the parameters are.
  ///   - tokenFile: Where the client token is, if it is to be added.
  /// - Throws: What is wrong with them.
  init(_ operands: ArraySlice<String>, tokenFile: String?) throws(Failure) {
    guard let method = operands.first, operands.count <= 2 else {
      throw .usage("call takes a method and, as one argument, its parameters")
    }
    self.method = method
    let source = operands.dropFirst().first
    guard source != "-" || tokenFile != "-" else {
      throw .usage("standard input has either the parameters or the client token")
    }
    var params = try source.map { text throws(Failure) in try Self.params(text, of: method) }
    if let tokenFile { params = try Self.adding(try Self.token(in: tokenFile), to: params) }
    self.params = params
  }

  private static func params(_ text: String, of method: String) throws(Failure) -> Value {
    let isArgument = text != "-"
    let name = isArgument ? "the parameters" : "standard input"
    let json = isArgument ? text : try ProcessStreams.read(text)
    let value: Value
    do throws(JSONError) {
      value = try JSONReader().value(of: json)
    } catch { throw .usage("\(name): \(error.explanation)") }
    if isArgument, Secrets.areIn(value, of: method) { throw Secrets.refusal }
    guard value.object != nil || value.array != nil else {
      throw .usage("\(name): expected an object or an array")
    }
    return value
  }

  /// Reads a file that has a client token and nothing else; white space after it is not part of it.
  static func token(in path: String) throws(Failure) -> String {
    let text = try ProcessStreams.read(path)
    guard let last = text.lastIndex(where: { !$0.isWhitespace }) else {
      throw .usage("--token-file: there is nothing in it")
    }
    return String(text[...last])
  }

  private static func adding(_ token: String, to params: Value?) throws(Failure) -> Value {
    guard let members = (params ?? .object([])).object else {
      throw .usage("--token-file needs parameters by name")
    }
    guard !members.contains(where: { $0.name == "clientToken" }) else {
      throw .usage("the parameters have a clientToken already")
    }
    return .object([.init("clientToken", .string(token))] + members)
  }
}

extension JSONError {
  /// What is wrong with a text, for people.
  fileprivate var explanation: String {
    switch self {
    case .notJSON: "not JSON"
    case .tooDeep(let limit): "nested deeper than \(limit) levels"
    case .tooLarge(let limit): "longer than \(limit) bytes"
    case .duplicateMember: "an object names a member twice"
    case .outOfMemory: "no memory"
    }
  }
}

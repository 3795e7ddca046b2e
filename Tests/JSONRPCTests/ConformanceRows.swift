import Testing

/// The rows of the conformance document: what one line, or two, must bring.
///
/// In the input `$` stands for `"jsonrpc":"2.0"`, `⟨0D⟩` for that byte and `⏎` for LF.
enum ConformanceRows {
  struct Row: Sendable, CustomTestStringConvertible {
    let number: String
    let input: String
    let output: [String]

    init(_ number: String, _ input: String, _ output: [String]) {
      self.number = number
      self.input = input
      self.output = output
    }

    var testDescription: String { number }
  }

  private static let messages = [
    -32700: "Parse error", -32600: "Invalid Request", -32601: "Method not found",
    -32602: "Invalid params", -32603: "Internal error", -32003: "Batch too large",
  ]

  static func result(_ id: String, _ result: String) -> String {
    #"{$,"id":\#(id),"result":\#(result)}"#
  }

  static func failure(_ id: String, _ code: Int) -> String {
    #"{$,"id":\#(id),"error":{"code":\#(code),"message":"\#(messages[code] ?? "")"}}"#
  }

  static func batch(_ members: String...) -> String { "[\(members.joined(separator: ","))]" }
}

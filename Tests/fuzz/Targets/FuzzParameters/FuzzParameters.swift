import Checkout
import CheckoutProtocol
import FuzzSupport
import JSON
import JSONRPC
import ValueTree

/// Parameters of every method, made after its schema or as they come.
///
/// They meet the schema's check and the readers behind it.
@main enum FuzzParameters {
  private static let codes: Set<Int64> = [-32700, -32600, -32602, -32001, -32004, 1005]
  /// What is wrong with parameters that fit the schema and make no sense together.
  private static let rules: Set<String> = [
    "needs either a uid or a gid", "needs a checkoutId", "names an event there is not",
    "takes terminal, awaiting or the names of events", "is not a page's next",
  ]
  /// What an outcome makes necessary.
  private static let needed: Set<String> = ["/params/paymentId", "/params/error"]

  static func main() {
    let server = LineServer(
      LineServer.dispatcher(for: Methods.keys, maximumLineByteCount: 1 << 20),
      maximumLineByteCount: 1 << 20, maximumReplyByteCount: 1 << 21)
    let reader = JSONReader(maximumByteCount: 1 << 21)
    Fuzzer.run { bytes in
      var input = FuzzInput(bytes)
      let row = input.one(of: Methods.all)
      var isMade = input.chance(oneIn: 2)
      var params: [UInt8]
      if isMade {
        var maker = SchemaValue(input)
        params = maker.parameters(of: row).jsonBytes
        isMade = maker.fits
      } else {
        params = input.remainder()
      }
      let isRefused = differs(params, from: row, reader)
      let head = #"{"jsonrpc":"2.0","id":7,"method":"\#(row.name)","params":"#
      server.receive(Array(head.utf8)[...] + params + Array("}\n".utf8)) { false }
      server.finish()
      for line in server.takeLines() {
        guard let reply = try? reader.value(of: line) else {
          return require(false, "a reply is JSON")
        }
        check(reply, fits: isMade)
        require(!isRefused || reply["error"] != nil, "what differs from the schema is refused")
      }
    }
  }

  /// Whether an object differs from the schema of the method's parameters.
  private static func differs(_ params: [UInt8], from row: MethodRow, _ reader: JSONReader) -> Bool
  {
    let schema = Schema.object(row.parameters, allowsAdditional: row.acceptsAnything)
    let differs = unsafe try? params.withUnsafeBytes { params in
      unsafe try reader.read(params) { $0.kind == .object && schema.violation(in: $0) != nil }
    }
    return differs ?? false
  }

  private static func check(_ reply: Value, fits: Bool) {
    guard let error = reply["error"] else { return }
    guard let code = error["code"]?.integer, codes.contains(code) else {
      return require(false, "the error is one there can be: \(reply.jsonText)")
    }
    let path = error["data"]?["path"]?.string ?? ""
    let description = error["data"]?["description"]?.string ?? ""
    require(
      !fits || code == -32004 || code == 1005 || rules.contains(description)
        || needed.contains(path), "what fits the schema is taken: \(reply.jsonText)")
    guard code == -32602 else { return }
    require(path.hasPrefix("/params"), "the path is told")
  }
}

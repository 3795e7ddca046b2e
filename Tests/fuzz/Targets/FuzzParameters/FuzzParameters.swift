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
  private static let codes: Set<Int64> = [-32700, -32600, -32602, -32001, -32004]

  static func main() {
    let server = LineServer(
      LineServer.dispatcher(for: Methods.all, maximumLineByteCount: 1 << 20, reading: read),
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
      let head = #"{"jsonrpc":"2.0","id":7,"method":"\#(row.name)","params":"#
      server.receive(Array(head.utf8)[...] + params + Array("}\n".utf8)) { false }
      server.finish()
      for line in server.takeLines() {
        guard let reply = try? reader.value(of: line) else {
          return require(false, "a reply is JSON")
        }
        check(reply, fits: isMade)
      }
    }
  }

  private static func check(_ reply: Value, fits: Bool) {
    guard let error = reply["error"] else { return }
    guard let code = error["code"]?.integer, codes.contains(code) else {
      return require(false, "the error is one there can be: \(reply.jsonText)")
    }
    require(!fits || code == -32004, "what fits the schema is taken: \(reply.jsonText)")
    guard code == -32602 else { return }
    require(error["data"]?["path"]?.string?.hasPrefix("/params") == true, "the path is told")
  }

  /// What the daemon's handlers read.
  private static func read(_ row: MethodRow, _ parameters: Parameters) {
    let names = Set(row.parameters.map(\.name.description))
    func has(_ name: String) -> Bool { names.contains(name) }
    if has("checkoutId"), let view = parameters["checkoutId"] { _ = CheckoutReference(view) }
    if has("componentId"), let view = parameters["componentId"] {
      _ = view.string.flatMap(ComponentID.init(text:))
    }
    if has("settings") { _ = try? Settings(parameters) }
    if has("share") { _ = try? [Share](parameters["share"]) }
    if has("uid") { _ = try? Share.Subject(uid: parameters["uid"], gid: parameters["gid"]) }
    if has("role") { _ = Share.Role(parameters["role"]) }
    if has("paymentId") { _ = try? BankAccountReport(parameters) }
    if has("types"), let filter = try? EventFilter(parameters["types"]) {
      _ = EventKind.allCases.count { filter.contains($0) }
    }
    if has("data"), let view = parameters["data"] { _ = view.value }
  }
}

import JSON
import Testing
import ValueTree

@testable import JSONRPC

@Suite struct NotificationTests {
  @Test func `S-14 a notification carries its parameters as an object and no id`() {
    let output = JSONOutput()
    output.appendNotification("checkout.didFail", [.init("seq", 1), .init("text", "a\u{2028}")])
    output.appendNotification("system.note") { $0.append(#""a":1"#) }
    let text = unsafe output.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    #expect(
      text == #"{"jsonrpc":"2.0","method":"checkout.didFail","params":{"seq":1,"text":"a\u2028"}}"#
        + "\n" + #"{"jsonrpc":"2.0","method":"system.note","params":{"a":1}}"# + "\n")
  }

  @Test func `S-14 a reserved name is refused`() async {
    await #expect(processExitsWith: .failure) {
      JSONOutput().appendNotification("rpc.event", [])
    }
  }

  @Test func `a request is one line, a notification has no id`() {
    let output = JSONOutput()
    output.appendRequest(id: .integer(1), method: "a", params: nil)
    output.appendRequest(id: nil, method: "b", params: [1])
    let text = unsafe output.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    #expect(
      text == #"{"jsonrpc":"2.0","id":1,"method":"a"}"# + "\n"
        + #"{"jsonrpc":"2.0","method":"b","params":[1]}"# + "\n")
  }
}

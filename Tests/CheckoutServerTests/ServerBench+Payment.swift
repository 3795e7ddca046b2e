import Testing
import ValueTree

extension ServerBench {
  /// Has a client start a checkout, choose a bank and submit; what else there is to read is lost.
  ///
  /// - Returns: The checkout's id.
  func submit(session number: Int, by client: TestClient) throws -> Value {
    let id = try #require(try start(session: number, by: client).result?["checkoutId"])
    let provided = try call(
      client, "componentWithRedirectManager.provide",
      ["checkoutId": id, "paymentMethodType": "ADYEN_IDEAL"])
    let component = try #require(provided.result?["componentId"])
    client.send(line("component.start", ["componentId": component]).text)
    turn()
    answer()
    for (method, data) in [
      ("component.updateCollectedData", ["bankId": "0"] as Value?), ("component.submit", nil),
    ] {
      client.send(line(method, (["componentId": component] as Value).adding("data", data)).text)
      turn()
    }
    _ = try client.readLines()
    return id
  }
}

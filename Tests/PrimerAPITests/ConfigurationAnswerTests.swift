import Checkout
import Testing
import Upstream
import ValueTree

@testable import PrimerAPI

@Suite struct ConfigurationAnswerTests {
  private func read(_ body: String) throws -> Result<Configuration, OperationFailure> {
    let reader = AnswerReader(policy: try UpstreamPolicy(), maximumBodyByteCount: 1 << 20)
    let response = HTTPResponse(status: 200, body: Array(body.utf8))
    return reader.read(response, to: .fetchConfiguration, now: 0).map {
      guard case .configuration(let configuration) = $0 else { return Configuration() }
      return configuration
    }
  }

  @Test func `a whole configuration is read`() throws {
    let body = #"""
      {"coreUrl":"https://core.primer.io","pciUrl":"https://pci.primer.io","env":"SANDBOX",
       "clientSession":{"clientSessionId":"cs-1",
         "paymentMethod":{"vaultOnSuccess":false,"options":[{"type":"ADYEN_IDEAL","surcharge":50},
           {"type":"PAYMENT_CARD","networks":[{"type":"VISA"},{"type":"JCB","surcharge":20}]},
           {"type":"STRIPE_ACH"},{"surcharge":1},{"type":"X","surcharge":"9"}]},
         "order":{"orderId":"o-1","merchantAmount":null,"totalOrderAmount":1299,
           "currencyCode":"EUR","countryCode":"NL",
           "fees":[{"type":"SURCHARGE","amount":50},{"type":"NEW"}],
           "shipping":{"amount":300,"methodName":"Post"},"totalTaxAmount":100,
           "lineItems":[{"itemId":"i-1","quantity":1,"amount":1299,"name":"Mug","taxAmount":7,
             "discountAmount":9}]},
         "customer":{"customerId":"c-1","firstName":"Ada","lastName":"Byron",
           "emailAddress":"ada@ex.test","mobileNumber":"+351912345678"}},
       "paymentMethods":[
         {"id":"cfg-ideal","type":"ADYEN_IDEAL","name":"iDEAL","implementationType":"NATIVE_SDK"},
         {"id":"cfg-ach","type":"STRIPE_ACH","capabilities":["NEW","BACKEND_DRIVEN"]},{"id":"x"},{"type":"NEW","implementationType":7}],
       "checkoutModules":[]}
      """#
    let expected = Configuration(
      coreURL: "https://core.primer.io", pciURL: "https://pci.primer.io",
      paymentMethods: [
        PaymentMethod(
          id: "cfg-ideal", type: "ADYEN_IDEAL", name: "iDEAL", implementationType: "NATIVE_SDK"),
        PaymentMethod(id: "cfg-ach", type: "STRIPE_ACH", isBackendDriven: true),
        PaymentMethod(type: "NEW"),
      ],
      clientSession: ClientSession(
        id: "cs-1", orderID: "o-1", currencyCode: "EUR", totalOrderAmount: 1299,
        lineItems: [
          LineItem(
            id: "i-1", description: "Mug", amount: 1299, quantity: 1, name: "Mug", taxAmount: 7,
            discountAmount: 9)
        ],
        customer: Customer(
          id: "c-1", firstName: "Ada", lastName: "Byron", emailAddress: "ada@ex.test",
          mobileNumber: "+351912345678"),
        surcharges: ["ADYEN_IDEAL": 50, "PAYMENT_CARD": 20], countryCode: "NL",
        fees: [Fee(type: "SURCHARGE", amount: 50), Fee(type: "NEW", amount: nil)],
        shipping: Shipping(amount: 300, methodName: "Post"), totalTaxAmount: 100))
    #expect(try read(body) == .success(expected))
  }

  @Test func `a bad member of the session is absent, and takes nothing with it`() throws {
    let body = #"""
      {"paymentMethods":[],"checkoutModules":[],"clientSession":{"clientSessionId":7,
       "order":{"orderId":"o-1","merchantAmount":"12","totalOrderAmount":12.5,"currencyCode":1,
         "lineItems":[{"amount":5.0},"x",{"quantity":2,"amount":"5","description":"d"}]},
       "customer":[]}}
      """#
    let expected = Configuration(
      clientSession: ClientSession(
        orderID: "o-1",
        lineItems: [LineItem(amount: 5), LineItem(), LineItem(description: "d", quantity: 2)]))
    #expect(try read(body) == .success(expected))
  }

  @Test(arguments: [
    "", "{}", "[]", "null", "<html>", #"{"checkoutModules":[]}"#,
    #"{"paymentMethods":{},"checkoutModules":[]}"#,
  ])
  func `the methods are needed`(body: String) throws {
    #expect(try read(body) == .failure(OperationFailure(.undecodable, httpStatus: 200)))
  }

  @Test(arguments: ["coreUrl", "pciUrl"])
  func `a URL off the list is refused`(name: String) throws {
    let rest = #""paymentMethods":[],"checkoutModules":[]"#
    #expect(
      try read(#"{"\#(name)":"https://evil.com",\#(rest)}"#)
        == .failure(OperationFailure(.notAllowed, httpStatus: 200)))
    #expect(try read(#"{"\#(name)":null,\#(rest)}"#) == .success(Configuration()))
    #expect(try read(#"{"\#(name)":"",\#(rest)}"#) == .success(Configuration()))
  }
}

import Checkout
import Testing
import ValueTree

/// What holds for every component, of this version and of the next.
@Suite struct ComponentContractTests {
  static let types = ComponentRegistry.all.map { $0.kind.paymentMethodType }

  private func component(_ type: String) throws -> any PaymentComponent.Type {
    try #require(ComponentRegistry.component(for: type))
  }

  @Test func `no two components share a payment method or a name`() {
    #expect(Set(Self.types).count == Self.types.count)
    #expect(Set(ComponentRegistry.all.map { $0.kind.name }).count == Self.types.count)
  }

  @Test(arguments: types)
  func `a new component is neither started nor complete`(type: String) throws {
    let component = try component(type).init()
    #expect(!component.isStarted)
    #expect(!component.missing.isEmpty)
    #expect(component.snapshot.map(\.name) == ["validation", "data"])
    #expect(component.snapshot.allSatisfy { $0.value == .object([]) })
  }

  @Test(arguments: types)
  func `every failure of a start can be a reply`(type: String) throws {
    let component = try component(type)
    for failure in [Sample.failure(.notSent), Sample.failure(.undecodable), Sample.status(500)] {
      #expect(component.startError(failure).code != nil)
    }
  }

  @Test(arguments: types)
  func `what is missing can be updated, and is told by its own field`(type: String) throws {
    var component = try component(type).init()
    for error in component.missing {
      var moment = Moment(now: Sample.now, entropy: 1)
      var events: [Event] = []
      let data = Value.object([.init(error.field, "")])
      let reply = try component.update(data, moment: &moment, events: &events)
      #expect(reply["status"] == "invalid")
      #expect(events.map(\.kind) == [.didUpdateValidationStatus, .didUpdateValidationStatus])
      #expect(events.allSatisfy { $0["data"] == data })
    }
  }

  @Test(arguments: types)
  func `a required action of nobody's is unsupported`(type: String) throws {
    let component = try component(type).init()
    let token = RequiredActionTests.redirect { $0.intent = "NOBODYS" }
    let error = #expect(throws: CheckoutError.self) { try component.plan(for: token) }
    #expect(error?.id == .unsupportedRequiredAction)
  }
}

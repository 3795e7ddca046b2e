import Checkout
import Testing
import ValueTree

/// What holds for every component, of this version and of the next.
@Suite struct ComponentContractTests {
  /// Each component with a type that it serves; a page is shown for any.
  static let all: [Component] = ComponentRow.all.flatMap { row in
    (row.paymentMethodTypes.isEmpty ? ["ADYEN_TWINT"] : row.paymentMethodTypes).map {
      Component(row: row, type: $0)
    }
  }

  struct Component: CustomTestStringConvertible {
    let row: ComponentRow
    let type: String

    var testDescription: String { "\(row.name) for \(type)" }

    func new() -> any PaymentComponent { row.component.init(row, for: type) }
  }

  @Test func `no two components share a payment method or a name`() {
    let types = ComponentRow.all.flatMap(\.paymentMethodTypes)
    #expect(Set(types).count == types.count)
    #expect(Set(ComponentRow.all.map(\.name)).count == ComponentRow.all.count)
    #expect(
      Set(types).isDisjoint(with: ComponentRow.all.map(\.name)), "stored rows tell them apart")
  }

  @Test(arguments: all)
  func `a new component is not started, and lacks what its row has fields for`(of: Component) {
    let component = of.new()
    #expect(!component.isStarted)
    #expect(component.missing.map(\.field) == of.row.fields.map(\.name))
    #expect(component.snapshot.map(\.name) == ["validation", "data"])
    #expect(component.snapshot.allSatisfy { $0.value == .object([]) })
  }

  @Test(arguments: all)
  func `every failure of a start can be a reply`(of: Component) {
    for failure in [Sample.failure(.notSent), Sample.failure(.undecodable), Sample.status(500)] {
      #expect(of.row.component.startError(failure).code != nil)
    }
  }

  @Test(arguments: all)
  func `what is missing can be updated, and is told by its own field`(of: Component) throws {
    var component = of.new()
    for field in of.row.fields {
      var moment = Moment(now: Sample.now, entropy: 1)
      var events: [Event] = []
      let data = Value.object([.init(field.name, "")])
      let reply = try component.update(data, moment: &moment, events: &events)
      #expect(reply["status"] == "invalid")
      #expect(events.map(\.kind) == [.didUpdateValidationStatus, .didUpdateValidationStatus])
      let told = Value.object([.init(field.name, field.isSecret ? true : "")])
      #expect(events.allSatisfy { $0["data"] == told })
    }
  }

  @Test(arguments: all)
  func `a field of another component's is refused, with its path`(of: Component) throws {
    var component = of.new()
    var moment = Moment(now: Sample.now, entropy: 1)
    var events: [Event] = []
    let error = #expect(throws: CheckoutError.self) {
      try component.update(["nobodys": "x"], moment: &moment, events: &events)
    }
    #expect(error?.id == .invalidValue)
    #expect(error?.path == "/data")
    #expect(events.isEmpty)
  }
}

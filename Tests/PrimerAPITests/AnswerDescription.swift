import Checkout
import Testing
import ValueTree

@testable import PrimerAPI

/// What a member of an answer is for, which says what becomes of an answer without it.
enum Need {
  /// Without it the answer makes no sense.
  case needed
  /// Without it the entry of the list makes no sense, and is left out.
  case entry
  /// Without it there is less to show, and nothing else changes.
  case shown
  /// The same; but of another type it is something that must be done and cannot be.
  case followed
  /// Nobody looks at it.
  case unused
}

/// A good value, and what each part of it is for.
indirect enum Shape {
  case leaf(Value, Need)
  case object([(name: String, shape: Shape)], Need)
  case list([Shape], Need)

  var need: Need {
    switch self {
    case .leaf(_, let need), .object(_, let need), .list(_, let need): need
    }
  }

  var value: Value {
    switch self {
    case .leaf(let value, _): value
    case .object(let members, _): .object(members.map { .init($0.name, $0.shape.value) })
    case .list(let shapes, _): .array(shapes.map(\.value))
    }
  }

  /// Values of each type that this one is not.
  var mistyped: [Value] {
    let all: [Value] = [.bool(true), 7, .number(0.5), "x", [], [:]]
    return all.filter { !$0.isSameType(as: value) }
  }
}

extension Value {
  fileprivate func isSameType(as other: Value) -> Bool {
    switch (self, other) {
    case (.bool, .bool), (.integer, .integer), (.string, .string), (.array, .array),
      (.object, .object):
      true
    default: false
    }
  }
}

/// One change of a good answer.
struct Variant {
  enum Change { case null, absent, mistyped, unknown }

  let path: String
  let need: Need
  let change: Change
  let body: Value
}

extension Shape {
  /// A part of a value, and the value with something else in its place.
  typealias Part = (shape: Shape, path: String, whole: (Value) -> Value)

  /// The parts that a value is made of.
  func parts(_ path: String = "") -> [Part] {
    switch self {
    case .leaf: return []
    case .list(let shapes, _):
      let all = shapes.map(\.value)
      return shapes.indices.map { place in
        (
          shapes[place], "\(path)/\(place)",
          { value in
            var changed = all
            changed[place] = value
            return .array(changed)
          }
        )
      }
    case .object(let members, _):
      let all = members.map { Value.Member($0.name, $0.shape.value) }
      return members.indices.map { place in
        (
          members[place].shape, "\(path)/\(members[place].name)",
          { value in
            var changed = all
            changed[place].value = value
            return .object(changed)
          }
        )
      }
    }
  }

  /// What each part has, put back into the whole.
  func variantsOfParts(
    _ path: String, _ variants: (Shape, String) -> [Variant]
  ) -> [Variant] {
    parts(path).flatMap { part in
      variants(part.shape, part.path).map { inner in
        Variant(
          path: inner.path, need: inner.need, change: inner.change, body: part.whole(inner.body))
      }
    }
  }

  /// Every way to set one member to `null`, leave it out or give it another type, at every depth.
  func variants(_ path: String = "") -> [Variant] {
    var own: [Variant] = []
    if case .object(let members, _) = self {
      for (place, part) in parts(path).enumerated() {
        func variant(_ change: Variant.Change, _ body: Value) -> Variant {
          Variant(path: part.path, need: part.shape.need, change: change, body: body)
        }
        var others = members.map { Value.Member($0.name, $0.shape.value) }
        others.remove(at: place)
        own += [variant(.null, part.whole(.null)), variant(.absent, .object(others))]
        own += part.shape.mistyped.map { variant(.mistyped, part.whole($0)) }
      }
    }
    return own + variantsOfParts(path) { $0.variants($1) }
  }

  /// The good value with one more member in one of its objects: each object has its turn.
  func withOddMember(_ member: Value.Member) -> [Value] {
    let inner = parts().flatMap { part in
      part.shape.withOddMember(member).map(part.whole)
    }
    guard case .object(let all) = value else { return inner }
    return [.object([member] + all), .object(all + [member])] + inner
  }
}

/// The answer to one call: what it is made of.
struct AnswerDescription: Sendable, CustomTestStringConvertible {
  let name: String
  let request: Operation.Request
  let shape: @Sendable () -> Shape
  /// What a client needs of the answer, as text; what is only shown is not in it.
  let essence: @Sendable (Answer) -> String

  var testDescription: String { name }
}

extension AnswerDescription {
  static let replacement = token(
    #"{"accessToken":"at-2","exp":2000000000,"intent":"X_REDIRECTION"}"#)

  private static func session(_ need: Need) -> Shape {
    func item(_ id: Value) -> Shape {
      .object(
        [
          ("itemId", .leaf(id, .shown)), ("quantity", .leaf(1, .shown)),
          ("amount", .leaf(1299, .shown)), ("name", .leaf("Mug", .shown)),
        ], .shown)
    }
    return .object(
      [
        ("clientSessionId", .leaf("cs-1", .shown)),
        (
          "order",
          .object(
            [
              ("orderId", .leaf("o-1", .shown)), ("totalOrderAmount", .leaf(1299, .shown)),
              ("currencyCode", .leaf("EUR", .shown)),
              ("lineItems", .list([item("i-1"), item("i-2")], .shown)),
            ], .shown)
        ),
        (
          "customer",
          .object(
            [
              ("firstName", .leaf("Ada", .shown)), ("emailAddress", .leaf("a@example.com", .shown)),
            ],
            .shown)
        ),
        (
          "paymentMethod",
          .object(
            [
              (
                "options",
                .list(
                  [
                    .object(
                      [("type", .leaf("A", .shown)), ("surcharge", .leaf(50, .shown))], .shown)
                  ], .shown)
              )
            ], .shown)
        ),
      ], need)
  }

  private static func method(_ type: Value, _ need: Need = .entry) -> Shape {
    .object(
      [
        ("id", .leaf("cfg", .shown)), ("type", .leaf(type, need)),
        ("name", .leaf("Method", .shown)), ("implementationType", .leaf("NATIVE_SDK", .shown)),
      ], need)
  }

  private static func bank(_ id: Value) -> Shape {
    .object(
      [
        ("id", .leaf(id, .entry)), ("name", .leaf("Bank", .shown)),
        ("iconUrl", .leaf("https://icons.example.com/1.png", .shown)),
        ("disabled", .leaf(true, .shown)),
      ], .entry)
  }

  private static func payment(id: Need) -> @Sendable () -> Shape {
    {
      .object(
        [
          ("id", .leaf("pay-1", id)), ("orderId", .leaf("o-1", .shown)),
          ("status", .leaf("PENDING", .needed)), ("amount", .leaf(1299, .unused)),
          ("date", .leaf("2026-01-01T00:00:00.000+0000", .unused)),
          (
            "requiredAction",
            .object(
              [
                ("clientToken", .leaf(.string(replacement), .shown)),
                ("name", .leaf("USE_PRIMER_SDK", .shown)),
                ("description", .leaf("Go on", .unused)),
              ], .followed)
          ),
          ("showSuccessCheckoutOnPendingPayment", .leaf(true, .shown)),
          ("checkoutOutcome", .leaf("DETERMINE_FROM_PAYMENT_STATUS", .shown)),
        ], .needed)
    }
  }

  private static let aboutPayment: @Sendable (Answer) -> String = { answer in
    guard case .payment(let response) = answer else { return "no payment" }
    return "\(response.id ?? "-") \(response.status?.rawValue ?? "-")"
  }

  /// Every answer there is.
  static let all = [
    AnswerDescription(
      name: "configuration", request: .fetchConfiguration,
      shape: {
        .object(
          [
            ("coreUrl", .leaf("https://core.primer.io", .shown)),
            ("pciUrl", .leaf("https://pci.primer.io", .shown)), ("env", .leaf("SANDBOX", .unused)),
            ("clientSession", session(.shown)),
            ("paymentMethods", .list([method("A"), method("B")], .needed)),
            ("checkoutModules", .list([], .unused)),
          ], .needed)
      },
      essence: { answer in
        guard case .configuration(let configuration) = answer else { return "no configuration" }
        return configuration.paymentMethods.map(\.type).joined(separator: " ")
      }),
    AnswerDescription(
      name: "actions", request: .performActions([.unselectPaymentMethod]),
      shape: {
        .object(
          [
            ("clientSession", session(.needed)),
            ("paymentMethods", .list([method("A", .shown)], .shown)),
            ("checkoutModules", .list([], .unused)),
          ], .needed)
      },
      essence: { answer in
        guard case .configuration = answer else { return "no configuration" }
        return "a session"
      }),
    AnswerDescription(
      name: "banks", request: .fetchBanks(configurationID: "c"),
      shape: { .object([("result", .list([bank("1"), bank("2")], .needed))], .needed) },
      essence: { answer in
        guard case .banks(let banks) = answer else { return "no banks" }
        return banks.map(\.id).joined(separator: " ")
      }),
    AnswerDescription(
      name: "tokenize", request: .tokenize(instrument: [:]),
      shape: {
        .object(
          [
            ("token", .leaf("tok-1", .needed)), ("id", .leaf("i-1", .unused)),
            (
              "paymentInstrumentData",
              .object([("bankName", .leaf("Bank", .unused))], .unused)
            ),
          ], .needed)
      },
      essence: { answer in
        guard case .instrument(let instrument) = answer else { return "no instrument" }
        return instrument.token ?? "no token"
      }),
    AnswerDescription(
      name: "create",
      request: .createPayment(paymentMethodToken: "t", idempotencyKey: "k"),
      shape: payment(id: .needed), essence: aboutPayment),
    AnswerDescription(
      name: "resume", request: .resume(paymentID: "pay-1", resumeToken: "r"),
      shape: payment(id: .shown), essence: aboutPayment),
    AnswerDescription(
      name: "poll", request: .poll,
      shape: {
        .object(
          [
            ("status", .leaf("COMPLETE", .needed)), ("id", .leaf("res-1", .needed)),
            ("source", .leaf("s", .unused)),
          ], .needed)
      },
      essence: { "\($0)" }),
    AnswerDescription(
      name: "complete", request: .complete(mandateAcceptedAt: 0),
      shape: { .object([("success", .leaf(true, .unused))], .unused) }, essence: { "\($0)" }),
    AnswerDescription(
      name: "validate", request: .validateClientToken(encoded: "e"),
      shape: { .object([("success", .leaf(true, .unused))], .unused) }, essence: { "\($0)" }),
  ]
}

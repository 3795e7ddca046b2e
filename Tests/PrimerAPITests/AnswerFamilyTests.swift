import Checkout
import JSON
import Testing
import Upstream
import ValueTree

@testable import PrimerAPI

/// Every answer, with every member of it missing or wrong and with every oddity a text may have: made
/// from the answers' descriptions, and judged by what the members are for.
@Suite struct AnswerFamilyTests {
  private static func read(
    _ body: [UInt8], _ description: AnswerDescription, status: Int = 200
  ) throws -> Result<Answer, OperationFailure> {
    let reader = AnswerReader(policy: try UpstreamPolicy(), maximumBodyByteCount: 1 << 20)
    return reader.read(
      HTTPResponse(status: status, body: body), to: description.request, now: 1_700_000_000_000)
  }

  private static func read(
    _ body: Value, _ description: AnswerDescription
  ) throws -> Result<Answer, OperationFailure> {
    try read(body.jsonBytes, description)
  }

  private static func essence(
    _ result: Result<Answer, OperationFailure>, _ description: AnswerDescription
  ) -> String {
    switch result {
    case .success(let answer): description.essence(answer)
    case .failure(let failure): "\(failure.kind)"
    }
  }

  @Test(arguments: AnswerDescription.all)
  func `a member that is missing or wrong costs what it is for`(
    description: AnswerDescription
  ) throws {
    let shape = description.shape()
    let good = try Self.read(shape.value, description)
    let goodEssence = Self.essence(good, description)
    #expect(throws: Never.self) { try good.get() }
    let variants = shape.variants()
    #expect(!variants.isEmpty)
    for variant in variants {
      let result = try Self.read(variant.body, description)
      let place = "\(variant.path) \(variant.change) in \(variant.body.jsonText)"
      switch variant.need {
      case .unused:
        #expect(Self.withoutData(result) == Self.withoutData(good), "\(place)")
      case .shown: #expect(Self.essence(result, description) == goodEssence, "\(place)")
      case .followed:
        #expect(Self.essence(result, description) == goodEssence, "\(place)")
        guard case .success(.payment(let response)) = result else { continue }
        switch response.requiredAction?.clientToken {
        case nil: #expect(variant.change != .mistyped, "\(place)")
        case .failure: #expect(variant.change == .mistyped, "\(place)")
        case .success: Issue.record("\(place)")
        }
      case .entry:
        let essence = Self.essence(result, description)
        #expect(
          essence != goodEssence && goodEssence.contains(essence) && essence != "", "\(place)")
      case .needed:
        guard case .failure(let failure) = result else {
          #expect(Self.essence(result, description) == "no token", "\(place)")
          continue
        }
        #expect(failure.kind == .undecodable && failure.httpStatus == 200, "\(place)")
        if case .createPayment = description.request {
          let salvaged = [failure.payment?.id, failure.payment?.status].compactMap(\.self)
          #expect(salvaged == (variant.path == "/id" ? ["PENDING"] : ["pay-1"]), "\(place)")
        }
      }
    }
  }

  /// The tokenization's answer is passed on whole, so that every member of it changes it.
  private static func withoutData(
    _ result: Result<Answer, OperationFailure>
  ) -> Result<Answer, OperationFailure> {
    result.map { answer in
      guard case .instrument(let instrument) = answer else { return answer }
      return .instrument(PaymentInstrument(token: instrument.token))
    }
  }

  @Test(arguments: AnswerDescription.all)
  func `an oddity where nobody looks costs nothing, wherever it stands`(
    description: AnswerDescription
  ) throws {
    let shape = description.shape()
    let good = Self.withoutData(try Self.read(shape.value, description))
    for body in shape.withOddMember(.init("zz", .string(TextOddity.mark))) {
      for (name, bytes) in TextOddity.inside(body.jsonBytes) {
        let result = Self.withoutData(try Self.read(bytes, description))
        #expect(result == good, "\(name) in \(body.jsonText)")
      }
    }
  }

  @Test(arguments: AnswerDescription.all)
  func `what stands around an answer costs nothing`(description: AnswerDescription) throws {
    let shape = description.shape()
    let good = Self.withoutData(try Self.read(shape.value, description))
    let text = shape.value.jsonText
    let inner = text.dropFirst()
    for odd in [
      "\u{FEFF}\(text)", "\r\n \(text)\n\n", "\u{FEFF}\n\(text)", #"{"error":null,\#(inner)"#,
      #"{"error":"none",\#(inner)"#, #"{"error":{},\#(inner)"#,
      #"{"error":{"errorId":"X","description":"d","diagnosticsId":"i"},\#(inner)"#,
      #"\#(text.dropLast()),"error":{"errorId":"X"}}"#,
    ] {
      #expect(Self.withoutData(try Self.read(Array(odd.utf8), description)) == good, "\(odd)")
    }
  }

  @Test(arguments: AnswerDescription.all)
  func `an error instead of an answer is a refusal`(description: AnswerDescription) throws {
    let body = Array(#"{"error":{"errorId":"X","description":"No"}}"#.utf8)
    let result = try Self.read(body, description)
    if ["complete", "validate"].contains(description.name) {
      // Nothing is asked for, so that nothing is missing.
      #expect(result == .success(.acknowledged))
      return
    }
    guard case .failure(let failure) = result else {
      Issue.record("taken for an answer")
      return
    }
    #expect(failure.kind == .status && failure.httpStatus == 200)
    #expect(failure.serverError == ServerError(id: "X", description: "No"))
  }

  @Test(arguments: AnswerDescription.all)
  func `a text that is cut makes no sense, and names what it can`(
    description: AnswerDescription
  ) throws {
    let text = description.shape().value.jsonBytes
    for count in 1..<text.count {
      let result = try Self.read(Array(text.prefix(count)), description)
      switch (description.request, result) {
      case (.complete, _): #expect(result == .success(.acknowledged))
      case (.createPayment, .failure(let failure)), (.resume, .failure(let failure)):
        #expect(failure.kind == .undecodable)
        let isIDThere = text.prefix(count).firstRange(of: Array(#""pay-1""#.utf8)) != nil
        #expect(failure.payment?.id == (isIDThere ? "pay-1" : nil), "\(count)")
      default:
        #expect(throws: OperationFailure(.undecodable, httpStatus: 200)) { try result.get() }
      }
    }
  }

  /// A key that was used, in an answer with every oddity.
  @Test func `an oddity does not hide that a key was used`() throws {
    let create = try #require(AnswerDescription.all.first { $0.name == "create" })
    for (name, oddity) in TextOddity.all {
      for isInside in [false, true] {
        let names = #""paymentId":"pay-1","paymentStatus":"SETTLED""#
        let start = #"{"error":{"errorId":"IdempotencyKeyAlreadyExists""#
        let end = isInside ? ",\(names)},\"zz\":" : "},\(names),\"zz\":"
        let body = Array((start + end).utf8) + oddity + Array("}".utf8)
        guard case .failure(let failure) = try Self.read(body, create, status: 409) else {
          Issue.record("taken for an answer")
          return
        }
        #expect(failure.isKeyAlreadyUsed && failure.speaksOfKey, "\(name)")
        #expect(failure.payment == Payment(id: "pay-1", status: "SETTLED"), "\(name)")
      }
    }
  }
}

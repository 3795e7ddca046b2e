import Checkout
import JSON
import JSONRPC
import Testing
import ValueTree

@testable import CheckoutProtocol

@Suite struct MethodContractTests {
  static let rows = Methods.all
  static let events = Methods.notifications

  @Test func `the rows break no rule of JSON-RPC`() {
    #expect(MethodLint.findings(methods: Self.rows, events: Self.events).isEmpty)
  }

  @Test func `no two methods, and no two notifications, have one name`() {
    let names = (Self.rows.map(\.name.description) + Self.events.map(\.name))
    #expect(Set(names).count == names.count)
  }

  @Test func `a name is a namespace and a word`() {
    for name in (Self.rows.map(\.name.description) + Self.events.map(\.name)) {
      let parts = name.split(separator: ".", omittingEmptySubsequences: false)
      #expect(parts.count == 2 && parts.allSatisfy { $0.allSatisfy(\.isLetter) }, "\(name)")
    }
  }

  @Test func `every row says in one sentence what it is`() {
    for (name, summary) in Self.rows.map({ ($0.name.description, $0.summary) })
      + Self.events.map({ ($0.name, $0.summary) })
    {
      #expect(summary.count > 10 && summary.hasSuffix("."), "\(name)")
    }
  }

  @Test func `parameters have names of their own, the optional ones last`() {
    for row in Self.rows {
      let names = row.parameters.map(\.name.description)
      #expect(Set(names).count == names.count, "\(row.name)")
      let firstOptional = row.parameters.firstIndex { !$0.isRequired } ?? names.count
      #expect(row.parameters[firstOptional...].allSatisfy { !$0.isRequired }, "\(row.name)")
    }
  }

  @Test func `every error with a code may be answered by some method`() {
    let told = Set(Self.rows.flatMap(\.errors).map(\.errorId))
    for id in ErrorID.allCases where id.code != nil {
      #expect(told.contains(id.rawValue), "\(id.rawValue)")
    }
  }

  @Test func `no method declares an error that only events carry, or one twice`() {
    let known = Set(
      ErrorRow.generic.map(\.errorId)
        + ErrorID.allCases.filter { $0.code != nil }.map(\.rawValue)
        + [ErrorRow.invalidConfiguration.errorId])
    for row in Self.rows {
      let errors = row.errors.map(\.errorId)
      #expect(Set(errors).count == errors.count, "\(row.name)")
      #expect(known.isSuperset(of: errors), "\(row.name)")
    }
  }

  @Test func `an error's code and message are those of its table`() {
    for id in ErrorID.allCases {
      let row = ErrorRow(id)
      #expect(row.errorId == id.rawValue)
      #expect(row.code.rawValue == id.code?.rawValue ?? -32603, "\(id.rawValue)")
      #expect(row.when.hasPrefix(id.summary))
    }
    let error = CheckoutError(.invalidValue, path: "/settings/urlScheme")
    let reply = RPCError(error)
    #expect(reply.code.rawValue == 1005)
    var shown = error
    shown.path = "/params/settings/urlScheme"
    #expect(reply.data == shown.value)
  }

  @Test func `every kind of event has its row, by its name on the wire`() {
    for kind in EventKind.allCases {
      let rows = Self.events.filter { $0.name == kind.rawValue }
      #expect(rows.count == 1, "\(kind.rawValue)")
      let members = rows.first?.members.map(\.name.description) ?? []
      #expect(members.starts(with: ["checkoutId", "seq", "time", "componentId"]))
      #expect(Set(members).count == members.count, "\(kind.rawValue)")
    }
  }

  @Test func `what is about the connection has no number`() throws {
    let kinds = Set(EventKind.allCases.map(\.rawValue))
    for row in Self.events where !kinds.contains(row.name) {
      #expect(!row.members.map(\.name.description).contains("seq"), "\(row.name)")
    }
  }

  @Test func `whoever names a checkout or a component may be told that there is none`() {
    for row in Self.rows {
      guard let first = row.parameters.first, first.isRequired else { continue }
      let errors = row.errors.map(\.errorId)
      switch first.name.description {
      case "checkoutId": #expect(errors.contains("unknown-checkout"), "\(row.name)")
      case "componentId": #expect(errors.contains("unknown-component"), "\(row.name)")
      default: break
      }
    }
  }

  @Test func `every method has an example, which is a call that the method takes`() throws {
    for row in Self.rows {
      #expect(!row.examples.isEmpty, "\(row.name)")
      #expect(Set(row.examples.map(\.name)).count == row.examples.count, "\(row.name)")
      guard !row.acceptsAnything else { continue }
      for example in row.examples {
        let text = Value.object(example.params).jsonText
        let violation = try withView(text) { Schema.object(row.parameters).violation(in: $0) }
        #expect(violation == nil, "\(row.name): \(example.name)")
      }
    }
  }

  @Test func `an example's result has the shape that the method declares`() throws {
    for row in Self.rows {
      for example in row.examples {
        let text = example.result.jsonText
        let violation = try withView(text) { row.result.schema.violation(in: $0) }
        #expect(violation == nil, "\(row.name): \(example.name)")
      }
    }
  }

  @Test func `the document fits into the shortest line that may be set for replies`() {
    let document = OpenRPC(
      title: "checkoutd", version: "10.10.10", description: "d", methods: Self.rows,
      events: Self.events, extensions: Methods.extensions
    ).document
    #expect(document.jsonText.utf8.count < 131_072 - 512)
  }

  @Test func `the document describes every method, event and error`() {
    let document = OpenRPC(
      title: "t", version: "1", description: "d", methods: Self.rows, events: Self.events,
      extensions: Methods.extensions
    ).document
    let methods = document["methods"]?.array?.compactMap { $0["name"]?.string }
    #expect(methods == Self.rows.map(\.name.description))
    let text = document.text
    let errors = ErrorID.allCases.map(\.rawValue)
    for name in Self.events.map(\.name.description) + errors {
      #expect(text.contains("\"\(name)\""), "\(name)")
    }
  }
}

extension Value {
  /// Every name and string inside, quoted: enough to look for words.
  fileprivate var text: String {
    switch self {
    case .string(let string): "\"\(string)\""
    case .array(let elements): elements.map(\.text).joined(separator: " ")
    case .object(let members):
      members.map { "\"\($0.name)\" \($0.value.text)" }.joined(separator: " ")
    default: ""
    }
  }
}

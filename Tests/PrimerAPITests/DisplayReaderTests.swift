import Checkout
import Testing
import Upstream
import ValueTree

@testable import PrimerAPI

/// How a payment method's button looks, as far as upstream says it in a way that can be used.
@Suite struct DisplayReaderTests {
  private static let png = "iVBORw0KGgo="

  private func display(_ button: Value) throws -> Value? {
    DisplayReader(policy: try UpstreamPolicy()).display(["button": button], name: "iDEAL")
  }

  @Test func `all that a button has is read`() throws {
    let button: Value = [
      "text": "Pay with iDEAL",
      "iconUrl": ["colored": "https://icons.example.com/1.png", "light": .string(Self.png)],
      "backgroundColor": ["colored": "#CC0066", "dark": "#00000080"],
      "textColor": ["colored": "#FFFFFF"], "borderColor": ["light": "#000000"],
      "borderWidth": ["light": 2, "dark": 1], "cornerRadius": 4,
    ]
    #expect(
      try display(button) == [
        "name": "iDEAL", "text": "Pay with iDEAL",
        "icons": [
          "colored": "https://icons.example.com/1.png",
          "light": .string("data:image/png;base64,\(Self.png)"),
        ], "backgroundColor": ["colored": "#CC0066", "dark": "#00000080"],
        "textColor": ["colored": "#FFFFFF"], "borderColor": ["light": "#000000"],
        "borderWidth": 2, "cornerRadius": 4,
      ])
  }

  static let odd: [Value] = [
    ["text": 7], ["iconUrl": "x"], ["iconUrl": ["colored": "http://icons.example.com/1.png"]],
    ["iconUrl": ["colored": "javascript:alert(1)"]], ["iconUrl": ["colored": "PHN2Zz4="]],
    ["backgroundColor": ["colored": "red"]], ["backgroundColor": ["colored": "#12345G"]],
    ["textColor": ["colored": 1]], ["borderWidth": ["colored": "1"]], ["cornerRadius": "4"], [:],
    .null,
    7,
  ]

  @Test(arguments: odd)
  func `what is odd is left out, and takes nothing else with it`(button: Value) throws {
    #expect(try display(button) == nil)
    guard case .object(let members) = button else { return }
    let usable = Value.object(members.filter { $0.name != "text" } + [.init("text", "Pay")])
    #expect(try display(usable) == ["name": "iDEAL", "text": "Pay"])
  }

  @Test func `an image inside is small`() throws {
    let bytes =
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 0, count: 8185)
    #expect(try display(["iconUrl": ["colored": .string(base64(bytes))]]) == nil)
    #expect(try display(["iconUrl": ["colored": .string(base64(Array(bytes.dropLast())))]]) != nil)
  }
}

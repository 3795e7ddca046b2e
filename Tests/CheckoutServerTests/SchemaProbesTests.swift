import CheckoutProtocol
import JSON
import JSONRPC
import Testing

@Suite struct SchemaProbesTests {
  private static let probes = SchemaProbes(samples: [:], depth: 64)

  /// Whether a schema takes a text; nil if it is no JSON that is read.
  private func takes(_ schema: Schema, _ text: String) -> Bool? {
    let bytes = Array(text.utf8)
    let reader = JSONReader(maximumDepth: 64)
    return unsafe bytes.withUnsafeBytes { bytes in
      unsafe try? reader.read(bytes) {
        schema.violation(in: $0) == nil && !reader.foundDuplicateMember
      }
    }
  }

  @Test(
    arguments: [
      (.integer(0...7), ["0": true, "7": true, "-1": false, "8": false]),
      (.integer, ["-9223372036854775809": false, "9223372036854775808": false]),
      (
        .string(2...3),
        [#""xx""#: true, #""xxx""#: true, #""x""#: false, #""xxxx""#: false, #""\u0000""#: false]
      ),
      (.enumeration(["a"]), [#""a""#: true, #""unheard-of""#: false]),
      (.array(.boolean, maximumCount: 1), ["[false]": true, "[false,false]": false]),
      (
        .object([.init("a", .null)]),
        [#"{"a":null}"#: true, "{}": false, #"{"a":null,"a":null}"#: false]
      ),
      (.choice([.init("a", .null), .init("b", .null)]), [#"{"a":null,"b":null}"#: false]),
    ] as [(Schema, [String: Bool])])
  func `the ends of what fits are tried, and what lies beyond`(
    schema: Schema, tried: [String: Bool]
  ) {
    let made = Self.probes.probes(of: schema, "", at: 0)
    for (text, fits) in tried {
      #expect(made.contains { $0.text == text && ($0.fits ?? fits) == fits }, "\(text)")
    }
  }

  @Test(arguments: Methods.all.map(\.name.description))
  func `what is said to fit fits, and nothing else`(name: String) throws {
    let row = try #require(Methods.all.first { $0.name.description == name })
    guard !row.acceptsAnything else { return }
    let made = Self.probes.parameters(of: row)
    for probe in made where probe.text.hasPrefix("{") {
      guard let fits = probe.fits else { continue }
      #expect((takes(.object(row.parameters), probe.text) ?? false) == fits, "\(probe.label)")
    }
    #expect(made.contains { $0.fits == true } && made.contains { $0.fits == false })
  }
}

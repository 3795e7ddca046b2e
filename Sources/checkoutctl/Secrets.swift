import JSON
import ValueTree

/// What must not be an argument, since everyone on the machine can see the arguments of a process.
enum Secrets {
  static let refusal = Failure.usage(
    "client tokens and collected data are refused as arguments, which everyone on this machine can"
      + " see: use standard input (-) or --token-file")

  /// Members that hold a token, or what a shopper has typed or chosen.
  private static let names: [String] = [
    "clientToken", "bankId", "bankFilterText", "firstName", "lastName", "emailAddress",
  ]

  /// Methods whose parameters, however given, are what a shopper has typed or chosen.
  private static let methods: [String] = ["component.updateCollectedData"]

  /// Whether parameters have something secret in them.
  ///
  /// - Parameters:
  ///   - params: The parameters, read from the argument, so that no way to write them hides a name.
  ///   - method: The method they are for.
  /// - Returns: Whether they must not be an argument.
  static func areIn(_ params: Value, of method: String) -> Bool {
    methods.contains(method) || areIn(params)
  }

  private static func areIn(_ value: Value) -> Bool {
    switch value {
    case .string(let text): holdsToken(text)
    case .array(let elements): elements.contains(where: areIn)
    case .object(let members):
      members.contains { names.contains($0.name) || holdsToken($0.name) || areIn($0.value) }
    default: false
    }
  }

  /// Whether a text has a JSON web token in it: three parts in base64url, the first an object.
  static func holdsToken(_ text: String) -> Bool {
    text.utf8.split { !isOfToken($0) }.contains { word in
      let parts = word.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      return parts.count >= 3 && parts[0].starts(with: "eyJ".utf8) && !parts[1].isEmpty
    }
  }

  private static func isOfToken(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
      UInt8(ascii: "."):
      true
    default: false
    }
  }
}

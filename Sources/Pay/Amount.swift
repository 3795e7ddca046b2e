import ValueTree

/// A sum of money, for people.
struct Amount {
  /// As in `EUR 12.99`.
  let text: String

  /// The currencies of ISO 4217 whose minor unit is not a hundredth.
  private static let withoutMinorUnit = [
    "BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND",
    "VUV", "XAF", "XOF", "XPF",
  ]
  private static let withThreeDigits = ["BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"]

  /// Reads the sum of a client session; nil if it has none.
  init?(of clientSession: Value?) {
    guard let units = clientSession?["totalAmount"]?.integer,
      let currency = clientSession?["currencyCode"]?.string
    else { return nil }
    text = "\(currency) \(Self.decimal(units, currency))"
  }

  private static func decimal(_ units: Int64, _ currency: String) -> String {
    guard !withoutMinorUnit.contains(currency) else { return "\(units)" }
    let digitCount = withThreeDigits.contains(currency) ? 3 : 2
    let digits = String(units.magnitude)
    let padded = String(repeating: "0", count: max(0, digitCount + 1 - digits.count)) + digits
    return "\(units < 0 ? "-" : "")\(padded.dropLast(digitCount)).\(padded.suffix(digitCount))"
  }
}

internal import Checkout
internal import Upstream
internal import ValueTree

/// How a payment method's button looks, for whoever draws one.
///
/// Nothing here can cost a method: what is missing or odd is left out.
struct DisplayReader {
  /// How many bytes an image may have that comes inside the configuration.
  private static let maximumImageByteCount = 8 * 1024
  private static let schemes = ["colored", "light", "dark"]

  private let policy: UpstreamPolicy

  init(policy: UpstreamPolicy) { self.policy = policy }

  /// Reads `displayMetadata`; `nil` if nothing in it can be used.
  func display(_ metadata: Value?, name: String) -> Value? {
    guard let button = metadata?["button"], button.object != nil else { return nil }
    var members: [Value.Member] = []
    func add(_ name: String, _ value: Value?) {
      if let value { members.append(.init(name, value)) }
    }
    add("text", button["text"]?.boundedText.map(Value.string))
    add("icons", variants(of: button["iconUrl"], icon))
    add("backgroundColor", variants(of: button["backgroundColor"], color))
    add("textColor", variants(of: button["textColor"], color))
    add("borderColor", variants(of: button["borderColor"], color))
    add("borderWidth", width(button["borderWidth"]))
    add("cornerRadius", number(button["cornerRadius"]))
    guard !members.isEmpty else { return nil }
    return .object([.init("name", .string(bounded(name)))] + members)
  }

  private func variants(of value: Value?, _ read: (Value) -> Value?) -> Value? {
    let members: [Value.Member] = Self.schemes.compactMap { scheme in
      value?[scheme].flatMap(read).map { .init(scheme, $0) }
    }
    return members.isEmpty ? nil : .object(members)
  }

  /// `#RRGGBB` or `#RRGGBBAA`.
  private func color(_ value: Value) -> Value? {
    guard let text = value.text?.utf8, text.count == 7 || text.count == 9,
      text.first == UInt8(ascii: "#"),
      text.dropFirst().allSatisfy({ byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"),
          UInt8(ascii: "a")...UInt8(ascii: "f"):
          true
        default: false
        }
      })
    else { return nil }
    return value
  }

  /// A URL that is only shown, or an image that is small enough to stand in one.
  private func icon(_ value: Value) -> Value? {
    guard let text = value.text else { return nil }
    if text.utf8.contains(UInt8(ascii: ":")) {
      guard text.utf8.count <= 2048, let url = try? policy.shown(text) else { return nil }
      return .string(url)
    }
    guard let image = ImageFile(base64: text, maximumByteCount: Self.maximumImageByteCount)
    else { return nil }
    return .string("data:\(image.mediaType);base64,\(image.base64)")
  }

  private func width(_ value: Value?) -> Value? {
    Self.schemes.lazy.compactMap { number(value?[$0]) }.first
  }

  private func number(_ value: Value?) -> Value? {
    switch value {
    case .integer?, .number?: value
    default: nil
    }
  }
}

/// An image that came as base64 of its file, of a kind that every browser shows.
struct ImageFile {
  /// As in `image/png`.
  let mediaType: String
  /// In the standard alphabet, padded.
  let base64: String

  /// Reads an image; `nil` for anything else, and for one that is too large.
  init?(base64 text: String, maximumByteCount: Int) {
    // Four characters are three bytes; more is not decoded to find out.
    guard text.utf8.count <= maximumByteCount / 3 * 4 + 4,
      let bytes = decodedBase64(text[...].utf8), bytes.count <= maximumByteCount,
      let mediaType = Self.mediaType(bytes)
    else { return nil }
    self.mediaType = mediaType
    base64 = Self.normalized(text)
  }

  /// By the first bytes, in which each of these files says what it is.
  private static func mediaType(_ bytes: [UInt8]) -> String? {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "image/png" }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) {
      return "image/gif"
    }
    if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
      return "image/webp"
    }
    return nil
  }

  /// The same in the standard alphabet, padded: clients decode strictly.
  private static func normalized(_ text: String) -> String {
    var bytes = text.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: byte
      }
    }
    while bytes.count % 4 != 0 { bytes.append(UInt8(ascii: "=")) }
    return String(decoding: bytes, as: UTF8.self)
  }
}

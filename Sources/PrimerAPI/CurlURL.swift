internal import CCurl

/// A URL in libcurl's own parser, which is also what the request is made from: what was checked is
/// what is called.
@safe struct CurlURL: ~Copyable {
  /// libcurl's handle, owned by this value.
  let handle: OpaquePointer

  /// Parses an absolute URL.
  ///
  /// Refused beside what libcurl refuses: control characters, spaces and backslashes, more than
  /// 16 KiB, and any number of slashes but two, since other parsers read those differently.
  ///
  /// - Throws: ``URLRefusal/malformed``, ``URLRefusal/scheme`` for a scheme libcurl does not have,
  ///   or ``URLRefusal/libraryMissing``.
  init(parsing text: String) throws(URLRefusal) {
    do { try CurlLibrary.load() } catch { throw .libraryMissing }
    guard text.utf8.count <= 16 * 1024, Self.isPlain(text) else { throw .malformed }
    guard let handle = unsafe ccurl_url_init() else { throw .malformed }
    let code = unsafe ccurl_url_set(handle, CURLUPART_URL, text, 0)
    guard code == CURLUE_OK else {
      unsafe ccurl_url_cleanup(handle)
      throw code == CURLUE_UNSUPPORTED_SCHEME ? .scheme : .malformed
    }
    unsafe self.handle = unsafe handle
  }

  deinit { unsafe ccurl_url_cleanup(handle) }

  /// One part as text, its percent-encoding left alone; `nil` if the URL has no such part.
  borrowing func part(_ part: CURLUPart, _ flags: Int32 = 0) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard unsafe ccurl_url_get(handle, part, &text, UInt32(flags)) == CURLUE_OK,
      let text = unsafe text
    else { return nil }
    defer { unsafe ccurl_free(text) }
    return unsafe String(cString: text)
  }

  /// The port that the URL names, or its scheme's own.
  var port: UInt16? { part(CURLUPART_PORT, CURLU_DEFAULT_PORT).flatMap(UInt16.init) }

  /// The whole URL.
  var text: String? { part(CURLUPART_URL) }

  /// Adds segments to the path, percent-encoded so that each stays one segment; the query is kept.
  ///
  /// - Returns: Whether the parser took it.
  mutating func append(path segments: [String]) -> Bool {
    guard !segments.isEmpty else { return true }
    var path = part(CURLUPART_PATH) ?? ""
    while path.utf8.last == UInt8(ascii: "/") { path.removeLast() }
    for segment in segments { path += "/" + percentEncoded(segment) }
    return unsafe ccurl_url_set(handle, CURLUPART_PATH, path, 0) == CURLUE_OK
  }

  /// Adds one `name=value`, already encoded, to the query.
  ///
  /// - Returns: Whether the parser took it.
  mutating func append(query pair: String) -> Bool {
    unsafe ccurl_url_set(handle, CURLUPART_QUERY, pair, UInt32(CURLU_APPENDQUERY)) == CURLUE_OK
  }

  private static func isPlain(_ text: String) -> Bool {
    let bytes = text.utf8
    guard bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }),
      let colon = bytes.firstIndex(of: UInt8(ascii: ":"))
    else { return false }
    let rest = bytes[colon...].dropFirst()
    return rest.starts(with: "//".utf8) && !rest.starts(with: "///".utf8)
  }
}

/// Encodes everything but RFC 3986's unreserved characters, and a segment of dots alone as well, so
/// that no parser takes it for a step up.
func percentEncoded(_ segment: String) -> String {
  let isDots = segment == "." || segment == ".."
  return encoding(segment.utf8) { byte in
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      false
    case UInt8(ascii: "."): isDots
    default: true
    }
  }
}

/// Encodes spaces and what is not ASCII in path, query and fragment of a URL; scheme and host are
/// left as they are.
func percentEncodedAfterHost(_ url: String) -> String {
  let bytes = url.utf8
  guard !bytes.allSatisfy({ 0x20 < $0 && $0 < 0x80 }),
    let start = bytes.firstRange(of: "://".utf8)?.upperBound,
    let end = bytes[start...].firstIndex(where: {
      $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
    })
  else { return url }
  return String(url[..<end]) + encoding(bytes[end...]) { $0 == 0x20 || $0 >= 0x80 }
}

/// Writes the bytes that must be as `%` and two digits, in lower case, which libcurl makes of them
/// anyway.
private func encoding(
  _ bytes: some Sequence<UInt8>, where mustBe: (UInt8) -> Bool
) -> String {
  var encoded: [UInt8] = []
  for byte in bytes {
    guard mustBe(byte) else {
      encoded.append(byte)
      continue
    }
    encoded.append(UInt8(ascii: "%"))
    for digit in [byte >> 4, byte & 0xF] {
      encoded.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
  }
  return String(decoding: encoded, as: UTF8.self)
}

import Testing
import Upstream

@testable import Egress

@Suite struct SocksMessageTests {
  /// What became of a message: a number of bytes that are missing, or the error.
  private func missing(_ bytes: [UInt8]) -> Result<Int, SocksError> {
    Result { () throws(SocksError) in try SocksGreeting.missingCount(in: bytes) }
  }

  private func read(_ bytes: [UInt8]) -> Result<SocksRequest.Progress, SocksError> {
    Result { () throws(SocksError) in try SocksRequest.read(bytes) }
  }

  private static func request(
    _ address: [UInt8], version: UInt8 = 5, command: UInt8 = 1, reserved: UInt8 = 0,
    port: [UInt8] = [1, 187]
  ) -> [UInt8] {
    [version, command, reserved] + address + port
  }

  private static func name(_ text: String) -> [UInt8] { [3, UInt8(text.utf8.count)] + text.utf8 }

  @Test(
    arguments: [
      ([], .success(2)), ([5], .success(1)), ([5, 1], .success(1)), ([5, 3, 0], .success(2)),
      ([5, 1, 0], .success(0)), ([5, 3, 2, 1, 0], .success(0)),
      ([5, 255] + [UInt8](repeating: 0, count: 255), .success(0)),
      ([4], .failure(.malformed)), ([71, 69, 84], .failure(.malformed)),
      ([0], .failure(.malformed)),
      ([5, 0], .failure(.noMethod)), ([5, 1, 2], .failure(.noMethod)),
      ([5, 2, 1, 255], .failure(.noMethod)),
    ] as [([UInt8], Result<Int, SocksError>)])
  func `a greeting offers no authentication, or is refused`(
    bytes: [UInt8], expected: Result<Int, SocksError>
  ) {
    #expect(missing(bytes) == expected)
  }

  @Test(
    arguments: [
      ([1, 192, 0, 2, 7], "192.0.2.7:443"),
      ([4, 0x20, 1, 0x0D, 0xB8] + [UInt8](repeating: 0, count: 11) + [1], "[2001:db8::1]:443"),
      ([4] + [UInt8](repeating: 0, count: 10) + [255, 255, 192, 0, 2, 7], "192.0.2.7:443"),
      (name("api.example.com"), "api.example.com:443"),
      (name("API.Example.COM"), "api.example.com:443"),
      (name("192.0.2.7"), "192.0.2.7:443"), (name("2001:db8::1"), "[2001:db8::1]:443"),
      (name("[2001:db8::1]"), "[2001:db8::1]:443"),
    ] as [([UInt8], String)])
  func `a request says where to connect to`(address: [UInt8], expected: String) throws {
    guard case .success(.whole(let request)) = read(Self.request(address)) else {
      Issue.record("not whole")
      return
    }
    #expect(request.text == expected)
  }

  @Test(
    arguments: [
      (request([1, 127, 0, 0, 1], version: 4), .malformed),
      (request([1, 127, 0, 0, 1], command: 2), .command),
      (request([1, 127, 0, 0, 1], command: 3), .command),
      (request([1, 127, 0, 0, 1], command: 0), .command),
      (request([1, 127, 0, 0, 1], reserved: 1), .malformed),
      (request([0, 127, 0, 0, 1]), .addressType), (request([2, 127, 0, 0, 1]), .addressType),
      (request([5, 127, 0, 0, 1]), .addressType),
      (request([1, 127, 0, 0, 1], port: [0, 0]), .destination),
      (request([3, 0]), .destination), (request(name("a b")), .destination),
      (request(name("a..b")), .destination), (request(name("0x7f.1")), .destination),
      (request(name("2130706433")), .destination), (request(name("a\u{0}.example")), .destination),
      (request(name("fe80::1%eth0")), .destination),
      (request(name("bücher.example")), .destination),
      (request([3, 2, 0xFF, 0xFE]), .destination),
      (request(name(String(repeating: "a.", count: 127) + "a")), .destination),
    ] as [([UInt8], SocksError)])
  func `a request that makes no sense is refused for its reason`(
    bytes: [UInt8], error: SocksError
  ) {
    #expect(read(bytes) == .failure(error))
  }

  @Test(
    arguments: [
      request([1, 192, 0, 2, 7]), request([4] + [UInt8](repeating: 1, count: 16)),
      request(name("a")), request(name("api.example.com")),
    ])
  func `whoever reads what is missing never reads too much`(message: [UInt8]) throws {
    for count in message.indices {
      guard case .success(.needs(let missing)) = read(Array(message.prefix(count))) else {
        Issue.record("whole, or refused, after \(count) bytes")
        return
      }
      #expect(missing > 0 && count + missing <= message.count)
    }
    guard case .success(.whole) = read(message) else {
      Issue.record("not whole")
      return
    }
  }

  @Test func `a reply has an address that says nothing`() {
    #expect(SocksReply.notAllowed.bytes == [5, 2, 0, 1, 0, 0, 0, 0, 0, 0])
  }
}

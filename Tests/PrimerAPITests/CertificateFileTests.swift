import Glibc
import Testing

@testable import PrimerAPI

@Suite struct CertificateFileTests {
  /// A sequence of four bytes: as much as is looked at of a certificate.
  private static let block =
    "-----BEGIN CERTIFICATE-----\nMAQAAQID\n-----END CERTIFICATE-----\n"

  private static func problem(_ bytes: [UInt8], isThorough: Bool = true) throws -> String? {
    var path = Array("/tmp/certificates-XXXXXX".utf8CString)
    let file = unsafe mkstemp(&path)
    try #require(file >= 0)
    let name = String(decoding: path.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer {
      close(file)
      _ = unsafe unlink(name)
    }
    let count = unsafe bytes.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
    try #require(count == bytes.count)
    let problem = CertificateFile.problem(name, isThorough: isThorough)
    return problem?.split(separator: name, omittingEmptySubsequences: false)
      .joined(separator: "FILE")
  }

  @Test(arguments: [
    block, block + block,
    "# a name\r\n" + block.split(separator: "\n").joined(separator: "\r\n") + "\r\n",
    block.split(separator: "CERTIFICATE").joined(separator: "TRUSTED CERTIFICATE"),
    "-----BEGIN X509 CRL-----\n!\n-----END X509 CRL-----\n" + block,
  ])
  func `certificates are taken`(text: String) throws {
    #expect(try Self.problem(Array(text.utf8)) == nil)
  }

  @Test func `where little is looked at, one certificate has to begin`() throws {
    #expect(try Self.problem(Array("# a\n\(Self.block)".utf8), isThorough: false) == nil)
    #expect(
      try Self.problem(Array("banana\n".utf8), isThorough: false)
        == "FILE has no certificate in PEM")
  }

  @Test func `comments may be in any encoding`() throws {
    #expect(try Self.problem([0x23, 0xFC, 0x0A] + Array(Self.block.utf8)) == nil)
  }

  @Test(arguments: [
    ("", "FILE has no certificate in PEM"), ("banana\n", "FILE has no certificate in PEM"),
    (String(block.dropLast(26)), "FILE ends within a certificate"),
    (
      "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n", "certificate 1 in FILE is damaged"
    ),
    (
      block + "-----BEGIN CERTIFICATE-----\nMAQAAQ\n-----END CERTIFICATE-----\n",
      "certificate 2 in FILE is damaged"
    ),
    (
      "-----BEGIN CERTIFICATE-----\nMIQAAQID\n-----END CERTIFICATE-----\n",
      "certificate 1 in FILE is damaged"
    ),
    (
      "-----BEGIN CERTIFICATE-----\nMAQ!AQID\n-----END CERTIFICATE-----\n",
      "certificate 1 in FILE is damaged"
    ),
  ])
  func `anything else is told`(text: String, problem: String) throws {
    #expect(try Self.problem(Array(text.utf8)) == problem)
  }

  @Test func `what is not there cannot be read`() {
    #expect(CertificateFile.problem("/nowhere/x.pem") == "/nowhere/x.pem cannot be read")
  }
}

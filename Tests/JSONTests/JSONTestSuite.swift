import Glibc
import Testing
import ValueTree

@testable import JSON

/// The files of nst/JSONTestSuite.
private enum Corpus {
  static let folder: String = {
    let tests = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    return "/\(tests)/json-test-suite/test_parsing"
  }()

  static let names: [String] = {
    guard let directory = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(".json") { names.append(name) }
    }
    return names.sorted()
  }()

  static func bytes(of name: String) -> [UInt8] {
    guard let file = unsafe fopen(folder + "/" + name, "rb") else { return [] }
    defer { unsafe fclose(file) }
    var bytes: [UInt8] = []
    while case let byte = unsafe getc(file), byte >= 0 { bytes.append(UInt8(byte)) }
    return bytes
  }
}

struct JSONTestSuite {
  /// What the suite lets pass and strictness does not: a member named twice, and numbers beyond
  /// what a double or 64 bits hold.
  private static let refusedDuplicates = [
    "y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json",
  ]

  @Test func `all files are there`() { #expect(Corpus.names.count == 318) }

  @Test(arguments: Corpus.names)
  func `each file is taken or refused as its name says`(name: String) throws {
    let reader = JSONReader(maximumDepth: 600)
    let bytes = Corpus.bytes(of: name)
    let value = Result { try reader.value(of: bytes) }
    switch name.first {
    case "y" where Self.refusedDuplicates.contains(name):
      #expect(throws: JSONError.duplicateMember) { try value.get() }
    case "y": #expect(throws: Never.self) { try value.get() }
    case "n": #expect(throws: JSONError.self) { try value.get() }
    default:
      // Either answer will do; a number that was taken is one.
      if case .success(let value) = value {
        #expect(try reader.value(of: value.jsonText) == value)
      }
    }
  }
}

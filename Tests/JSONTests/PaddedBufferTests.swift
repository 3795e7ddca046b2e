import Testing

@testable import JSON

@Suite struct PaddedBufferTests {
  private func content(_ buffer: borrowing PaddedBuffer) -> [UInt8] {
    unsafe buffer.withUnsafeBytes { unsafe Array($0) }
  }

  @Test func `bytes are appended, dropped from the front and released`() {
    var buffer = PaddedBuffer()
    #expect(buffer.capacity == 0)
    let bytes = (0..<200).map { UInt8($0) }
    for _ in 0..<10 { unsafe bytes.withUnsafeBytes { unsafe buffer.append($0) } }
    #expect(buffer.count == 2000 && buffer.capacity >= 2000)
    buffer.removeFirst(1000)
    #expect(content(buffer) == (0..<1000).map { UInt8($0 % 200) })
    buffer.removeFirst(990)
    #expect(buffer.capacity <= 192)
    #expect(content(buffer) == (190..<200).map { UInt8($0) })
    buffer.removeFirst(10)
    #expect(buffer.count == 0 && buffer.capacity == 0)
    unsafe bytes.withUnsafeBytes { unsafe buffer.append($0) }
    buffer.release()
    #expect(content(buffer).isEmpty)
  }
}

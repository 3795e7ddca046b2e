/// Whether a text may stand in an HTTP header: 1 to 8192 bytes of visible ASCII.
///
/// Anything else (a line break above all) could add headers of its own, or would be changed on the
/// way.
package func isHeaderSafe(_ text: String) -> Bool {
  let bytes = text.utf8
  return (1...8192).contains(bytes.count) && bytes.allSatisfy { 0x21...0x7E ~= $0 }
}

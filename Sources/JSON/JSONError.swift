/// Why a text was refused.
package enum JSONError: Error, Equatable, Sendable {
  /// Not one JSON text in UTF-8, or a number beyond 64-bit integers or a double.
  case notJSON
  /// Arrays and objects nested deeper than the limit.
  case tooDeep(limit: Int)
  /// More bytes than the limit.
  case tooLarge(limit: Int)
  /// An object names a member twice, compared as unescaped bytes.
  case duplicateMember
  /// No memory for the text's tree.
  case outOfMemory
}

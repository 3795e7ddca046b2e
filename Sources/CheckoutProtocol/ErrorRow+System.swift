package import JSONRPC
import ValueTree

extension ErrorRow {
  /// A configuration that cannot be used.
  static let invalidConfiguration = ErrorRow(
    code: RPCError.Code(rawValue: 1007), errorId: "invalid-configuration",
    message: "Unusable configuration",
    when: "The configuration cannot be used; the one in force stays.")
}

extension RPCError {
  /// The reply to a reload of a configuration that cannot be used.
  ///
  /// - Parameters:
  ///   - description: What is wrong, for the administrator.
  ///   - option: The option that it is about.
  ///   - line: The line of the configuration file where it stands.
  /// - Returns: The error.
  package static func invalidConfiguration(
    _ description: String, option: String?, line: Int?
  ) -> RPCError {
    RPCError(
      .invalidConfiguration,
      [Value.Member("description", .string(description))]
        + (option.map { [Value.Member("option", .string($0))] } ?? [])
        + (line.map { [Value.Member("line", .integer(Int64($0)))] } ?? []))
  }
}

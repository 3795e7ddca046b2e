/// Rules of JSON-RPC that one line cannot show, checked over the rows of a server.
package enum MethodLint {
  /// The longest message of an error.
  private static let longestMessage = 60

  /// Finds what breaks a rule.
  ///
  /// - Parameters:
  ///   - methods: All methods.
  ///   - events: All notifications the server sends.
  ///   - extensions: The names that may begin with `rpc.`.
  /// - Returns: One sentence for each finding, in the order of the rows.
  /// - Source: JSON-RPC 2.0, sections 4, 5.1 and 8.
  package static func findings(
    methods: [MethodRow], events: [EventRow], extensions: [String] = ["rpc.discover"]
  ) -> [String] {
    let names =
      methods.map { ("method", $0.name.description) } + events.map { ("event", $0.name) }
    let misnamed = names.filter { kind, name in
      name.hasPrefix("rpc.") && !(kind == "method" && extensions.contains(name))
    }
    return misnamed.map { "\($0) \($1) takes a reserved name" }
      + findings(errors: ErrorRow.generic + methods.flatMap(\.errors))
  }

  /// Finds methods that nobody handles, or several do, and handlers of methods there are not.
  ///
  /// - Parameters:
  ///   - rows: The methods there must be.
  ///   - handled: The rows of those that have a handler.
  /// - Returns: One sentence for each finding.
  package static func findings(rows: [MethodRow], handled: [MethodRow]) -> [String] {
    let wanted = rows.map(\.name.description)
    let found = handled.map(\.name.description)
    return wanted.filter { !found.contains($0) }.map { "\($0) has no handler" }
      + found.indices.filter { found[..<$0].contains(found[$0]) }
      .map { "\(found[$0]) has two handlers" }
      + found.filter { !wanted.contains($0) }.map { "\($0) is no method" }
  }

  /// Finds what breaks a rule about errors: reserved codes, long messages, and messages or
  /// `errorId`s that do not belong to one code.
  ///
  /// - Parameter errors: All rows; repetitions are allowed.
  /// - Returns: One sentence for each finding, in the order of the rows.
  package static func findings(errors: [ErrorRow]) -> [String] {
    var messages: [RPCError.Code: String] = [:]
    var codes: [String: RPCError.Code] = [:]
    var findings: [String] = []
    for row in errors {
      if row.code.isReserved {
        findings.append("\(row.errorId) declares the reserved code \(row.code.rawValue)")
      }
      if row.message.isEmpty || row.message.utf8.count > longestMessage {
        findings.append("\(row.errorId) has an empty message or one over \(longestMessage) bytes")
      }
      if messages.updateValue(row.message, forKey: row.code).map({ $0 != row.message }) ?? false {
        findings.append("\(row.code.rawValue) has two messages")
      }
      if codes.updateValue(row.code, forKey: row.errorId).map({ $0 != row.code }) ?? false {
        findings.append("\(row.errorId) has two codes")
      }
    }
    return findings
  }
}

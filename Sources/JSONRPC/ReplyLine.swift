package import JSON

/// One reply in an output: where it stands, and what it depends on.
package struct WrittenReply: Equatable, Sendable {
  /// Its bytes.
  package internal(set) var range: Range<Int>
  /// The bytes of its id among them.
  package internal(set) var idRange: Range<Int>
  /// Whether it is a result, and not an error.
  package let isResult: Bool
  /// The number of the turn that must be committed for it to be true; zero if none must.
  package internal(set) var turn: UInt64 = 0

  /// Whether it is no longer true once that turn was taken back.
  ///
  /// An error always is: it tells of nothing that was changed.
  func fails(with turn: UInt64) -> Bool { isResult && turn != 0 && self.turn == turn }

  /// The same, after everything was copied to another place.
  func moved(by distance: Int) -> WrittenReply {
    var moved = self
    moved.range = range.lowerBound + distance..<range.upperBound + distance
    moved.idRange = idRange.lowerBound + distance..<idRange.upperBound + distance
    return moved
  }
}

/// One complete line of replies in an output.
package enum ReplyLine: Equatable, Sendable {
  /// The reply to one call, with its LF.
  case single(WrittenReply)
  /// The replies to the members of a batch, and the whole line with its LF.
  case batch(Range<Int>, [WrittenReply])

  /// The whole line with its LF.
  package var range: Range<Int> {
    switch self {
    case .single(let reply): reply.range.lowerBound..<reply.range.upperBound + 1
    case .batch(let range, _): range
    }
  }

  /// Whether a reply in it is no longer true once that turn was taken back.
  package func fails(with turn: UInt64) -> Bool {
    switch self {
    case .single(let reply): reply.fails(with: turn)
    case .batch(_, let replies): replies.contains { $0.fails(with: turn) }
    }
  }
}

extension JSONOutput {
  /// Appends a line once more that stands in this output, with an error in the place of each result
  /// that was taken back.
  ///
  /// - Parameters:
  ///   - line: Where the line and its replies stand.
  ///   - turn: The turn that was taken back; what depends on others stays as it is.
  ///   - error: What stands for its results.
  package func append(_ line: ReplyLine, takingBack turn: UInt64, as error: RPCError) {
    switch line {
    case .single(let reply): append(reply, of: self, takingBack: turn, as: error)
    case .batch(_, let replies):
      append("[")
      for (place, reply) in replies.enumerated() {
        if place > 0 { append(",") }
        append(reply, of: self, takingBack: turn, as: error)
      }
      append("]")
    }
    appendLineFeed()
  }

  /// Appends one reply once more, or an error under its id.
  ///
  /// - Returns: Where it stands now.
  @discardableResult
  func append(
    _ reply: WrittenReply, of source: JSONOutput, takingBack turn: UInt64, as error: RPCError
  ) -> WrittenReply {
    let start = count
    guard reply.fails(with: turn) else {
      append(reply.range, of: source)
      return reply.moved(by: start - reply.range.lowerBound)
    }
    return appendReply(
      isResult: false, id: { $0.append(reply.idRange, of: source) },
      content: { $0.appendReply(error) })
  }

  /// Appends a reply without its LF.
  func appendReply(
    _ id: RequestID, isResult: Bool, _ content: (JSONOutput) -> Void
  ) -> WrittenReply {
    appendReply(isResult: isResult, id: { $0.append(id) }, content: content)
  }

  @inline(__always)
  private func appendReply(
    isResult: Bool, id: (JSONOutput) -> Void, content: (JSONOutput) -> Void
  ) -> WrittenReply {
    let start = count
    deepestValue = 0
    append(#"{"jsonrpc":"2.0","id":"#)
    let idStart = count
    id(self)
    let idEnd = count
    append(",")
    content(self)
    append("}")
    return WrittenReply(range: start..<count, idRange: idStart..<idEnd, isResult: isResult)
  }
}

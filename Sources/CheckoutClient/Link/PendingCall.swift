import JSON
import JSONRPC
import ValueTree

/// A call that has no answer yet.
struct PendingCall {
  /// What it is a call for.
  enum Purpose {
    /// Somebody waits for the result.
    case call(@Sendable (Result<Value, CheckoutClientError>) -> Void)
    /// A subscription to a checkout.
    case feed(String)
    /// Whether a checkout that is subscribed to has ended before.
    case probe(String)
  }

  let method: String
  let params: Value
  let purpose: Purpose
  /// The errors that say, of a call made once more, that it had taken effect before.
  let settledBy: [ErrorWord]
  /// Whether the answer may have been lost with a connection.
  var isRepeated = false

  /// The `errorId` of an error.
  typealias ErrorWord = String

  /// The call as one line.
  func line(_ number: Int64) -> [UInt8] {
    let output = JSONOutput(capacity: 256)
    output.appendRequest(id: .integer(number), method: method, params: params)
    return unsafe output.withUnsafeBytes { unsafe Array($0) }
  }

  /// The result that the caller is to have of an answer.
  func result(_ answer: Result<Value, RPCError>) -> Result<Value, CheckoutClientError> {
    switch answer {
    case .success(let value): return .success(value)
    case .failure(let error):
      if isRepeated, let id = error.errorId, settledBy.contains(id) {
        return .success(.object([]))
      }
      return .failure(CheckoutClientError(error))
    }
  }
}

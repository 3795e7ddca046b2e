import CheckoutClient
import Glibc
import JSON
import ValueTree

/// Makes the client library do what a transcript says: reads one step a line, and writes what came
/// of it as one line.
@main struct Main {
  static func main() async {
    let driver = Driver()
    while let line = readLine() {
      let answer: Value
      do throws(CheckoutClientError) {
        answer = try await driver.answer(Line.value(line))
      } catch {
        answer = Line.failure(error)
      }
      print(answer.jsonText)
      fflush(nil)
    }
  }
}

/// What the lines have beside results and events.
enum Line {
  /// Reads a line; the test writes no other.
  static func value(_ line: String) -> Value {
    guard let value = try? JSONReader().value(of: line) else { fatalError("not JSON: \(line)") }
    return value
  }

  /// An error, as a reply has it, or what else went wrong.
  static func failure(_ error: CheckoutClientError) -> Value {
    guard case .refused(let code, let details) = error else {
      return ["failure": .string(error.description)]
    }
    return ["error": ["code": .integer(Int64(code)), "data": details.written]]
  }
}

@testable import CheckoutClient
import Dispatch
import Glibc
import JSON
import LinuxSystem
import Testing
import ValueTree

/// A daemon that says what a test tells it to: a listener, and a thread that answers each line.
final class ScriptedDaemon: Sendable {
  /// A line from the client.
  struct Request: Sendable {
    /// Which connection it came over, from 1.
    let connection: Int
    let id: Int64
    let method: String
    let params: Value

    func result(_ json: String) -> Action {
      .say(#"{"jsonrpc":"2.0","id":\#(id),"result":\#(json)}"#)
    }

    func error(_ code: Int, _ errorID: String, _ members: String = "") -> Action {
      .say(
        #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":\#(code),"message":"m","data":{"#
          + #""errorId":"\#(errorID)","description":"d"\#(members)}}}"#)
    }
  }

  /// What to do about a line.
  enum Action: Sendable {
    case say(String)
    /// The beginning of a line.
    case begin(String)
    case hangUp
  }

  let path: String
  private let directory: String
  private let script: @Sendable (Request) -> [Action]
  private let state = Guarded(State())

  private struct State {
    var isOver = false
    var requests: [Request] = []
    var toSay: [String] = []
    var hangsUp = false
    var connections = 0
  }

  init(_ script: @escaping @Sendable (Request) -> [Action]) throws {
    var template = Array("/tmp/checkoutd-test-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw Errno(code: errno, call: "mkdtemp") }
    directory = String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self)
    path = "\(directory)/socket"
    self.script = script
    let number = try UnixSocket.listen(at: path).release()
    DispatchQueue(label: "daemon").async { self.run(FileDescriptor(owning: number)) }
  }

  /// Ends the thread, and removes the socket.
  func close() {
    state.withLock { $0.isOver = true }
    _ = unsafe unlink(path)
    _ = unsafe rmdir(directory)
  }

  /// Sends lines over the present connection.
  func say(_ lines: String...) { state.withLock { $0.toSay += lines } }

  /// Closes the present connection once everything is said.
  func hangUp() { state.withLock { $0.hangsUp = true } }

  var requests: [Request] { state.withLock { $0.requests } }
  var methods: [String] { requests.map(\.method) }

  /// Waits until a call has come so often.
  func hears(_ method: String, times: Int = 1) async throws {
    for _ in 0..<2000 {
      if methods.filter({ $0 == method }).count >= times { return }
      try await Task.sleep(for: .milliseconds(5))
    }
    Issue.record("\(method) did not come \(times) times: \(methods)")
  }

  // MARK: The thread

  private var isOver: Bool { state.withLock { $0.isOver } }

  private func run(_ listener: consuming FileDescriptor) {
    while !isOver {
      guard (try? listener.waitForInput(timeoutMilliseconds: 5)) == true,
        case .accepted(let peer) = UnixSocket.acceptConnection(on: listener)
      else { continue }
      serve(peer)
    }
  }

  private func serve(_ peer: borrowing FileDescriptor) {
    let connection = state.withLock { state in
      state.connections += 1
      return state.connections
    }
    var held: [UInt8] = []
    while !isOver {
      let (lines, hangsUp) = state.withLock { state in
        defer { (state.toSay, state.hangsUp) = ([], false) }
        return (state.toSay, state.hangsUp)
      }
      for line in lines { send(line + "\n", to: peer) }
      if hangsUp { return }
      guard (try? peer.waitForInput(timeoutMilliseconds: 2)) == true else { continue }
      var bytes = [UInt8](repeating: 0, count: 65_536)
      let result = unsafe bytes.withUnsafeMutableBytes { unsafe peer.receive(into: $0) }
      guard case .bytes(let count) = result else { return }
      held += bytes[..<count]
      while let end = held.firstIndex(of: 10) {
        let line = String(decoding: held[..<end], as: UTF8.self)
        held.removeSubrange(...end)
        for action in answer(line, connection) {
          switch action {
          case .say(let text): send(text + "\n", to: peer)
          case .begin(let text): send(text, to: peer)
          case .hangUp: return
          }
        }
      }
    }
  }

  private func answer(_ line: String, _ connection: Int) -> [Action] {
    guard let value = try? JSONReader().value(of: line), let id = value["id"]?.integer,
      let method = value["method"]?.string
    else {
      Issue.record("not a call: \(line)")
      return []
    }
    let request = Request(
      connection: connection, id: id, method: method, params: value["params"] ?? .null)
    state.withLock { $0.requests.append(request) }
    return script(request)
  }

  private func send(_ text: String, to peer: borrowing FileDescriptor) {
    let bytes = Array(text.utf8)
    try? peer.sendAll(bytes.span)
  }
}

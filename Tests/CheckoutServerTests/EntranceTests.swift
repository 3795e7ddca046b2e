import Glibc
import JSONRPC
import LinuxSystem
import Systemd
import Testing
import ValueTree

@testable import CheckoutServer

/// Who is taken in and who is told why not, without a server.
@Suite struct EntranceTests {
  private struct Row: Sendable {
    /// How many connections users have.
    let there: [UInt32: Int]
    let user: UInt32
    var isByAdministratorsDoor = false
    var descriptors = 1024
    /// The quota that is full.
    let full: String?
  }

  private static let rows: [Row] = [
    Row(there: [:], user: 1000, full: nil),
    Row(there: [1000: 2], user: 1000, full: nil),
    Row(there: [1000: 3], user: 1000, full: "connectionsPerUid"),
    Row(there: [1000: 3], user: 1000, isByAdministratorsDoor: true, full: nil),
    Row(there: [1000: 3], user: 1001, full: nil),
    Row(there: [1000: 3, 1001: 1], user: 1001, full: "connections"),
    Row(there: [1000: 3, 1001: 1], user: 0, full: nil),
    Row(there: [1000: 3, 1001: 1], user: 1001, isByAdministratorsDoor: true, full: nil),
    // Of 36 half are for clients, and 16 of those for administrators.
    Row(there: [1000: 1], user: 1001, descriptors: 36, full: nil),
    Row(there: [1000: 2], user: 1001, descriptors: 36, full: "descriptors"),
    Row(there: [1000: 2], user: 0, descriptors: 36, full: nil),
  ]

  private static var limits: Limits {
    var limits = Limits()
    limits.connections = 20
    limits.connectionsPerUser = 3
    limits.connectionRate = 2
    return limits
  }

  @Test(arguments: rows.indices) func `room for one more`(_ place: Int) throws {
    let row = Self.rows[place]
    let all = try PartsWithClients(Self.limits)
    var others: [TestClient] = []
    for (user, count) in row.there {
      for _ in 0..<count { others.append(try all.connect(as: user).client) }
    }
    let before = all.clients.count
    let (client, other) = try TestClient.make()
    all.entrance(descriptors: row.descriptors).admit(
      FileDescriptor(owning: other), as: Caller(userID: row.user, groupID: row.user),
      isByAdministratorsDoor: row.isByAdministratorsDoor)
    let lines = try client.readLines()
    #expect(lines.map { $0["error"]?["data"]?["quota"]?.string } == (row.full.map { [$0] } ?? []))
    #expect(client.hasEnded == (row.full != nil))
    #expect(all.clients.count == before + (row.full == nil ? 1 : 0))
    #expect(all.parts.counters.refusalCount == (row.full == nil ? 0 : 1))
  }

  @Test func `a user may come twice as often at once as in each second`() throws {
    let all = try PartsWithClients(Self.limits)
    let entrance = all.entrance()
    func come() throws -> Bool {
      let (client, other) = try TestClient.make()
      entrance.admit(FileDescriptor(owning: other), as: Caller(userID: 1000, groupID: 1000))
      let isRefused = try !client.readLines().isEmpty
      client.close()
      all.turn()
      return !isRefused
    }
    #expect(try (0..<6).map { _ in try come() } == [true, true, true, true, false, false])
    all.parts.time.pass(milliseconds: 1000)
    #expect(try (0..<3).map { _ in try come() } == [true, true, false])
  }

  @Test func `the kernel says who it is`() throws {
    let all = try PartsWithClients()
    let entrance = all.entrance()
    let (client, end) = try TestClient.make()
    entrance.admit(FileDescriptor(owning: end), isByAdministratorsDoor: false)
    let sessions = all.directory.page(after: 0, limit: 2).sessions
    #expect(sessions.map(\.session.caller.userID) == [geteuid()])
    // Of what is no connection it says nothing.
    let other = FileDescriptor(owning: unsafe open("/dev/null", O_RDONLY))
    entrance.admit(other, isByAdministratorsDoor: false)
    #expect(all.clients.count == 1)
    client.close()
  }

  @Test func `who was left by the last run goes on, whatever is full`() throws {
    var limits = Limits()
    limits.connections = 1
    let all = try PartsWithClients(limits)
    _ = try all.connect()
    let (client, other) = try TestClient.make()
    var state = ConnectionState()
    state.saidHello = true
    state.clientName = "till"
    let session = all.entrance().resume(FileDescriptor(owning: other), state)
    #expect(session?.clientName == "till" && all.clients.count == 2)
    client.close()
  }

  @Test func `a socket of this process is a door until it is closed`() throws {
    let all = try PartsWithClients()
    let loop = try EventLoop()
    let doors = Doors(loop, all.entrance(), all.parts.schedule)
    #expect(doors.areShared)
    let state = try TemporaryState()
    let paths = ["own", "passed"].map { state.path + "/" + $0 }
    try doors.open(
      try UnixSocket.listen(at: paths[1]), path: nil, isForAdministrators: false)
    #expect(doors.areShared)
    try doors.open(
      try UnixSocket.listen(at: paths[0]), path: paths[0], isForAdministrators: false)
    #expect(!doors.areShared)
    let first = try UnixSocket.connect(to: paths[0])
    let second = try UnixSocket.connect(to: paths[1])
    loop.endOfTurn = { if all.clients.count == 2 { loop.exit(0) } }
    #expect(try loop.run() == 0)
    _ = consume first
    _ = consume second
    let (client, other) = try TestClient.make()
    doors.admit(FileDescriptor(owning: other), as: Caller(userID: 1000, groupID: 1000))
    #expect(all.clients.count == 3)
    doors.close()
    client.close()
    // What was bound here is gone; who comes to what was passed in waits for the next run.
    #expect(state.names(in: ".") == ["passed"])
  }
}

import Checkout
import Glibc
import Testing
import ValueTree

@testable import CheckoutServer
@testable import CheckoutStore

/// A copy of the state is made while everybody is served, or leaves nothing.
@Suite struct BackupsTests {
  private let directory: TemporaryState
  private let store: CheckoutStore
  private let bench: ServerBench
  private let administrator: TestClient

  init() throws {
    directory = try TemporaryState()
    store = try CheckoutStore(directory: directory.path, bootID: 1)
    bench = try ServerBench(store: store)
    administrator = try bench.connect(as: 0, isAdministrator: true)
    let text = Value.string(String(repeating: "x", count: 2_000_000))
    let store = store
    // Large, so that it takes several turns.
    try store.commit(isPayment: false) { () throws(StoreError) in
      try store.writeRecord(text, of: CheckoutID(0x42))
    }
  }

  private func begin(_ name: Value = "one") -> Int64 {
    let (text, id) = bench.line("system.backup", ["name": name])
    administrator.send(text)
    bench.turn()
    return id
  }

  private func finish(_ id: Int64) throws -> CallOutcome {
    for _ in 0..<1000 {
      let outcome = CallOutcome(try administrator.readLines(), id)
      if outcome.reply != nil { return outcome }
      bench.pass(milliseconds: 1)
    }
    return CallOutcome([], id)
  }

  @Test func `others are served between its steps, and what they were told is in it`() throws {
    let id = begin()
    let client = try bench.connect()
    var checkouts = 0
    var outcome = CallOutcome(try administrator.readLines(), id)
    while outcome.reply == nil {
      let started = bench.line(
        "checkout.start", ["clientToken": .string(SampleUpstream.tokens[0]), "allowRepeat": true])
      client.send(started.text)
      bench.turn()
      #expect(try bench.call(client, "system.ping").result == .object([]))
      checkouts += 1
      bench.pass(milliseconds: 1)
      outcome = CallOutcome(try administrator.readLines(), id)
    }
    #expect(checkouts > 1)
    let path = try #require(outcome.result?["path"]?.string)
    #expect(path == directory.path + "/backups/one")
    #expect(outcome.result?["bytes"]?.integer == size(of: path))
    #expect(mode(of: path) == 0o600 && mode(of: directory.path + "/backups") == 0o700)
    #expect(directory.names(in: "backups") == ["one"])
    let status = try bench.call(administrator, "system.status").result?["store"]?["backups"]
    #expect(status == ["count": 1, "bytes": .integer(size(of: path))])
    #expect(try bench.call(client, "system.status").result?["store"]?["backups"] == nil)

    let other = try TemporaryState()
    try CheckoutStore.restore(path, to: other.path)
    let copy = try CheckoutStore(directory: other.path, bootID: 1)
    var found = 0
    try copy.recover { _ in found += 1 }
    #expect(found == (try bench.call(client, "checkout.list").result?["checkouts"]?.array?.count))
    #expect(found > 0 && copy.loss == .restored && copy.epoch != store.epoch)
  }

  @Test(arguments: [
    "", ".", "..", ".hidden", "a/b", "../a", "/a", "a b", "\u{e9}", "a\0b",
    String(repeating: "a", count: 101),
  ])
  func `a name is no path`(name: String) throws {
    let outcome = try finish(begin(.string(name)))
    #expect(outcome.code == -32602)
    #expect(directory.names(in: "") == ["checkoutd.sqlite", "checkoutd.sqlite-wal", "reserve"])
  }

  @Test func `nothing is written over, and no link followed`() throws {
    #expect(try finish(begin()).result != nil)
    let before = size(of: directory.path + "/backups/one")
    #expect(try finish(begin()).code == -32602)
    #expect(size(of: directory.path + "/backups/one") == before)
    let elsewhere = try TemporaryState()
    unsafe symlink(elsewhere.path + "/two", directory.path + "/backups/two")
    #expect(try finish(begin("two")).code == -32602)
    unsafe unlink(directory.path + "/backups/two")
    unsafe symlink(elsewhere.path + "/x", directory.path + "/backups/.unfinished")
    #expect(try finish(begin("two")).result != nil)
    #expect(elsewhere.names(in: "") == [])
    unsafe rename(directory.path + "/backups", elsewhere.path + "/backups")
    unsafe symlink(elsewhere.path + "/backups", directory.path + "/backups")
    #expect(try finish(begin("three")).code == -32006)
    #expect(elsewhere.names(in: "backups") == ["one", "two"])
  }

  @Test func `there is one at a time, and one that cannot be had leaves nothing`() throws {
    let id = begin()
    #expect(try bench.call(administrator, "system.backup", ["name": "two"]).code == -32004)
    // Somebody takes the name.
    unsafe mkdir(directory.path + "/backups/one", 0o700)
    let outcome = try finish(id)
    #expect(outcome.code == -32006)
    #expect(directory.names(in: "backups") == ["one"])
    #expect(try finish(begin("two")).result != nil)
  }

  @Test func `a stop ends it`() throws {
    let id = begin()
    bench.server.beginDrain()
    bench.turn()
    #expect(CallOutcome(try administrator.readLines(), id).code == -32005)
    #expect(directory.names(in: "backups") == [])
  }

  @Test func `what a process left of one is removed by the next`() throws {
    let other = try TemporaryState()
    unsafe mkdir(other.path + "/backups", 0o700)
    unsafe close(creat(other.path + "/backups/.unfinished", 0o600))
    unsafe close(creat(other.path + "/backups/kept", 0o600))
    _ = try CheckoutStore(directory: other.path, bootID: 1)
    #expect(other.names(in: "backups") == ["kept"])
  }

  @Test func `it is for administrators, and for a state in files`() throws {
    let client = try bench.connect()
    #expect(try bench.call(client, "system.backup", ["name": "one"]).code == -32002)
    let bench = try ServerBench(isDurable: false)
    let administrator = try bench.connect(as: 0, isAdministrator: true)
    #expect(try bench.call(administrator, "system.backup", ["name": "one"]).code == -32006)
  }
}

private func size(of path: String) -> Int64 {
  var info = stat()
  return unsafe lstat(path, &info) == 0 ? Int64(info.st_size) : -1
}

private func mode(of path: String) -> mode_t {
  var info = stat()
  return unsafe lstat(path, &info) == 0 ? info.st_mode & 0o777 : 0
}

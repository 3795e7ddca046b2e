import Checkout
import Glibc
import Testing

@testable import CheckoutStore

/// What lies in a state directory is the daemon's own, or nothing is done with it.
@Suite struct StateDirectoryTests {
  private let directory: TemporaryDirectory
  private let elsewhere: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
    elsewhere = try TemporaryDirectory()
  }

  private func isUnusable(_ path: String) -> Bool {
    do throws(StoreError) {
      _ = try CheckoutStore(directory: path)
      return false
    } catch {
      if case .unusable = error { return true }
      Issue.record(error)
      return false
    }
  }

  @Test(arguments: [
    "checkoutd.sqlite", "checkoutd.sqlite-wal", "checkoutd.sqlite-journal", "reserve",
  ])
  func `a link in it is not followed, and what it leads to stays as it is`(name: String) throws {
    let target = elsewhere.file("precious")
    try write(Array("precious".utf8), to: target)
    unsafe chmod(target, 0o644)
    unsafe symlink(target, directory.file(name))
    #expect(isUnusable(directory.path))
    #expect(try readBytes(target) == Array("precious".utf8))
    #expect(mode(of: target) == 0o644)
    unsafe unlink(directory.file(name))
    unsafe link(target, directory.file(name))
    #expect(isUnusable(directory.path))
    #expect(try readBytes(target) == Array("precious".utf8))
    #expect(mode(of: target) == 0o644)
  }

  @Test(arguments: ["checkoutd.sqlite", "reserve"])
  func `what is no file is refused`(name: String) {
    unsafe mkdir(directory.file(name), 0o700)
    #expect(isUnusable(directory.path))
    unsafe rmdir(directory.file(name))
    unsafe mkfifo(directory.file(name), 0o600)
    #expect(isUnusable(directory.path))
    #expect(directory.names == [name])
  }

  @Test(arguments: [0o777, 0o770, 0o720, 0o702] as [mode_t])
  func `one that others may write in is refused`(mode: mode_t) {
    unsafe chmod(directory.path, mode)
    #expect(isUnusable(directory.path))
    #expect(directory.names == [])
  }

  @Test(.enabled(if: geteuid() == 0)) func `one of another user's is refused`() {
    unsafe chown(directory.path, 4711, 4711)
    #expect(geteuid() != 0 || isUnusable(directory.path))
    #expect(directory.names == [])
  }

  @Test func `links on the way to it are followed`() throws {
    let way = elsewhere.file("way")
    unsafe symlink(directory.path, way)
    try CheckoutStore(directory: way).write([.didReceiveStep], of: CheckoutID(1), after: 0)
    #expect(directory.names.contains("checkoutd.sqlite"))
    unsafe unlink(way)
  }

  @Test func `a second store has to wait, whatever the first has done`() throws {
    let first = try CheckoutStore(directory: directory.path)
    #expect(throws: StoreError.inUse) { try CheckoutStore(directory: directory.path) }
    withExtendedLifetime(first) {}
  }

  @Test func `of many that begin at once exactly one runs`() async throws {
    for _ in 0..<20 {
      // One of its own: a process that another test starts has the lock of the last one, until it runs
      // its program.
      let directory = try TemporaryDirectory()
      let path = directory.path
      let opened = await withTaskGroup(of: Bool.self) { group in
        // Each holds what it got until all have tried.
        let gate = Gate(count: 8)
        for _ in 0..<8 {
          group.addTask {
            let store = try? CheckoutStore(directory: path)
            await gate.pass()
            return store != nil
          }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(opened == 1)
    }
  }
}

/// Lets nobody pass before all have come.
private actor Gate {
  private var missing: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(count: Int) { missing = count }

  func pass() async {
    missing -= 1
    guard missing > 0 else {
      for one in waiting { one.resume() }
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }
}

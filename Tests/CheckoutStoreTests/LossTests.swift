import Checkout
import Glibc
import Testing
import ValueTree

@testable import CheckoutStore

/// What a start finds out about commits that are missing.
@Suite struct LossTests {
  private static let frameSize = 24 + 4096

  private let directory: TemporaryDirectory
  private let id = CheckoutID(7)

  init() throws { directory = try TemporaryDirectory() }

  /// What a process leaves that is killed after these commits, which all stand in the log: `p` for a
  /// payment's, `n` for others.
  private func killed(after commits: String) throws -> TemporaryDirectory {
    let store = try CheckoutStore(directory: directory.path, bootID: 1)
    // The first is merged into the file at once.
    try commit("n" + commits, to: store)
    return try directory.copy()
  }

  private func commit(_ commits: String, to store: CheckoutStore, after first: Int64 = 0) throws {
    for (place, kind) in commits.enumerated() {
      let seq = first + Int64(place)
      store.publish(
        [.didReceiveStep], of: id, after: seq, text: String(repeating: "x", count: 6000))
      let change = CheckoutChange(id: id, fixed: seq == 0 ? "fixed" : nil, hot: "hot")
      try store.commit([change], isPayment: kind == "p")
    }
  }

  private func log(_ killed: TemporaryDirectory) -> String { killed.file("checkoutd.sqlite-wal") }

  /// Changes bytes of the log.
  private func damage(_ killed: TemporaryDirectory, _ change: (inout [UInt8]) -> Void) throws {
    var bytes = try readBytes(log(killed))
    change(&bytes)
    try write(bytes, to: log(killed))
  }

  /// Where the frames begin that end a commit.
  private func ends(_ bytes: [UInt8]) -> [Int] {
    stride(from: 32, to: bytes.count, by: Self.frameSize).filter { place in
      bytes[place + 4..<place + 8].contains { $0 != 0 }
    }
  }

  private func loss(_ killed: TemporaryDirectory, bootID: Int64 = 1) throws -> StoreLoss? {
    try CheckoutStore(directory: killed.path, bootID: bootID).loss
  }

  private func isDamaged(_ loss: StoreLoss?) -> Bool {
    if case .damaged = loss { true } else { false }
  }

  @Test(arguments: [1, 2] as [Int64])
  func `a process that is killed has lost nothing, wherever the log ends`(bootID: Int64) throws {
    let killed = try killed(after: "nnpnn")
    let bytes = try readBytes(log(killed))
    #expect(ends(bytes).count == 5)
    for end in stride(from: bytes.count, through: 0, by: -1021) {
      let cut = try killed.copy()
      try write(Array(bytes[..<end]), to: log(cut))
      #expect(try loss(cut, bootID: bootID) == nil, "\(end)")
    }
  }

  @Test func `a bit that has changed is damage, unless it is in the last commit`() throws {
    let killed = try killed(after: "nnnnn")
    let bytes = try readBytes(log(killed))
    let ends = ends(bytes)
    for place in stride(from: 32, to: bytes.count, by: 509) {
      let copy = try killed.copy()
      try damage(copy) { $0[place] ^= 0x10 }
      let found = try loss(copy)
      // In the frame before the last it may look like what was never finished.
      if place < ends[3] { #expect(isDamaged(found), "\(place)") }
      if place >= ends[4] { #expect(found == nil, "\(place)") }
    }
  }

  @Test func `after a start of the machine it is what a power failure takes`() throws {
    let killed = try killed(after: "nnnnn")
    let ends = ends(try readBytes(log(killed)))
    try damage(killed) {
      $0.replaceSubrange(ends[1]..<ends[1] + 512, with: [UInt8](repeating: 0, count: 512))
    }
    let copy = try killed.copy()
    #expect(try loss(killed, bootID: 2) == .unsynchronized(commitCount: 3))
    #expect(isDamaged(try loss(copy, bootID: 1)))
  }

  @Test func `but not if a payment is among it`() throws {
    let killed = try killed(after: "nnnpn")
    let ends = ends(try readBytes(log(killed)))
    try damage(killed) { $0[ends[1] + 100] ^= 1 }
    #expect(isDamaged(try loss(killed, bootID: 2)))
  }

  @Test func `payments before it are not among it`() throws {
    let killed = try killed(after: "npnnn")
    let ends = ends(try readBytes(log(killed)))
    try damage(killed) { $0[ends[2] + 100] ^= 1 }
    #expect(try loss(killed, bootID: 2) == .unsynchronized(commitCount: 2))
  }

  @Test func `what was never finished and written over in part is nothing that was lost`() throws {
    let killed = try killed(after: "nn")
    // A commit of many frames that was cut short, and a small one over it.
    var store: CheckoutStore? = try CheckoutStore(directory: killed.path, bootID: 1)
    _ = try store?.recovered()
    store?.publish([.didReceiveStep], of: id, after: 3, text: String(repeating: "y", count: 90_000))
    try store?.commit([CheckoutChange(id: id, hot: "hot")], isPayment: false)
    let cut = try killed.copy()
    try damage(cut) { $0.removeLast(2 * Self.frameSize) }
    store = try CheckoutStore(directory: cut.path, bootID: 1)
    _ = try store?.recovered()
    let length = try readBytes(log(cut)).count
    store?.publish([.didReceiveStep], of: id, after: 3)
    try store?.commit([CheckoutChange(id: id, hot: "hot")], isPayment: false)
    #expect(try readBytes(log(cut)).count == length)
    #expect(try loss(try cut.copy()) == nil)
  }

  @Test func `a log that is missing is noticed`() throws {
    let killed = try killed(after: "n")
    unsafe unlink(log(killed))
    #expect(isDamaged(try loss(killed)))
  }

  @Test func `so it is when nothing was merged but that it runs`() throws {
    _ = try CheckoutStore(directory: directory.path, bootID: 1).recovered()
    let killed = try killed(after: "p")
    unsafe unlink(log(killed))
    #expect(isDamaged(try loss(killed, bootID: 2)))
  }

  @Test func `a stop in order leaves none`() throws {
    var store: CheckoutStore? = try CheckoutStore(directory: directory.path, bootID: 1)
    try store.map { try commit("npn", to: $0) }
    store = nil
    #expect(directory.names == ["checkoutd.sqlite", "reserve"])
    #expect(try loss(directory) == nil)
  }

  @Test func `a database that is missing beside its log is refused`() throws {
    let killed = try killed(after: "n")
    unsafe unlink(killed.database)
    let before = try killed.contents()
    #expect(throws: StoreError.self) { try loss(killed) }
    do { _ = try loss(killed) } catch let error as StoreError {
      guard case .corrupt = error else { throw error }
    }
    #expect(try killed.contents() == before)
  }

  @Test func `damage is known until it is made up for`() throws {
    var killed = try killed(after: "nnn")
    let ends = ends(try readBytes(log(killed)))
    try damage(killed) { $0[ends[0] + 100] ^= 1 }
    for _ in 0..<3 {
      let store = try CheckoutStore(directory: killed.path, bootID: 1)
      #expect(isDamaged(store.loss))
      _ = try? store.recovered()
      try store.commit([CheckoutChange(id: id, fixed: "fixed", hot: "hot")], isPayment: false)
      killed = try killed.copy()
    }
    var store: CheckoutStore? = try CheckoutStore(directory: killed.path, bootID: 1)
    try store?.commit(isPayment: true) { () throws(StoreError) in try store?.makeUpForLoss() }
    #expect(store?.loss == nil)
    store = nil
    #expect(try loss(killed) == nil)
  }

  @Test(arguments: ["checkoutd.sqlite", "checkoutd.sqlite-wal"])
  func `a file that is removed while it is used is missed by the next payment`(
    name: String
  ) throws {
    let store = try CheckoutStore(directory: directory.path, bootID: 1)
    try commit("np", to: store)
    unsafe unlink(directory.file(name))
    try commit("n", to: store, after: 2)
    #expect(throws: StoreError.self) { try commit("p", to: store, after: 3) }
    try write([], to: directory.file(name))
    #expect(throws: StoreError.self) { try commit("p", to: store, after: 3) }
  }

  @Test func `noise is no log`() {
    var generator = Generator(state: 1)
    for size in 0..<200 {
      let bytes = (0..<size * 61).map { _ in UInt8.random(in: 0...255, using: &generator) }
      #expect(LogScan(bytes).lostCommitCount == 0)
    }
  }

  @Test func `a log that is damaged anywhere is read without harm`() throws {
    let bytes = try readBytes(log(try killed(after: "npnpn")))
    var generator = Generator(state: 2)
    for _ in 0..<300 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...20, using: &generator) {
        let place = Int.random(in: 0..<damaged.count, using: &generator)
        damaged[place] = UInt8.random(in: 0...255, using: &generator)
      }
      _ = LogScan(Array(damaged.prefix(Int.random(in: 0...damaged.count, using: &generator))))
    }
  }
}

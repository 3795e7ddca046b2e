import Glibc
import LinuxSystem
import Testing

@testable import Systemd

// Each changes the environment, so in a process of its own.
@Suite struct DescriptorStoreTests {
  @Test func `descriptors go out under their name, as many as a datagram takes`() async {
    await #expect(processExitsWith: .success) {
      let (service, receiver) = try Self.notified(capacity: "600")
      let end = try WatchedPipe()
      let many = [Int32](repeating: end.reading, count: 300)
      #expect(service.store(many, named: "connection-1"))
      let stored = "FDSTORE=1\nFDNAME=connection-1\nFDPOLL=0"
      #expect((0..<3).map { _ in receiver.read() } == [stored, stored, ""])
      service.removeStored(named: "connection-1")
      #expect(receiver.read() == "FDSTOREREMOVE=1\nFDNAME=connection-1")
    }
  }

  @Test func `a service manager that reads nothing is not waited for long`() async {
    await #expect(processExitsWith: .success) {
      let (service, receiver) = try Self.notified(capacity: nil)
      #expect(!service.synchronize(timeoutMilliseconds: 20))
      #expect(receiver.read() == "BARRIER=1")
    }
  }

  @Test func `without a service manager there is nothing to wait for`() async {
    await #expect(processExitsWith: .success) {
      unsafe unsetenv("NOTIFY_SOCKET")
      Self.set("FDSTORE", "16")
      let service = ServiceManager()
      #expect(service.synchronize())
      #expect(!service.isPresent)
      #expect(service.storeCapacity == 0)
      #expect(!service.store([0], named: "x"))
    }
  }

  @Test(arguments: [("16", 16), ("", 0), ("-1", 0), ("many", 0)])
  func `how much is kept is taken from the environment`(text: String, capacity: Int) async {
    await #expect(processExitsWith: .success) { [text, capacity] in
      let (service, _) = try Self.notified(capacity: text)
      #expect(service.storeCapacity == capacity)
      #expect(unsafe getenv("FDSTORE") == nil)
    }
  }

  private static func notified(capacity: String?) throws -> (ServiceManager, NotifySocket) {
    let receiver = try NotifySocket(isAbstract: true)
    set("NOTIFY_SOCKET", receiver.address)
    if let capacity { set("FDSTORE", capacity) }
    return (ServiceManager(), receiver)
  }

  private static func set(_ name: String, _ value: String) { unsafe setenv(name, value, 1) }
}

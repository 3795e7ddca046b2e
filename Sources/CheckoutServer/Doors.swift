import LinuxSystem
import Systemd

/// The sockets that clients come in by.
final class Doors {
  private let loop: EventLoop
  private let entrance: Entrance
  private let alarm: Alarm
  private var listeners: [Listener] = []

  init(_ loop: EventLoop, _ entrance: Entrance, _ schedule: Schedule) {
    self.loop = loop
    self.entrance = entrance
    alarm = Alarm(in: schedule, holdsDaemon: true)
    alarm.whenDue { [unowned self] in for listener in listeners { listener.goOn() } }
  }

  /// Begins to accept from a listening socket.
  ///
  /// - Parameters:
  ///   - descriptor: The socket.
  ///   - path: Where it was bound by this process; nil if it was passed in.
  ///   - isForAdministrators: Whether nobody else can connect to it.
  /// - Throws: ``Errno`` if the kernel refuses to watch it.
  func open(
    _ descriptor: consuming FileDescriptor, path: String?, isForAdministrators: Bool
  ) throws(Errno) {
    listeners.append(
      try Listener(
        descriptor, path: path, isForAdministrators: isForAdministrators, on: loop, entrance
      ) { [unowned self] in
        alarm.set(after: 200)
      })
  }

  /// Takes in a client that has come otherwise than by a listening socket.
  func admit(_ client: consuming FileDescriptor, as caller: Caller) {
    entrance.admit(client, as: caller)
  }

  /// Stops accepting; what was passed in stays the service manager's, what was bound here goes.
  func close() {
    for listener in listeners { listener.stop() }
    listeners = []
  }

  /// Whether the service manager has every socket too: clients that come when this process is gone
  /// wait.
  var areShared: Bool { listeners.allSatisfy(\.isShared) }
}

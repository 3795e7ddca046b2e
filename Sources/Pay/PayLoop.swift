import CheckoutClient
import Glibc
import JSONRPC
import LinuxSystem
import Terminal
import ValueTree

/// Waits for everything at once: the daemon, the keyboard, signals, the collector, the clock.
final class PayLoop {
  /// What can happen.
  enum Occurrence {
    /// Something happened to the checkout.
    case event(ClientEvent)
    /// Events happened that cannot be had, or none can come any more: the snapshot has to tell.
    case missed
    /// Somebody pressed a key.
    case key(Key)
    /// The collector has something to say, or has ended.
    case collector
  }

  /// The terminal; nil if nobody is asked anything.
  let terminal: TerminalDevice?
  /// The program that asks for a bank account, once there is one.
  var collector: Collector?
  /// When to give up.
  var deadline: Deadline

  private let client: PatientClient
  private let signals: SignalDescriptor
  private var decoder = KeyDecoder()
  private var later: [Occurrence] = []
  private var view: ((ScreenSize) -> Screen)?
  private var isTicking = false

  /// How long after Escape the rest of another key may come.
  private static let escapeMilliseconds: Int32 = 50

  private static let watchedSignals = [
    SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCHLD, SIGWINCH,
  ]

  /// Connects to the daemon and, if somebody has to be asked, makes the terminal a screen.
  init(_ command: PayRequest) throws(PayEnding) {
    deadline = command.deadline
    client = PatientClient(path: command.socket, patience: command.patience)
    do throws(ClientError) { try client.connect() } catch { throw .failure(.client(error)) }
    terminal = command.given == nil ? try Self.openTerminal() : nil
    do throws(Errno) {
      signals = try SignalDescriptor(Self.watchedSignals)
      try terminal?.enter()
    } catch { throw .failure(.client(.failed(error))) }
  }

  private static func openTerminal() throws(PayEnding) -> TerminalDevice {
    do throws(Errno) { return try TerminalDevice() } catch {
      throw .failure(.usage("there is no terminal to ask on (\(error)): use --data"))
    }
  }

  // MARK: What is shown

  /// Shows something from now on, whatever size the terminal has or gets.
  ///
  /// - Parameters:
  ///   - isTicking: Whether it changes with every second.
  ///   - view: Lays it out.
  func show(isTicking: Bool = false, _ view: @escaping (ScreenSize) -> Screen) {
    self.view = view
    self.isTicking = isTicking
    redraw()
  }

  private func redraw() {
    guard let terminal, let view else { return }
    terminal.show(view(terminal.size))
  }

  /// Leaves out keys that were pressed before what is shown now was there.
  func forgetKeys() {
    later.removeAll { if case .key = $0 { true } else { false } }
    decoder = KeyDecoder()
    if let terminal { tcflush(terminal.descriptor, TCIFLUSH) }
  }

  // MARK: What happens

  /// Makes a call and waits for its answer; what else happens meanwhile happens afterwards.
  ///
  /// - Parameters:
  ///   - method: The method's name.
  ///   - params: Its parameters, by name.
  ///   - settledBy: The errors that mean success if the answer to an earlier try was lost.
  /// - Returns: The result, or the error that the daemon answered with.
  /// - Throws: Why there is no answer.
  func call(
    _ method: String, _ params: Value, settledBy: [String] = []
  ) throws(PayEnding) -> Result<Value, RPCError> {
    let number = client.call(method, params, .settled(by: settledBy))
    while true {
      switch try arrival() {
      case .answer(number, .success(let value)): return .success(value)
      case .answer(number, .failure(.remote(let error))): return .failure(error)
      case .answer(number, .failure(let error)): throw .failure(.client(error))
      case .answer: continue
      case .occurrence(let occurrence): later.append(occurrence)
      }
    }
  }

  /// Asks for the events of a checkout after one of them.
  func follow(_ checkoutID: String, after seq: Int64) { client.follow(checkoutID, after: seq) }

  /// Waits for what happens next.
  func next() throws(PayEnding) -> Occurrence {
    while true {
      if !later.isEmpty { return later.removeFirst() }
      if case .occurrence(let occurrence) = try arrival() { return occurrence }
    }
  }

  private enum Arrival {
    case answer(Int64, Result<Value, ClientError>)
    case occurrence(Occurrence)
  }

  private var arrived: [Arrival] = []

  private func arrival() throws(PayEnding) -> Arrival {
    while true {
      try takeSignals()
      if !arrived.isEmpty { return arrived.removeFirst() }
      for news in client.goOn() {
        switch news {
        case .answer(let number, let result): arrived.append(.answer(number, result))
        case .told(_, .event(let event)): arrived.append(.occurrence(.event(event)))
        case .told, .ended(_, nil): arrived.append(.occurrence(.missed))
        case .ended(_, let error?): throw .failure(.client(error))
        }
      }
      if arrived.isEmpty { try wait() }
    }
  }

  private func takeSignals() throws(PayEnding) {
    while let signal = signals.next() {
      switch signal {
      case SIGWINCH: redraw()
      case SIGCHLD: if collector?.takeEnd() == true { arrived.append(.occurrence(.collector)) }
      case SIGTSTP: try suspend()
      default: throw .signal(signal)
      }
    }
  }

  /// Stops, as Ctrl-Z asks for, with the terminal as it was, until somebody says to go on.
  private func suspend() throws(PayEnding) {
    terminal?.leave()
    raise(SIGSTOP)
    do throws(Errno) { try terminal?.enter() } catch { throw .failure(.client(.failed(error))) }
    redraw()
  }

  private func wait() throws(PayEnding) {
    var entries = [
      client.descriptor, signals.rawValue, terminal?.descriptor ?? -1,
      collector?.outputDescriptor ?? -1, collector?.errorDescriptor ?? -1,
    ].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    entries[0].events = client.pollEvents
    let untilDeadline = deadline.pollTimeout
    guard untilDeadline != 0 else { throw .timedOut }
    let timeouts = [
      untilDeadline, client.pollTimeout, decoder.isInDoubt ? Self.escapeMilliseconds : -1,
      isTicking && terminal != nil ? Self.untilNextSecond : -1,
    ]
    let timeout = timeouts.filter { $0 >= 0 }.min() ?? -1
    let count = unsafe poll(&entries, nfds_t(entries.count), timeout)
    guard count >= 0 || errno == EINTR else {
      throw .failure(.client(.failed(Errno(code: errno, call: "poll"))))
    }
    if entries[2].revents != 0 {
      guard let bytes = terminal?.read() else { throw .signal(SIGHUP) }
      arrived += decoder.feed(bytes).map { .occurrence(.key($0)) }
    } else if count == 0 {
      // Only so much silence tells Escape from the beginning of another key.
      if timeout == Self.escapeMilliseconds {
        arrived += decoder.settle().map { .occurrence(.key($0)) }
      }
      if isTicking { redraw() }
    }
    if entries[3].revents != 0 || entries[4].revents != 0, collector?.takeOutput() == true {
      arrived.append(.occurrence(.collector))
    }
  }

  private static var untilNextSecond: Int32 {
    1000 - Int32(Clock.monotonicMicroseconds() / 1000 % 1000)
  }
}

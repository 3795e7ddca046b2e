import LinuxSystem
import Terminal
import ValueTree

/// What every screen begins with: how much is paid, and for what.
struct Heading {
  private let text: String
  private let order: String

  /// Reads a client session, as far as it is known.
  init(_ clientSession: Value?) {
    text = Amount(of: clientSession).map { "Pay \($0.text)" } ?? "Pay"
    order = clientSession?["orderId"]?.string ?? ""
  }

  var line: TextLine { TextLine(text, .strong).adding(order.isEmpty ? "" : "  \(order)", .faint) }
}

extension Screen {
  /// Makes a screen that begins with a heading and an empty line.
  init(_ heading: Heading) {
    self.init()
    add([heading.line, TextLine()])
  }

  /// Adds what went wrong, if something did.
  mutating func add(problem: String?, columns: Int) {
    guard let problem else { return }
    add([TextLine](problem, .bad, columns: columns))
  }

  /// Adds which keys do what, as far as there is room below what is there.
  mutating func add(keys: String, _ size: ScreenSize) {
    let hint = [TextLine(), TextLine(keys, .faint)]
    guard lines.count + hint.count <= size.rows else { return }
    add(hint)
  }
}

/// The choice of a payment method.
struct MethodsView {
  let heading: Heading
  let problem: String?
  let list: ChoiceList

  func screen(_ size: ScreenSize) -> Screen {
    var screen = Screen(heading)
    screen.add(problem: problem, columns: size.columns)
    screen.add("How do you want to pay?")
    screen.add(list.lines(rows: max(size.rows - screen.lines.count - 2, 1)))
    screen.add(keys: "↑↓ choose · Enter go on · Ctrl-C cancel", size)
    return screen
  }
}

/// The choice of a bank.
struct BanksView {
  let heading: Heading
  let problem: String?
  let filter: TextField
  let list: ChoiceList

  func screen(_ size: ScreenSize) -> Screen {
    var screen = Screen(heading)
    screen.add(problem: problem, columns: size.columns)
    screen.add(filter, label: "Bank: ", columns: size.columns)
    if list.choices.isEmpty {
      screen.add("  No bank has such a name.", .faint)
    } else {
      screen.add(list.lines(rows: max(size.rows - screen.lines.count - 2, 1)))
    }
    screen.add(keys: "Type to filter · ↑↓ choose · Enter pay · Esc back · Ctrl-C cancel", size)
    return screen
  }
}

/// The shopper's details.
struct DetailsView {
  /// One of them.
  struct Field {
    /// Its name in the protocol.
    let name: String
    let label: String
    var text: TextField
    /// Whether it is valid, once that has been said.
    var isValid: Bool?
    /// What is wrong with it, if something is.
    var problem: String?
  }

  let heading: Heading
  var problem: String?
  var fields: [Field]
  var focus = 0

  func screen(_ size: ScreenSize) -> Screen {
    var screen = Screen(heading)
    screen.add(problem: problem, columns: size.columns)
    var cursor: Screen.Place?
    for (index, field) in fields.enumerated() {
      let mark = field.isValid.map { $0 ? "✓" : "✗" } ?? " "
      screen.add(field.text, label: "\(mark) \(field.label)  ", columns: size.columns)
      if index == focus { cursor = screen.cursor }
      if let problem = field.problem { screen.add("  \(problem)", .bad) }
    }
    screen.cursor = cursor
    screen.add(keys: "Tab next · Enter pay · Esc back · Ctrl-C cancel", size)
    return screen
  }
}

/// Something that takes a while.
struct WaitingView {
  private let what: String
  private let start = Clock.monotonicMicroseconds()

  /// Begins to wait.
  init(_ what: String) { self.what = what }

  /// What is waited for, and for how long already.
  var line: TextLine {
    let seconds = (Clock.monotonicMicroseconds() - start) / 1_000_000
    return TextLine("\(what) … \(seconds) s", .faint)
  }

  func screen(_ size: ScreenSize) -> Screen {
    var screen = Screen()
    screen.add([line])
    return screen
  }
}

/// A page that the shopper must open, with its address as a code for those who have a camera.
struct PageView {
  let heading: Heading
  let explanation: String
  let address: String
  let code: QRCode?
  let waiting: WaitingView
  let keys: String

  func screen(_ size: ScreenSize) -> Screen {
    var screen = Screen()
    screen.add([heading.line])
    screen.add([TextLine](explanation, columns: size.columns))
    screen.add([TextLine](address, .strong, columns: size.columns))
    if let code { screen.add(Self.lines(of: code, rows: size.rows - screen.lines.count - 1, size)) }
    screen.add([waiting.line])
    screen.add(keys: keys, size)
    return screen
  }

  private static func lines(of code: QRCode, rows: Int, _ size: ScreenSize) -> [TextLine] {
    let needed = code.textSize
    guard needed.columns <= size.columns, needed.rows <= rows else {
      let all = size.rows - rows + needed.rows
      return [TextLine("(The code needs a window of \(needed.columns) × \(all).)", .faint)]
    }
    return code.halfBlocks.map { TextLine($0, .code) }
  }
}

/// Something to be told, while the rest is waited for.
struct NoticeView {
  let heading: Heading
  let problem: String
  let advice: String
  let waiting: WaitingView

  func screen(_ size: ScreenSize) -> Screen {
    var screen = Screen(heading)
    screen.add(problem: problem, columns: size.columns)
    screen.add([TextLine](advice, columns: size.columns))
    screen.add([waiting.line])
    return screen
  }
}

/// A text that the shopper accepts or declines.
struct MandateView {
  let heading: Heading
  let text: String
  /// How many lines of the text are above the window.
  private var offset = 0

  init(heading: Heading, text: String) {
    self.heading = heading
    self.text = text
  }

  /// Reads so many lines on, or as far as there are any.
  mutating func scroll(by distance: Int, _ size: ScreenSize) {
    let last = text.wrapped(to: size.columns).count - Self.rows(size)
    offset = max(min(offset + distance, last), 0)
  }

  private static func rows(_ size: ScreenSize) -> Int { max(size.rows - 5, 1) }

  func screen(_ size: ScreenSize) -> Screen {
    var screen = Screen(heading)
    let lines = text.wrapped(to: size.columns)
    let rows = Self.rows(size)
    let first = max(min(offset, lines.count - rows), 0)
    screen.add(lines[first...].prefix(rows).map { TextLine($0) })
    screen.add(lines.count > rows ? "↑↓ read on" : "", .faint)
    screen.add("Do you accept?  y: yes · n: no", .strong)
    return screen
  }
}

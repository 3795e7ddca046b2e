import CheckoutProtocol
import CheckoutServer
import Glibc
import LinuxSystem
import PrimerAPI
import Systemd
import Upstream

/// What the command line asks for.
enum Invocation {
  /// Print this and end.
  case show(String)
  /// The command line makes no sense.
  case refuse(String)
  /// Say whether the configuration is good.
  case check(Settings)
  /// Make the state out of this copy.
  case restore(String, Settings)
  /// Serve.
  case run(Settings)

  /// What the command line and the configuration file set.
  struct Settings {
    /// The file that was named.
    let named: String?
    /// The file to be read: the one that was named, else the one at the usual place, if there is one.
    var path: String? {
      if let named { return named }
      return unsafe access(Invocation.defaultPath, F_OK) == 0 ? Invocation.defaultPath : nil
    }
    /// What the command line sets, over what the file sets.
    let given: [(row: OptionRow, value: String)]

    /// Reads the file, applies the command line over it, and checks what comes of it; what neither
    /// says of the proxy may be a credential, and of the egress a variable.
    ///
    /// This is what the start, `--check` and a reload do, all of it each time.
    func checked() throws(OptionError) -> CheckedOptions {
      var options = Options()
      if let path {
        guard let text = readTextFile(path) else {
          throw OptionError("\(path): cannot be read")
        }
        try options.read(configuration: text, of: path)
      }
      for (row, value) in given { try options.set(row, to: value) }
      if options.proxy == nil { try Self.takeCredential(&options) }
      if options.egress == nil { try Self.takePassedEgress(&options) }
      return try CheckedOptions(options, memoryLimit: ControlGroup.memoryLimit())
    }

    private static let egressName = "CHECKOUTD_EGRESS_SOCKET"

    /// Where the egress is, if the environment says so: the unit does, whose process has no network.
    private static func takePassedEgress(_ options: inout Options) throws(OptionError) {
      guard let path = variable(egressName), !path.isEmpty else { return }
      try options.set(.egress, to: path, at: .other(egressName))
    }

    fileprivate static let proxyName = "checkoutd.proxy"

    /// The proxy's URL, if the service manager hands one over as a credential.
    private static func takeCredential(_ options: inout Options) throws(OptionError) {
      let credential: String?
      do throws(CredentialError) {
        credential = try ServiceManager.credential(proxyName)
      } catch {
        throw OptionError(error.description)
      }
      guard let credential else { return }
      try options.set(.proxy, to: credential, at: .other("the credential \(proxyName)"))
    }
  }

  private static let switches: [CommandLineOption] = [
    CommandLineOption("config", letter: "c", takesValue: true), CommandLineOption("check"),
    CommandLineOption("restore", takesValue: true),
    CommandLineOption("version", letter: "V"), CommandLineOption("help", letter: "h"),
  ]

  /// Reads a command line; what it says goes over what the configuration file says.
  init(_ arguments: [String]) {
    let rows = OptionRow.all
    let table =
      Self.switches
      + rows.map {
        CommandLineOption($0.name, letter: $0.letter, takesValue: $0.argument != nil)
      }
    let parsed: CommandLineArguments
    do throws(CommandLineError) {
      parsed = try CommandLineArguments(arguments, options: table)
    } catch {
      self = .refuse(error.description)
      return
    }
    func given(_ name: String) -> (value: String?, Bool)? {
      parsed.options.last { table[$0.index].name == name }.map { ($0.value, true) }
    }
    if given("help") != nil {
      self = .show(Self.help)
      return
    }
    if given("version") != nil {
      self = .show("checkoutd \(Release.version)")
      return
    }
    guard parsed.operands.isEmpty else {
      self = .refuse("there are no arguments beside the options")
      return
    }
    var set: [(row: OptionRow, value: String)] = []
    var trial = Options()
    for (index, value) in parsed.options where index >= Self.switches.count {
      let row = rows[index - Self.switches.count]
      if row.name == "proxy", value?.contains("@") == true {
        self = .refuse("--proxy: user and password are for all to see here; \(Self.proxyHint)")
        return
      }
      // A switch that is there is on.
      let value = value ?? "yes"
      set.append((row, value))
      do throws(OptionError) {
        try trial.set(row, to: value)
      } catch {
        self = .refuse(error.message)
        return
      }
    }
    let settings = Settings(named: given("config")?.value, given: set)
    if let copy = given("restore")?.value {
      self = .restore(copy, settings)
      return
    }
    self = given("check") == nil ? .run(settings) : .check(settings)
  }

  private static let proxyHint =
    "put them into the configuration file or the credential \(Settings.proxyName)"

  /// Where the configuration file is if none is named: in the directory that the service manager
  /// names; else, for root and the system's users, in `/etc`, and for people in their own.
  static var defaultPath: String {
    let file = "/checkoutd/checkoutd.conf"
    if let directory = variable("CONFIGURATION_DIRECTORY")?.split(separator: ":").first {
      return directory + "/checkoutd.conf"
    }
    // Below this number are the users that come with the system (`SYS_UID_MAX`).
    if geteuid() < 1000 { return "/etc" + file }
    if let home = variable("XDG_CONFIG_HOME") { return home + file }
    return variable("HOME").map { $0 + "/.config" + file } ?? "/etc" + file
  }

  private static var help: String {
    let usage = """
      Usage: checkoutd [OPTION]...
      Holds headless checkout components and drives their payments, for local processes that speak
      JSON-RPC 2.0, one line at a time, over a Unix socket.

        -c, --config FILE            read options from this file first: option = value; without it
                                     from /etc/checkoutd/checkoutd.conf (users: ~/.config/…), if
                                     that exists
            --check                  say whether the configuration is good, and end
            --restore FILE           make the state out of this copy (- is standard input), and end
        -V, --version                print the version, and end
        -h, --help                   print this, and end

      """
    let rows = OptionRow.all.map { row in
      let name = "      --\(row.name)" + (row.argument.map { " \($0)" } ?? "")
      let gap = name.count < 30 ? String(repeating: " ", count: 31 - name.count) : "\n" + margin
      return name + gap + row.summary + (row.initial.map { " [\($0)]" } ?? "")
    }
    let end = """

      In brackets is what holds if nobody says otherwise.

      Sockets that the service manager passes are used before any other; without them and --socket it
      listens at /run/checkoutd/checkoutd.sock (root) or $XDG_RUNTIME_DIR/checkoutd/checkoutd.sock.
      """
    return usage + "\n" + rows.joined(separator: "\n") + "\n" + end
  }

  private static let margin = String(repeating: " ", count: 31)
}

func exitProcess(_ code: Int32) -> Never { exit(code) }

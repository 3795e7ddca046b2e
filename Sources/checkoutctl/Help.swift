import LinuxSystem

/// What `--help` prints.
enum Help {
  private static let columns = 100

  /// What there is to know of all commands.
  static var general: String {
    """
    Usage: checkoutctl [OPTION]... COMMAND [ARGUMENT]...
    Talks to checkoutd.

    Commands:
    \(table(Command.all.map { ($0.synopsis, $0.summary) }))

    checkoutctl COMMAND --help tells more of one.

    CHECKOUT is the id of a checkout, or key:KEY for the one that was started with that start key.

    Options for all commands:
    \(table(Option.common))

    Options for some:
    \(table(Option.allCases.filter { !Option.common.contains($0) }))

    Everyone on this machine can see the arguments of a command. So client tokens, and what shoppers
    have typed or chosen, are taken from standard input or a file alone, and refused as arguments.

    Output is for people unless --json is given; it has colours on a terminal, if NO_COLOR is not set.
    Errors go to standard error, and on a terminal what is being waited for.

    follow and wait outlive the daemon: when it crashes or is restarted they connect again and go on
    where they were, and give up when nobody has answered for the time that --retry gives. The first
    connection is not tried twice.

    Without --socket it is $CHECKOUTD_SOCKET; else, for users other than root, if it exists,
    $XDG_RUNTIME_DIR/checkoutd/checkoutd.sock; else /run/checkoutd/checkoutd.sock.

    Exit status:
      0  it is done
      1  the daemon answered with an error, or the checkout ended without what was waited for
      2  the daemon could not be talked to, or the output could not be written
      3  the command line, or what it names, is wrong
      4  the time that --timeout gave is over
      5  events were lost: the daemon does not have them any more
      6  pay: whether the payment was made is unknown; look the order up before you start another
    """
  }

  /// What there is to know of one.
  static func text(of command: Command) -> String {
    var parts = [
      "Usage: checkoutctl [OPTION]... \(command.synopsis)", command.sentence,
    ]
    if !command.details.isEmpty { parts += ["", command.details] }
    if !command.options.isEmpty {
      let own = Option.allCases.filter(command.options.contains)
      parts += ["", "Options:", table(own)]
    }
    parts += ["", "Options for all commands:", table(Option.common)]
    return parts.joined(separator: "\n")
  }

  private static func table(_ options: [Option]) -> String {
    table(
      options.map { option in
        let letter = option.row.letter.map { "-\($0), " } ?? "    "
        return (
          "\(letter)--\(option.row.name)" + (option.valueName.map { " \($0)" } ?? ""),
          option.summary
        )
      })
  }

  /// Two columns, the second of them broken where it is too long.
  private static func table(_ rows: [(String, String)]) -> String {
    let width = rows.map(\.0.count).max() ?? 0
    let indent = String(repeating: " ", count: width + 4)
    return rows.map { left, right in
      let padded = "  " + left + String(repeating: " ", count: width - left.count + 2)
      return padded
        + wrapped(right, to: columns - indent.count).joined(separator: "\n" + indent)
    }.joined(separator: "\n")
  }

  private static func wrapped(_ text: String, to columns: Int) -> [String] {
    text.split(separator: " ").reduce(into: [String]()) { lines, word in
      if let last = lines.last, last.count + 1 + word.count <= columns {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(String(word))
      }
    }
  }
}

extension Command {
  /// How it is written, without options.
  fileprivate var synopsis: String { operands.isEmpty ? name : "\(name) \(operands)" }

  /// Its summary as a sentence.
  fileprivate var sentence: String { summary.prefix(1).uppercased() + summary.dropFirst() + "." }
}

import JSON
import ValueTree

/// The daemon's status for people: one line for each member.
struct StatusTable {
  let text: String

  /// Lays out what `system.status` answers.
  init(_ status: Value) {
    let rows = (status.object ?? []).map { member in
      member.name == "uptimeMs"
        ? ("uptime", Self.span(member.value.integer ?? 0))
        : (member.name, Self.text(member.value))
    }
    let width = rows.map(\.0.count).max() ?? 0
    text = rows.map { name, value in
      name + String(repeating: " ", count: width - name.count + 2) + value
    }.joined(separator: "\n")
  }

  private static func text(_ value: Value) -> String {
    switch value {
    case .null: "never"
    case .string(let text): text
    case .object([]): "none"
    case .object(let members):
      members.map { "\($0.name) \(text($0.value))" }.joined(separator: ", ")
    default: value.jsonText
    }
  }

  /// The largest two units of a span.
  static func span(_ milliseconds: Int64) -> String {
    let seconds = milliseconds / 1000
    let (minutes, hours) = (seconds / 60, seconds / 3600)
    if hours >= 24 { return "\(hours / 24) d \(hours % 24) h" }
    if hours > 0 { return "\(hours) h \(minutes % 60) min" }
    return minutes > 0 ? "\(minutes) min \(seconds % 60) s" : "\(seconds) s"
  }
}

/// Metrics in Prometheus' text format 0.0.4.
///
/// - Source: prometheus.io, "Exposition formats", and its naming rules: base units, `_total` for what
///   only grows.
struct MetricsText {
  /// What a reader is told the text is.
  static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  /// One value with what tells it from the others of its metric.
  typealias Sample = (labels: [(name: String, value: String)], value: Double)

  private(set) var text = ""

  /// Adds a metric that goes up and down.
  mutating func gauge(_ name: String, _ help: String, _ samples: [Sample]) {
    add(name, help, "gauge", samples)
  }

  /// The same of a single value; none if there is none yet.
  mutating func gauge(_ name: String, _ help: String, _ value: Double?) {
    gauge(name, help, value.map { [([], $0)] } ?? [])
  }

  /// Adds a metric that only grows until a restart.
  mutating func counter(_ name: String, _ help: String, _ samples: [Sample]) {
    add(name, help, "counter", samples)
  }

  /// The same of a single value.
  mutating func counter(_ name: String, _ help: String, _ value: Double) {
    counter(name, help, [([], value)])
  }

  /// Adds spans.
  mutating func histogram(
    _ name: String, _ help: String,
    _ histograms: [(labels: [(name: String, value: String)], spans: Histogram)]
  ) {
    guard !histograms.isEmpty else { return }
    head(name, help, "histogram")
    for (labels, spans) in histograms {
      for (bound, count) in spans.cumulative {
        sample("\(name)_bucket", labels + [("le", number(bound))], Double(count))
      }
      sample("\(name)_bucket", labels + [("le", "+Inf")], Double(spans.total))
      sample("\(name)_sum", labels, spans.seconds)
      sample("\(name)_count", labels, Double(spans.total))
    }
  }

  private mutating func add(
    _ name: String, _ help: String, _ type: String, _ samples: [Sample]
  ) {
    guard !samples.isEmpty else { return }
    head(name, help, type)
    for (labels, value) in samples { sample(name, labels, value) }
  }

  private mutating func head(_ name: String, _ help: String, _ type: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
  }

  private mutating func sample(
    _ name: String, _ labels: [(name: String, value: String)], _ value: Double
  ) {
    text += name
    if !labels.isEmpty {
      let all = labels.map { "\($0.name)=\"\(escaped($0.value))\"" }
      text += "{\(all.joined(separator: ","))}"
    }
    text += " \(number(value))\n"
  }

  private func escaped(_ label: String) -> String {
    var text = ""
    for scalar in label.unicodeScalars {
      switch scalar {
      case "\\": text += "\\\\"
      case "\"": text += "\\\""
      case "\n": text += "\\n"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  private func number(_ value: Double) -> String {
    Int64(exactly: value).map { String($0) } ?? String(value)
  }
}

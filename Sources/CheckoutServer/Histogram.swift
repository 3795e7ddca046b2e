/// How often something took how long, in the buckets that Prometheus' histograms have.
struct Histogram {
  /// The upper bounds of the buckets in microseconds; what is longer counts in the last one alone.
  private let bounds: [UInt64]
  private var counts: [UInt64]
  private var sum: UInt64 = 0

  /// Makes an empty one.
  init(microseconds bounds: [UInt64]) {
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.count + 1)
  }

  /// Counts one span.
  mutating func count(microseconds span: UInt64) {
    counts[bounds.firstIndex { span <= $0 } ?? bounds.count] &+= 1
    sum &+= span
  }

  /// How many were counted.
  var total: UInt64 { counts.reduce(0, &+) }

  /// All of them, in seconds.
  var seconds: Double { Double(sum) / 1_000_000 }

  /// For each bound in seconds how many were no longer; the last is for all.
  var cumulative: [(seconds: Double, count: UInt64)] {
    var all: UInt64 = 0
    return zip(bounds, counts).map { bound, count in
      all &+= count
      return (Double(bound) / 1_000_000, all)
    }
  }
}

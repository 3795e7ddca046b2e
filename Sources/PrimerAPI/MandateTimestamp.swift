internal import Checkout

/// When a mandate was accepted, as Primer's API writes it: `2026-01-01T09:30:00.123+0000`.
func mandateTimestamp(_ time: WallTime) -> String {
  Timestamp(time).text.dropLast() + "+0000"
}

/// Every client's session, by the number of its connection.
final class SessionDirectory {
  private var sessions: [UInt64: Session] = [:]

  func add(_ session: Session, _ number: UInt64) { sessions[number] = session }

  func remove(_ number: UInt64) { sessions[number] = nil }

  /// A page of the sessions, in the order in which they came.
  ///
  /// - Returns: The sessions with their numbers, and the number after which the next page begins, if
  ///   there is one.
  func page(
    after number: UInt64, limit: Int
  ) -> (sessions: [(number: UInt64, session: Session)], next: UInt64?) {
    let numbers = sessions.keys.filter { $0 > number }.sorted()
    let page = numbers.prefix(limit)
    return (
      page.compactMap { number in sessions[number].map { (number, $0) } },
      page.count < numbers.count ? page.last : nil
    )
  }
}

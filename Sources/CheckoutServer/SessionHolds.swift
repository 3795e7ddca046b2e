/// Who holds which client session: one live checkout for each, and every ended one whose money has
/// moved or may move, for as long as there is a record of it.
///
/// Each holds for itself: what a later checkout comes to frees nothing that an earlier one holds. What
/// is held follows from the checkouts there are, so it is the same after every restart.
struct SessionHolds<Holder: Hashable> {
  private struct Hold {
    let holder: Holder
    var isLive: Bool
  }

  private var holds: [Fingerprint: [Hold]] = [:]

  /// Notes how a checkout stands to a session.
  ///
  /// - Parameters:
  ///   - session: The digest of its token, or of its id.
  ///   - holder: The checkout.
  ///   - isLive: Whether it goes on.
  ///   - isHeld: Whether nobody else may have the session.
  mutating func note(_ session: Fingerprint, _ holder: Holder, isLive: Bool, holds isHeld: Bool) {
    var all = holds[session] ?? []
    let place = all.firstIndex { $0.holder == holder }
    if let place, isHeld {
      all[place].isLive = isLive
    } else if let place {
      all.remove(at: place)
    } else if isHeld {
      all.append(Hold(holder: holder, isLive: isLive))
    }
    holds[session] = all.isEmpty ? nil : all
  }

  /// Forgets a checkout.
  mutating func remove(_ session: Fingerprint, _ holder: Holder) {
    note(session, holder, isLive: false, holds: false)
  }

  /// Who holds a session against another checkout: a live one first, else the latest.
  func holder(of session: Fingerprint, against other: Holder? = nil) -> Holder? {
    let others = (holds[session] ?? []).filter { $0.holder != other }
    return (others.first(where: \.isLive) ?? others.last)?.holder
  }
}

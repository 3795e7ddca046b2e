/// Members in no order, each of which comes and leaves in a time that does not depend on how many there
/// are.
struct Roster<Member: AnyObject> {
  private var members: [Member] = []
  private var places: [ObjectIdentifier: Int] = [:]

  var count: Int { members.count }

  /// The members as they are now.
  var all: [Member] { members }

  /// Adds a member, if it is not there.
  mutating func insert(_ member: Member) {
    guard places[ObjectIdentifier(member)] == nil else { return }
    places[ObjectIdentifier(member)] = members.count
    members.append(member)
  }

  /// Takes a member out.
  ///
  /// - Returns: Whether it was there.
  @discardableResult
  mutating func remove(_ member: Member) -> Bool {
    guard let place = places.removeValue(forKey: ObjectIdentifier(member)) else { return false }
    let last = members.removeLast()
    guard last !== member else { return true }
    members[place] = last
    places[ObjectIdentifier(last)] = place
    return true
  }
}

import Testing

@testable import CheckoutServer

@Suite struct RotationTests {
  private let table = UserTable(CurrentLimits(Limits()))

  private func order(_ rotation: inout Rotation) -> [UInt64] {
    var tags: [UInt64] = []
    while let visit = rotation.take() { tags.append(visit.tag) }
    return tags
  }

  @Test func `one user's connections are visited in the order in which they came`() {
    var rotation = Rotation()
    let user = table.user(1)
    for tag in UInt64(1)...5 { rotation.add(Visit(tag: tag, events: []), of: user) }
    #expect(order(&rotation) == [1, 2, 3, 4, 5])
    #expect(rotation.isEmpty)
  }

  @Test func `whoever has one connection waits for one visit of each other user`() {
    var rotation = Rotation()
    for tag in UInt64(1)...4 { rotation.add(Visit(tag: tag, events: []), of: table.user(1)) }
    for tag in UInt64(11)...12 { rotation.add(Visit(tag: tag, events: []), of: table.user(2)) }
    rotation.add(Visit(tag: 21, events: []), of: table.user(3))
    #expect(order(&rotation) == [1, 11, 21, 2, 12, 3, 4])
  }

  @Test func `whoever comes between two visits is next but one`() {
    var rotation = Rotation()
    for tag in UInt64(1)...3000 { rotation.add(Visit(tag: tag, events: []), of: table.user(1)) }
    for tag in UInt64(1)...2000 { #expect(rotation.take()?.tag == tag) }
    rotation.add(Visit(tag: 9000, events: []), of: table.user(2))
    #expect(rotation.take()?.tag == 2001)
    #expect(rotation.take()?.tag == 9000)
    #expect(order(&rotation).count == 999)
    #expect(rotation.isEmpty)
  }
}

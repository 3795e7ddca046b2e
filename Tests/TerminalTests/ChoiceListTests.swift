import Terminal
import Testing

@Suite struct ChoiceListTests {
  private static func list(_ count: Int, disabled: Set<Int> = []) -> ChoiceList {
    ChoiceList(
      (0..<count).map { number in
        let isDisabled = disabled.contains(number)
        return ChoiceList.Choice(
          id: "\(number)", label: "Bank \(number)", note: isDisabled ? "closed" : nil,
          isEnabled: !isDisabled)
      })
  }

  @Test func `the first that can be chosen is`() {
    #expect(Self.list(3).selection?.id == "0")
    #expect(Self.list(3, disabled: [0, 1]).selection?.id == "2")
    #expect(Self.list(2, disabled: [0, 1]).selection == nil)
    #expect(ChoiceList().selection == nil)
  }

  @Test func `keys go past what cannot be chosen and stop at the ends`() {
    var list = Self.list(5, disabled: [1, 4])
    var chosen: [String?] = []
    for key in [Key.down, .down, .down, .up, .up, .up, .pageDown, .pageUp, .control("n")] {
      let isTaken = list.handle(key)
      #expect(isTaken)
      chosen.append(list.selection?.id)
    }
    #expect(chosen == ["2", "3", "3", "2", "0", "0", "3", "0", "2"])
    for key in [Key.enter, .character("j")] {
      let isTaken = list.handle(key)
      #expect(!isTaken)
    }
  }

  @Test func `keys do nothing where nothing can be chosen`() {
    var list = Self.list(2, disabled: [0, 1])
    _ = list.handle(.down)
    #expect(list.selection == nil)
  }

  @Test func `what was chosen stays chosen while it is there`() {
    var list = Self.list(4)
    _ = list.handle(.down)
    list.replace(with: Self.list(3).choices)
    #expect(list.selection?.id == "1")
    list.replace(with: Self.list(3, disabled: [1]).choices)
    #expect(list.selection?.id == "0")
    list.replace(with: [])
    #expect(list.selection == nil)
    list.replace(with: Self.list(2).choices)
    #expect(list.selection?.id == "0")
  }

  @Test func `the lines show what is chosen and what cannot be`() {
    let lines = Self.list(3, disabled: [1]).lines(rows: 5)
    #expect(lines.map(\.text) == ["› Bank 0", "  Bank 1  closed", "  Bank 2"])
    #expect(lines[0].pieces.last?.style == .chosen)
    #expect(lines[1].pieces.dropFirst().allSatisfy { $0.style == .faint })
  }

  @Test func `a window follows what is chosen`() {
    var list = Self.list(10)
    #expect(
      list.lines(rows: 5).map(\.text) == [
        "", "› Bank 0", "  Bank 1", "  Bank 2", "  ↓ 7 more",
      ])
    for _ in 0..<5 { _ = list.handle(.down) }
    #expect(
      list.lines(rows: 5).map(\.text) == [
        "  ↑ 4 more", "  Bank 4", "› Bank 5", "  Bank 6", "  ↓ 3 more",
      ])
    _ = list.handle(.pageDown)
    #expect(
      list.lines(rows: 5).map(\.text) == [
        "  ↑ 7 more", "  Bank 7", "  Bank 8", "› Bank 9", "",
      ])
  }

  @Test(arguments: 0...12) func `a window is never too high and always has the choice`(_ rows: Int)
  {
    var list = Self.list(10, disabled: [0, 9])
    for _ in 0..<10 {
      let lines = list.lines(rows: rows)
      #expect(lines.count == min(rows, 10))
      #expect(rows == 0 || lines.count { $0.text.hasPrefix("› ") } == 1)
      _ = list.handle(.down)
    }
  }
}

extension ConformanceRows {
  /// The corner cases on which implementations differ.
  static let corners: [Row] = [
    .init("K-01", #"{$,"id":1.5,"method":"conf.snapshot"}"#, [failure("null", -32600)]),
    .init("K-02", #"{$,"id":1.0,"method":"conf.snapshot"}"#, [failure("null", -32600)]),
    .init("K-03", #"{$,"id":1e2,"method":"conf.snapshot"}"#, [failure("null", -32600)]),
    .init("K-04", #"{$,"id":-0,"method":"conf.snapshot"}"#, [result("0", #"["ready",5]"#)]),
    .init(
      "K-05",
      #"{$,"id":9007199254740993,"method":"conf.snapshot"}"#,
      [result("9007199254740993", #"["ready",5]"#)]),
    .init(
      "K-06",
      #"{$,"id":123456789012345678901234567890,"method":"conf.snapshot"}"#,
      [failure("null", -32700)]),
    .init(
      "K-07",
      #"{$,"id":9999999999999999999999999999999999999999999999999999999999999999999999,"#
        + #""method":"conf.snapshot"}"#,
      [failure("null", -32700)]),
    .init("K-08", #"{$,"id":"","method":"conf.snapshot"}"#, [result(#""""#, #"["ready",5]"#)]),
    .init(
      "K-09",
      #"[{$,"id":"1","method":"conf.gap","params":[2,1]},{$,"id":1,"method":"conf.gap","#
        + #""params":[5,1]}]"#,
      [batch(result(#""1""#, "1"), result("1", "4"))]),
    .init(
      "K-10",
      #"{$,"id":"\u0061","method":"conf.snapshot"}"#,
      [result(#""a""#, #"["ready",5]"#)]),
    .init("K-11", #"{$,"id":[1],"method":"conf.snapshot"}"#, [failure("null", -32600)]),
    .init("K-13", #"{$,"id":null,"method":3}"#, [failure("null", -32600)]),
    .init("K-14", #"{$,"id":1,"id":2,"method":"conf.snapshot"}"#, [failure("null", -32600)]),
    .init(
      "K-15",
      #"{$,"id":15,"method":"conf.snapshot","method":"conf.echo"}"#,
      [failure("15", -32600)]),
    .init("K-16", #"{$,"id":1,"\u0069d":2,"method":"conf.snapshot"}"#, [failure("null", -32600)]),
    .init(
      "K-17",
      #"{$,"id":17,"method":"conf.gap","params":{"high":9,"high":8,"low":1}}"#,
      [failure("17", -32602)]),
    .init("K-18", #"{$,"id":18,"method":"conf.echo","params":null}"#, [failure("18", -32600)]),
    .init("K-19", #"{$,"id":19,"method":"conf.echo","params":[]}"#, [result("19", "[]")]),
    .init("K-20", #"{$,"id":20,"method":"conf.echo","params":{}}"#, [result("20", "{}")]),
    .init("K-21", #"{$,"method":"conf.echo","params":null}"#, [failure("null", -32600)]),
    .init("K-22", #"{$,"id":22,"method":"conf.echo","params":[null]}"#, [result("22", "[null]")]),
    .init(
      "K-23",
      #"{$,"id":23,"method":"conf.snapshot","trace":"t1"}"#,
      [result("23", #"["ready",5]"#)]),
    .init("K-24", #"{$,"id":24,"method":"conf.gap","params":[3,2,1]}"#, [failure("24", -32602)]),
    .init(
      "K-25",
      #"{$,"id":25,"method":"conf.gap","params":{"high":3,"low":2,"mid":1}}"#,
      [failure("25", -32602)]),
    .init("K-26", #""conf.snapshot""#, [failure("null", -32600)]),
    .init("K-27", #"12"#, [failure("null", -32600)]),
    .init("K-28", #"null"#, [failure("null", -32600)]),
    .init("K-29", #"[[{$,"id":1,"method":"conf.snapshot"}]]"#, [batch(failure("null", -32600))]),
    .init("K-30", #"[null]"#, [batch(failure("null", -32600))]),
    .init(
      "K-31",
      #"[{$,"id":1,"method":"conf.gap","params":[2,1]},{$,"id":1,"method":"conf.gap","#
        + #""params":[9,1]}]"#,
      [batch(result("1", "1"), result("1", "8"))]),
    .init("K-33", #"{$,"id":33,"result":1}"#, []),
    .init(
      "K-34",
      #"{$,"id":34,"method":"conf.echo","params":["\ud800"]}"#,
      [failure("null", -32700)]),
    .init(
      "K-35",
      #"{$,"id":35,"method":"conf.echo","params":["a\u0000b"]}"#,
      [result("35", #"["a\u0000b"]"#)]),
    .init(
      "K-36",
      #"{$,"id":36,"method":"conf.echo","params":["a⟨00⟩b"]}"#,
      [failure("null", -32700)]),
    .init("K-37", #"{$,"id":37,"method":"conf.snapshot"}⟨00⟩"#, [failure("null", -32700)]),
    .init(
      "K-38",
      #"{$,"id":38,"method":"conf.echo","params":["a⟨09⟩b"]}"#,
      [failure("null", -32700)]),
    .init("K-39", #"{$,"id":39,"method":"conf.snapshot"}⟨0D⟩"#, [result("39", #"["ready",5]"#)]),
    .init(
      "K-40",
      #"{$,"id":40,"method":"conf.snapshot"}⟨0D⟩{$,"id":41,"method":"conf.snapshot"}"#,
      [failure("null", -32700)]),
    .init("K-41", #""#, []),
    .init("K-42", #" ⟨09⟩ ⟨0D⟩"#, []),
    .init("K-43", #"⟨EF⟩⟨BB⟩⟨BF⟩{$,"id":43,"method":"conf.snapshot"}"#, [failure("null", -32700)]),
    .init(
      "K-44",
      #"{$,"id":44,"method":"conf.echo","params":["⟨FF⟩⟨FE⟩"]}"#,
      [failure("null", -32700)]),
    .init(
      "K-45",
      #"{$,"id":45,"method":"conf.echo","params":["⟨C0⟩⟨AF⟩"]}"#,
      [failure("null", -32700)]),
    .init("K-46", #"{$,"id":46,"method":"conf.snapshot",}"#, [failure("null", -32700)]),
    .init("K-47", #"{$,"id":47,/*x*/"method":"conf.snapshot"}"#, [failure("null", -32700)]),
    .init("K-48", #"{$,"id":48,"method":"conf.echo","params":[NaN]}"#, [failure("null", -32700)]),
    .init("K-49", #"{$,"id":049,"method":"conf.snapshot"}"#, [failure("null", -32700)]),
    .init(
      "K-50",
      #"{$,"id":50,"method":"conf.snapshot"}{$,"id":51,"method":"conf.snapshot"}"#,
      [failure("null", -32700)]),
    .init(
      "K-54",
      #"{$,"id":54,"method":"conf.gap","params":[9223372036854775808,1]}"#,
      [failure("54", -32602)]),
    .init("K-55", #"{$,"id":55,"method":"conf.gap","params":[1.5,1]}"#, [failure("55", -32602)]),
    .init("K-60", #"{$,"id":60,"method":"conf.gap","params":[10.0,1e1]}"#, [result("60", "0")]),
    .init(
      "K-61",
      #"{$,"id":61,"method":"conf.gap","params":[9007199254740992.0,1]}"#,
      [failure("61", -32602)]),
    .init(
      "K-56",
      #"{$,"id":56,"method":"conf.gap","params":[1e400,1]}"#,
      [failure("null", -32700)]),
    .init(
      "K-57",
      #"{$,"id":57,"method":"conf.gap","params":[1,1]}⏎{$,"id":58,"method":"conf.gap","#
        + #""params":[2,1]}"#,
      [result("57", "0"), result("58", "1")]),
    .init(
      "K-58",
      #"{oops⏎{$,"id":58,"method":"conf.snapshot"}"#,
      [failure("null", -32700), result("58", #"["ready",5]"#)]),
    .init(
      "K-59",
      #"{$,"id":59,"method":"conf.echo","params":{"e⟨CC⟩⟨81⟩":1,"⟨C3⟩⟨A9⟩":2}}"#,
      [result("59", #"{"e⟨CC⟩⟨81⟩":1,"⟨C3⟩⟨A9⟩":2}"#)]),
  ]

  /// The corner cases whose lines are long.
  static let longCorners: [Row] = [
    .init(
      "K-12", #"{$,"id":"\#(String(repeating: "i", count: 257))","method":"conf.snapshot"}"#,
      [failure("null", -32600)]),
    .init(
      "K-32",
      "[" + Array(repeating: #"{$,"method":"conf.mark"}"#, count: 65).joined(separator: ",") + "]",
      [failure("null", -32003)]),
    .init("K-51", nested(id: 51, 64), [failure("null", -32700)]),
    .init("K-52", nested(id: 52, 63), [result("52", brackets(63))]),
    .init("K-53", String(repeating: "[", count: 100_000), [failure("null", -32700)]),
  ]

  private static func brackets(_ count: Int) -> String {
    String(repeating: "[", count: count) + String(repeating: "]", count: count)
  }

  private static func nested(id: Int, _ count: Int) -> String {
    #"{$,"id":\#(id),"method":"conf.echo","params":\#(brackets(count))}"#
  }
}

extension ConformanceRows {
  /// The normative rules that a line can show.
  static let rules: [Row] = [
    .init("N-01", #"{$,"id":1,"method":"conf.snapshot"}"#, [result("1", #"["ready",5]"#)]),
    .init("N-02", #"{"jsonrpc":"1.0","id":2,"method":"conf.snapshot"}"#, [failure("2", -32600)]),
    .init("N-03", #"{"jsonrpc":2.0,"id":3,"method":"conf.snapshot"}"#, [failure("3", -32600)]),
    .init("N-04", #"{"id":4,"method":"conf.snapshot"}"#, [failure("4", -32600)]),
    .init("N-05", #"{$,"id":5,"method":7}"#, [failure("5", -32600)]),
    .init("N-06", #"{$,"id":6}"#, [failure("6", -32600)]),
    .init("N-07", #"{$,"id":7,"Method":"conf.snapshot"}"#, [failure("7", -32600)]),
    .init("N-08", #"{$,"id":8,"method":"conf.Snapshot"}"#, [failure("8", -32601)]),
    .init("N-09", #"{$,"id":9,"method":"rpc.anything"}"#, [failure("9", -32601)]),
    .init("N-10", #"{$,"id":10,"method":"conf.echo"}"#, [result("10", "null")]),
    .init("N-11", #"{$,"id":11,"method":"conf.echo","params":"x"}"#, [failure("11", -32600)]),
    .init("N-12", #"{$,"id":12,"method":"conf.echo","params":5}"#, [failure("12", -32600)]),
    .init(
      "N-13",
      #"{$,"id":"a-1","method":"conf.snapshot"}"#,
      [result(#""a-1""#, #"["ready",5]"#)]),
    .init("N-14", #"{$,"id":-14,"method":"conf.snapshot"}"#, [result("-14", #"["ready",5]"#)]),
    .init("N-15", #"{$,"id":null,"method":"conf.snapshot"}"#, [result("null", #"["ready",5]"#)]),
    .init("N-16", #"{$,"id":{"n":1},"method":"conf.snapshot"}"#, [failure("null", -32600)]),
    .init("N-17", #"{$,"id":true,"method":"conf.snapshot"}"#, [failure("null", -32600)]),
    .init("N-18", #"{$,"method":"conf.mark","params":[1]}"#, []),
    .init("N-19", #"{$,"method":"conf.nowhere"}"#, []),
    .init("N-20", #"{$,"method":"conf.gap","params":["x"]}"#, []),
    .init("N-21", #"{$,"method":"conf.fail"}"#, []),
    .init("N-22", #"{$,"id":22,"method":"conf.gap","params":[9,4]}"#, [result("22", "5")]),
    .init(
      "N-23",
      #"{$,"id":23,"method":"conf.gap","params":{"low":4,"high":9}}"#,
      [result("23", "5")]),
    .init(
      "N-24",
      #"{$,"id":24,"method":"conf.gap","params":{"High":9,"low":4}}"#,
      [failure("24", -32602)]),
    .init("N-25", #"{$,"id":25,"method":"conf.gap","params":{"high":9}}"#, [failure("25", -32602)]),
    .init("N-26", #"{$,"id":26,"method":"conf.mark"}"#, [result("26", "null")]),
    .init("N-27", #"{$,"id":27,"method":"conf.fail"}"#, [failure("27", -32603)]),
    .init("N-28", #"{$,"id":28,"#, [failure("null", -32700)]),
    .init("N-29", #"{$,"id":29,"method":"conf.nope"}"#, [failure("29", -32601)]),
    .init("N-30", #"{$,"id":30,"method":"conf.gap","params":[1]}"#, [failure("30", -32602)]),
    .init(
      "N-31",
      #"[{$,"id":"x","method":"conf.gap","params":[3,1]},{$,"id":"y","#
        + #""method":"conf.snapshot"}]"#,
      [batch(result(#""x""#, "2"), result(#""y""#, #"["ready",5]"#))]),
    .init(
      "N-32",
      #"[{$,"method":"conf.mark"},{$,"id":32,"method":"conf.snapshot"}]"#,
      [batch(result("32", #"["ready",5]"#))]),
    .init("N-33", #"[{$,"method":"conf.mark"}]"#, []),
    .init("N-34", #"[]"#, [failure("null", -32600)]),
    .init("N-35", #"[{$,"id":35,"method":"conf.snapshot"},"#, [failure("null", -32700)]),
    .init("N-36", #"[7]"#, [batch(failure("null", -32600))]),
  ]

  /// The examples of the specification.
  static let examples: [Row] = [
    .init("X-01", #"{$,"method":"conf.gap","params":[61,19],"id":1}"#, [result("1", "42")]),
    .init("X-02", #"{$,"method":"conf.gap","params":[19,61],"id":2}"#, [result("2", "-42")]),
    .init(
      "X-03",
      #"{$,"method":"conf.gap","params":{"low":19,"high":61},"id":3}"#,
      [result("3", "42")]),
    .init(
      "X-04",
      #"{$,"method":"conf.gap","params":{"high":61,"low":19},"id":4}"#,
      [result("4", "42")]),
    .init("X-05", #"{$,"method":"conf.mark","params":[5,4,3,2,1]}"#, []),
    .init("X-06", #"{$,"method":"conf.ghost"}"#, []),
    .init("X-07", #"{$,"method":"conf.ghost","id":"7"}"#, [failure(#""7""#, -32601)]),
    .init(
      "X-08",
      #"{"jsonrpc": "2.0", "method": "conf.ghost, "params": "oops", "zzz]"#,
      [failure("null", -32700)]),
    .init("X-09", #"{$,"method":9,"params":"oops"}"#, [failure("null", -32600)]),
    .init(
      "X-10",
      #"[ {$,"method":"conf.total","params":[2,4,6],"id":"1"}, {$,"method" ]"#,
      [failure("null", -32700)]),
    .init("X-11", #"[]"#, [failure("null", -32600)]),
    .init("X-12", #"[0]"#, [batch(failure("null", -32600))]),
    .init(
      "X-13",
      #"[4,5,6]"#,
      [batch(failure("null", -32600), failure("null", -32600), failure("null", -32600))]),
    .init(
      "X-14",
      #"[{$,"method":"conf.total","params":[2,4,6],"id":"p"},{$,"method":"conf.note","#
        + #""params":[3]},{$,"method":"conf.gap","params":[61,19],"id":"q"},{"zig":"zag"},{$,"#
        + #""method":"conf.ghost","params":{"who":"me"},"id":"r"},{$,"method":"conf.snapshot","#
        + #""id":"s"}]"#,
      [
        batch(
          result(#""p""#, "12"),
          result(#""q""#, "42"),
          failure("null", -32600),
          failure(#""r""#, -32601),
          result(#""s""#, #"["ready",5]"#))
      ]),
    .init(
      "X-15",
      #"[{$,"method":"conf.note","params":[1,2]},{$,"method":"conf.mark","params":[3]}]"#,
      []),
  ]
}
